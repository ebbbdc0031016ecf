import { expect, it } from "vitest";
import { newSigningSecret, serviceSignature, signingSecret } from "./domain/signature.ts";
import type { KnownSecret } from "./domain/verification.ts";
import { findSigner } from "./find-signer.ts";

const body = Buffer.from("{}");
const content = { body, sentWith: null };
const secretOf = (endpointId: string): KnownSecret => ({
  endpointId,
  version: 1,
  age: "Newest",
  secret: newSigningSecret(),
});
const secrets = ["a", "b", "c", "d"].map(secretOf);

/** How often other work of the process had its turn before this ended. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let next: NodeJS.Immediate;
  const turn = () => {
    turns += 1;
    next = setImmediate(turn);
  };
  next = setImmediate(turn);
  await work;
  clearImmediate(next);
  return turns;
}

it("finds the secret that signed, whichever endpoint has it", async () => {
  for (const known of secrets) {
    const header = serviceSignature(known.secret, body);
    expect(await findSigner(secrets, header, content)).toBe(known);
  }
  const strange = signingSecret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=");
  expect(await findSigner(secrets, serviceSignature(strange, body), content)).toBeUndefined();
});

it("lets other work have its turn after each endpoint", async () => {
  expect(await turnsDuring(findSigner(secrets, "a".repeat(64), content))).toBeGreaterThanOrEqual(3);
});
