import { createHash } from "node:crypto";
import { Events, OAuth2Server } from "oauth2-mock-server";
import { afterEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { beginSignIn, finishSignIn, type IdentityProvider } from "./identity-provider.ts";

const server = await startProvider();
const provider: IdentityProvider = {
  issuer: server.issuer.url!,
  clientId: "quittance",
  clientSecret: "a secret of the test",
};
const redirectUri = new URL("http://localhost:3000/auth/oidc/callback");
afterEach(() => {
  server.service.removeAllListeners();
});

async function startProvider(): Promise<OAuth2Server> {
  const started = new OAuth2Server();
  await started.issuer.keys.generate("RS256");
  await started.start(0, "127.0.0.1");
  return forThisFile(started);
}

type Claims = Record<string, unknown>;

/** A browser's way: to the provider, which sends it back to the callback at once. */
async function signIn({ claims = {}, header = {}, change = (callback: URL) => callback } = {}) {
  const { address, attempt } = await beginSignIn(provider, redirectUri);
  const answer = await fetch(address, { redirect: "manual" });
  const callback = new URL(answer.headers.get("location")!);
  server.service.on(Events.BeforeTokenSigning, (token) => {
    Object.assign(token.payload, { sub: "rosa-at-idp", aud: "quittance", nonce: attempt.nonce, ...claims });
    Object.assign(token.header, header);
  });
  return finishSignIn(provider, attempt, change(callback));
}

const inSeconds = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds;
const verified: Claims = { email: "rosa@acme.example", email_verified: true };

describe("the way to a tenant's OpenID provider", () => {
  it("asks for a code with PKCE, state and nonce, and names our own callback", async () => {
    const { address, attempt } = await beginSignIn(provider, redirectUri);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: "quittance",
      response_type: "code",
      redirect_uri: "http://localhost:3000/auth/oidc/callback",
      scope: "openid email",
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: createHash("sha256").update(attempt.codeVerifier).digest("base64url"),
      code_challenge_method: "S256",
    });
  });

  it("uses another state, nonce and verifier each time", async () => {
    const [one, other] = await Promise.all([
      beginSignIn(provider, redirectUri),
      beginSignIn(provider, redirectUri),
    ]);
    expect(new Set([...Object.values(one.attempt), ...Object.values(other.attempt)]).size).toBe(6);
  });
});

describe("the way back", () => {
  it("names the person by the provider's subject and verified address", async () => {
    expect(await signIn({ claims: verified })).toEqual({
      subject: "rosa-at-idp",
      verifiedEmail: "rosa@acme.example",
    });
  });

  it.each<[string, Claims]>([
    ["that the provider has not verified", { email: "rosa@acme.example", email_verified: false }],
    ["of which it does not say so", { email: "rosa@acme.example" }],
    ["that is verified by a text", { email: "rosa@acme.example", email_verified: "true" }],
    ["that is no text", { email: ["rosa@acme.example"], email_verified: true }],
  ])("names no address %s", async (_what, claims) => {
    expect(await signIn({ claims })).toEqual({ subject: "rosa-at-idp", verifiedEmail: null });
  });

  it.each<[string, { claims?: Claims; header?: Claims; change?: (callback: URL) => URL }]>([
    ["another state", { change: (callback) => withParameter(callback, "state", "of-somebody-else") }],
    ["no state", { change: (callback) => withParameter(callback, "state", null) }],
    ["no code", { change: (callback) => withParameter(callback, "code", null) }],
    ["the provider's refusal", { change: (callback) => withParameter(callback, "error", "access_denied") }],
    ["another nonce", { claims: { nonce: "of-another-sign-in" } }],
    ["no nonce", { claims: { nonce: undefined } }],
    ["a token for another client", { claims: { aud: "somebody-else" } }],
    ["a token of another issuer", { claims: { iss: "https://idp.example" } }],
    ["an expired token", { claims: { exp: inSeconds(-120) } }],
    ["a token without an expiry", { claims: { exp: undefined } }],
    ["a token from the future", { claims: { iat: inSeconds(3_600), nbf: inSeconds(3_600) } }],
  ])("is refused with %s", async (_what, wrong) => {
    await expect(signIn({ claims: verified, ...wrong })).rejects.toThrow();
  });

  it.each(["without a signature", "signed by another key"])("is refused with a token %s", async (which) => {
    server.service.on(Events.BeforeResponse, ({ body }) => {
      const tokens = body as { id_token: string };
      const [header, payload] = tokens.id_token.split(".") as [string, string];
      const none = Buffer.from(JSON.stringify({ alg: "none" })).toString("base64url");
      const forged = Buffer.alloc(256, 1).toString("base64url");
      tokens.id_token =
        which === "without a signature" ? `${none}.${payload}.` : `${header}.${payload}.${forged}`;
    });
    await expect(signIn({ claims: verified })).rejects.toThrow();
  });

  it("is refused without the verifier of this sign-in", async () => {
    const { address, attempt } = await beginSignIn(provider, redirectUri);
    const answer = await fetch(address, { redirect: "manual" });
    const stolen = new URL(answer.headers.get("location")!);
    const other = await beginSignIn(provider, redirectUri);
    await expect(
      finishSignIn(provider, { ...attempt, codeVerifier: other.attempt.codeVerifier }, stolen),
    ).rejects.toThrow();
  });
});

function withParameter(callback: URL, name: string, value: string | null): URL {
  const changed = new URL(callback);
  if (value === null) changed.searchParams.delete(name);
  else changed.searchParams.set(name, value);
  return changed;
}
