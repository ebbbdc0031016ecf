import {
  type AuthenticationResponseJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from "@simplewebauthn/server";
import { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { RelyingParty } from "./relying-party.ts";
import type { Passkey } from "../people/store/passkeys.ts";

const base64url = z.base64url().max(20_000);

/** 1,023 bytes in base64url (WebAuthn §4, Credential ID). */
const maxCredentialIdLength = 1_364;

/** What a browser's `PublicKeyCredential.toJSON()` gives (WebAuthn §5.1). The library checks the rest of it. */
const credential = z.looseObject({ id: base64url, rawId: base64url, type: z.literal("public-key") });
export const registrationResponse = credential.extend({
  id: base64url.max(maxCredentialIdLength),
  response: z.looseObject({
    clientDataJSON: base64url,
    attestationObject: base64url,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
});
export const authenticationResponse = credential.extend({
  response: z.looseObject({ clientDataJSON: base64url, authenticatorData: base64url, signature: base64url }),
});
export type RegistrationAnswer = z.output<typeof registrationResponse>;
export type AuthenticationAnswer = z.output<typeof authenticationResponse>;

/** One text for every reason: another challenge, origin, key or signature, or nobody verified. */
export function passkeyRefused(): Refusal {
  return new Refusal(
    "passkey_refused",
    "Confirm again, on our own page, with a passkey that is registered here.",
  );
}

/** The new passkey of a registration. Refusals: `passkey_refused`. */
export async function verifyRegistration(
  response: RegistrationAnswer,
  challenge: Buffer,
  { origin, id }: RelyingParty,
): Promise<Omit<Passkey, "id">> {
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: response as unknown as RegistrationResponseJSON,
    expectedChallenge: challenge.toString("base64url"),
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
  }).catch(refuse);
  if (!verified) throw passkeyRefused();
  const made = registrationInfo.credential;
  if (made.id.length > maxCredentialIdLength) throw passkeyRefused();
  return {
    credentialId: made.id,
    publicKey: Buffer.from(made.publicKey),
    counter: made.counter,
    transports: [...(made.transports ?? [])],
  };
}

/** The passkey's new counter. Refusals: `passkey_refused`. */
export async function verifyAssertion(
  response: AuthenticationAnswer,
  challenge: Buffer,
  { origin, id }: RelyingParty,
  { credentialId, publicKey, counter }: Passkey,
): Promise<number> {
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response: response as unknown as AuthenticationResponseJSON,
    expectedChallenge: challenge.toString("base64url"),
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    credential: { id: credentialId, publicKey: new Uint8Array(publicKey), counter },
  }).catch(refuse);
  if (!verified) throw passkeyRefused();
  return authenticationInfo.newCounter;
}

/** The library throws for whatever it finds wrong in an answer. */
function refuse(): never {
  throw passkeyRefused();
}
