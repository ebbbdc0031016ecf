import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  ClientSecretBasic,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";

/** A tenant's OpenID provider, as the operator registered it. */
export interface IdentityProvider {
  /** Its issuer identifier: an https URL, or http on a loopback address. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What the browser keeps between its way to the provider and back. Worthless without the provider's code. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Who signed in, by the provider's word. */
export interface Identity {
  /** The provider's own name for the person, which never changes: the claim `sub`. */
  readonly subject: string;
  /** Null if the provider does not say that it has verified the address. */
  readonly verifiedEmail: string | null;
}

/** Of each request to the provider. */
const timeoutSeconds = 5;
const isLoopback = ({ hostname }: URL) => hostname === "127.0.0.1" || hostname === "localhost";

/**
 * Begins a sign-in by the authorization code flow with PKCE, state and nonce (OpenID Connect Core §3.1, RFC 7636).
 * Rejects if the provider's discovery document can't be read.
 */
export async function beginSignIn(
  provider: IdentityProvider,
  redirectUri: URL,
): Promise<{ readonly address: URL; readonly attempt: Attempt }> {
  const attempt = { state: randomState(), nonce: randomNonce(), codeVerifier: randomPKCECodeVerifier() };
  const address = buildAuthorizationUrl(await configurationOf(provider), {
    redirect_uri: redirectUri.href,
    scope: "openid email",
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await calculatePKCECodeChallenge(attempt.codeVerifier),
    code_challenge_method: "S256",
  });
  return { address, attempt };
}

/**
 * Redeems the code in the callback's address. Rejects unless state, nonce, issuer, audience, expiry and signature of
 * the ID token are right: a token without a signature (`alg: none`) is never accepted.
 */
export async function finishSignIn(
  provider: IdentityProvider,
  { state, nonce, codeVerifier }: Attempt,
  callback: URL,
): Promise<Identity> {
  const tokens = await authorizationCodeGrant(await configurationOf(provider), callback, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: codeVerifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("the provider sent no ID token");
  const { sub, email, email_verified: isVerified } = claims;
  return { subject: sub, verifiedEmail: typeof email === "string" && isVerified === true ? email : null };
}

/**
 * Reads the provider's discovery document. It is read at each sign-in: people sign in rarely, and new keys of a
 * provider count at once.
 */
async function configurationOf({ issuer, clientId, clientSecret }: IdentityProvider): Promise<Configuration> {
  const address = new URL(issuer);
  return discovery(address, clientId, undefined, ClientSecretBasic(clientSecret), {
    timeout: timeoutSeconds,
    // A provider that redirects our requests could reach services behind our firewall.
    [customFetch]: (url, options) => fetch(url, { ...options, redirect: "error" } as RequestInit),
    execute: [
      // The ID token's signature is checked although it comes over TLS from the provider itself.
      enableNonRepudiationChecks,
      ...(isLoopback(address) ? [allowInsecureRequests] : []),
    ],
  });
}
