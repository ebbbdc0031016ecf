import { Refusal } from "../../../contracts/errors.ts";
import type { ApiKey } from "../../../contracts/http/api-keys.ts";
import type { ApiKeyId } from "../../../contracts/ids/ids.ts";
import { ApiKeyRevoked } from "../../../contracts/messages/tenants.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { Creator } from "./domain/key-authority.ts";
import { operator } from "./domain/key-format.ts";
import { keyNotFound } from "./query-keys.ts";
import { type KeyBook, lockApiKey, setKeyRevoked } from "../auth/store/api-keys.ts";
import { readKey } from "./store/list-keys.ts";

/**
 * Revokes a key permanently. Every gateway that receives the event clears its key cache at once; the cache of a
 * gateway that misses it expires within a second. Refusal: `not_found`, also for a key that is already revoked.
 */
export async function revokeKey(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  id: ApiKeyId,
  by: string = operator,
): Promise<void> {
  const book = await setKeyRevoked(unit.sql, id, by);
  if (book === undefined) throw new Refusal("not_found", `There is no active key ${id}.`);
  unit.outbox.add(ApiKeyRevoked, { book, subject: id, data: { apiKeyId: id } });
}

/**
 * Revokes any key of the caller's book. Idempotent: answers with a key that is already revoked.
 * Refusals: `not_found`; `invalid_state_transition` for a key that was never Active.
 */
export async function revokeKeyOfBook(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  caller: KeyBook & Pick<Creator, "principal">,
  id: ApiKeyId,
): Promise<ApiKey> {
  const [, key] = await Promise.all([lockApiKey(unit.sql, caller, id), readKey(unit.sql, caller, id)]);
  if (key === undefined) throw keyNotFound();
  if (key.status === "Pending" || key.status === "Denied") {
    throw new Refusal(
      "invalid_state_transition",
      key.proposalId === null
        ? "The key was denied, so it was never active."
        : `The key is not active yet. Deny its proposal ${key.proposalId}.`,
      { context: { currentStatus: key.status, allowedStatuses: ["Active", "Expired", "Revoked"] } },
    );
  }
  if (key.status === "Revoked") return key;
  await revokeKey(unit, id, caller.principal);
  return (await readKey(unit.sql, caller, id)) ?? key;
}
