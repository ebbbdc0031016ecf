/** Passkeys of people in a test's gateway. */
import { createHash } from "node:crypto";
import { canonicalJson } from "../../../contracts/canonical-json.ts";
import { Authenticator } from "./authenticator.ts";
import type { TestGateway } from "../services/gateway.ts";
import type { Seat } from "./people.ts";

/** A decision as the screen asks for it. */
export interface Confirmed {
  readonly operation: string;
  readonly ids?: readonly string[];
  readonly orderHashes?: readonly string[];
  /** The header If-Match of the request that is confirmed. */
  readonly ifMatch?: string;
  /** The body of the request that is confirmed. */
  readonly body?: unknown;
}

/** Sends a write of the page, and returns its answer. */
export function send(gateway: TestGateway, seat: Seat, path: string, body: unknown = {}, headers = {}) {
  return gateway.call("POST", path, { body, headers: { ...seat.headers, ...headers } });
}

export function challengeIn(options: unknown): string {
  return (options as { challenge: string }).challenge;
}

/** Registers a new passkey for the person of the seat. Throws if that fails. */
export async function addPasskey(gateway: TestGateway, seat: Seat): Promise<Authenticator> {
  const passkey = new Authenticator();
  const { body: options } = await send(gateway, seat, "/auth/passkeys/options");
  const response = passkey.register({ challenge: challengeIn(options), origin: new URL(gateway.url).origin });
  const added = await send(gateway, seat, "/auth/passkeys", { name: "Laptop", response });
  if (added.status !== 201) throw new Error(`the passkey was refused: ${added.text}`);
  return passkey;
}

/** The header of a decision that the passkey has confirmed. Throws if that fails. */
export async function confirm(
  gateway: TestGateway,
  seat: Seat,
  passkey: Authenticator,
  { body, ...what }: Confirmed,
): Promise<{ "step-up": string }> {
  const bodyHash = body === undefined ? null : createHash("sha256").update(canonicalJson(body)).digest("hex");
  const { body: asked } = await send(gateway, seat, "/auth/step-up", { ...what, bodyHash });
  const response = passkey.assert({
    challenge: challengeIn(asked.options),
    origin: new URL(gateway.url).origin,
  });
  const id = String(asked.id);
  const verified = await send(gateway, seat, `/auth/step-up/${id}/verify`, { response });
  if (verified.status !== 204) throw new Error(`the passkey was refused: ${verified.text}`);
  return { "step-up": id };
}
