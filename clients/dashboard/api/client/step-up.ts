import { useQuery } from "@tanstack/react-query";
import { canonicalJson } from "../../../../contracts/canonical-json.ts";
import { callAuth } from "./call.ts";
import { digestOf } from "./idempotency.ts";

/** What the person confirms: an operation of the API, its objects, what was shown of each, the request's body. */
export interface Confirmed {
  readonly operation: string;
  readonly ids?: readonly string[];
  readonly orderHashes?: readonly string[];
  /** The header If-Match of the request: the version that is shown. */
  readonly ifMatch?: string;
  readonly body?: object;
}

/** Without the members that JSON leaves out. */
const asSent = (body: object): unknown => JSON.parse(JSON.stringify(body));

export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
}

interface Asked {
  readonly id: string;
  readonly options: PublicKeyCredentialRequestOptionsJSON;
}

/**
 * Lets the person confirm with their passkey exactly this. Returns the header of the decision, good for two minutes.
 * Throws an ApiProblem, `passkey_missing` among them; a DOMException if the person says no.
 */
export async function confirmWithPasskey({
  body,
  ...what
}: Confirmed): Promise<{ readonly "Step-Up": string }> {
  const bodyHash = body === undefined ? null : await digestOf(canonicalJson(asSent(body)));
  const { id, options } = await callAuth<Asked>("POST", "/step-up", { body: { ...what, bodyHash } });
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
  const credential = await navigator.credentials.get({ publicKey });
  await callAuth("POST", `/step-up/${encodeURIComponent(id)}/verify`, {
    body: { response: jsonOf(credential) },
  });
  return { "Step-Up": id };
}

async function listPasskeys(): Promise<readonly Passkey[]> {
  return (await callAuth<{ items: readonly Passkey[] }>("GET", "/passkeys")).items;
}

export function usePasskeys() {
  return useQuery({ queryKey: ["passkeys"], queryFn: listPasskeys });
}

/** Makes a passkey on this device for the signed-in person. An earlier one confirms it. */
export async function addPasskey(name: string): Promise<void> {
  const hasOne = (await listPasskeys()).length > 0;
  const headers = hasOne ? await confirmWithPasskey({ operation: "addPasskey" }) : {};
  const options = await callAuth<PublicKeyCredentialCreationOptionsJSON>("POST", "/passkeys/options");
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const credential = await navigator.credentials.create({ publicKey });
  await callAuth("POST", "/passkeys", { body: { name, response: jsonOf(credential) }, headers });
}

export async function removePasskey(id: string): Promise<void> {
  const headers = await confirmWithPasskey({ operation: "removePasskey", ids: [id] });
  await callAuth("DELETE", `/passkeys/${encodeURIComponent(id)}`, { headers });
}

function jsonOf(credential: Credential | null): unknown {
  if (!(credential instanceof PublicKeyCredential))
    throw new DOMException("no passkey was given", "NotAllowedError");
  return credential.toJSON();
}
