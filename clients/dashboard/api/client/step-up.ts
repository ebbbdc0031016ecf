import { useQuery } from "@tanstack/react-query";
import { canonicalJson } from "../../../../contracts/canonical-json.ts";
import { callAuth } from "./call.ts";
import { failureTexts } from "../../texts/shell.ts";
import { digestOf } from "./idempotency.ts";
import { ApiProblem } from "./problem.ts";

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
 * Throws an ApiProblem: `passkey_missing`, or one without a code if the person cancels, or the browser or the device
 * has no passkey of theirs.
 */
export async function confirmWithPasskey({
  body,
  ...what
}: Confirmed): Promise<{ readonly "Step-Up": string }> {
  const bodyHash = body === undefined ? null : await digestOf(canonicalJson(asSent(body)));
  const { id, options } = await callAuth<Asked>("POST", "/step-up", { body: { ...what, bodyHash } });
  const publicKey = passkeysHere().parseRequestOptionsFromJSON(options);
  const credential = await orProblem(failureTexts.notConfirmed, navigator.credentials.get({ publicKey }));
  await callAuth("POST", `/step-up/${encodeURIComponent(id)}/verify`, {
    body: { response: credential.toJSON() },
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
  const publicKey = passkeysHere().parseCreationOptionsFromJSON(options);
  const credential = await orProblem(failureTexts.notAdded, navigator.credentials.create({ publicKey }));
  await callAuth("POST", "/passkeys", { body: { name, response: credential.toJSON() }, headers });
}

export async function removePasskey(id: string): Promise<void> {
  const headers = await confirmWithPasskey({ operation: "removePasskey", ids: [id] });
  await callAuth("DELETE", `/passkeys/${encodeURIComponent(id)}`, { headers });
}

/** The browser's functions for passkeys. Throws an ApiProblem in one that lacks them. */
function passkeysHere(): typeof PublicKeyCredential {
  const { PublicKeyCredential: functions } = globalThis as Partial<typeof globalThis>;
  if (functions !== undefined && "parseRequestOptionsFromJSON" in functions) return functions;
  throw new ApiProblem({ status: 0, ...failureTexts.noPasskeysHere });
}

/** What the device answers. A device that gives no passkey becomes a problem with these words. */
async function orProblem(
  words: { readonly title: string; readonly detail: string },
  asked: Promise<Credential | null>,
): Promise<PublicKeyCredential> {
  const credential = await asked.catch((error: unknown) => {
    if (error instanceof DOMException) return null;
    throw error;
  });
  if (credential instanceof PublicKeyCredential) return credential;
  throw new ApiProblem({ status: 0, ...words });
}
