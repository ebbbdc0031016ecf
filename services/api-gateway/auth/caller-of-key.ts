import type { IncomingHttpHeaders } from "node:http";
import { Refusal } from "../../../contracts/errors.ts";
import { hashOf, isWellFormedKey } from "./api-key.ts";
import type { KnownCaller } from "./domain/caller.ts";
import type { KeyCache } from "./key-cache.ts";
import type { WaitingKey } from "./store/known-keys.ts";

/** The caller that a key speaks for, or why the key is refused. */
export type CallerOfKey = { readonly caller: KnownCaller } | { readonly refusal: Refusal };

/** The same text for every invalid key: unknown, revoked, expired or mistyped. */
export function keyInvalid(): Refusal {
  return new Refusal("api_key_invalid", "Send a valid API key in the X-API-Key header.");
}

/** Only who has the key itself learns that it waits. */
function keyWaits({ proposal }: WaitingKey): Refusal {
  return new Refusal(
    "api_key_invalid",
    `This key waits for an approval: it can be used once another principal has approved its proposal ${proposal}.`,
    { context: { proposalId: proposal } },
  );
}

/**
 * Finds the caller of the request's key. Returns the refusal of an invalid key, because that counts as a failure.
 * Refusals: `api_key_missing`.
 */
export async function callerOfKey(
  { "x-api-key": header, authorization }: IncomingHttpHeaders,
  keys: KeyCache,
): Promise<CallerOfKey> {
  const text = Array.isArray(header) ? header.join(",") : header;
  if (text === undefined || text === "") {
    const instead = authorization === undefined ? "" : ", not in Authorization";
    throw new Refusal("api_key_missing", `Send your API key in the X-API-Key header${instead}.`);
  }
  // The format of a key is public, so checking it first reveals nothing about which keys exist.
  const key = isWellFormedKey(text) ? await keys.byHash(hashOf(text)) : undefined;
  if (key === undefined) return { refusal: keyInvalid() };
  if ("proposal" in key) return { refusal: keyWaits(key) };
  const isExpired = key.expiresAt !== null && key.expiresAt.getTime() <= Date.now();
  return isExpired ? { refusal: keyInvalid() } : { caller: key };
}
