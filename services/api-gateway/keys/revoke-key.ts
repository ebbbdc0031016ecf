import { Refusal } from "../../../contracts/errors.ts";
import type { ApiKey } from "../../../contracts/http/api-keys.ts";
import type { ApiKeyId } from "../../../contracts/ids/ids.ts";
import { ApiKeyRevoked } from "../../../contracts/messages/tenants.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { KeyMaker } from "./domain/key-authority.ts";
import { operator } from "./domain/key-format.ts";
import { noSuchKey } from "./query-keys.ts";
import { type KeyBook, lockApiKey, markKeyRevoked } from "../auth/store/api-keys.ts";
import { findShownKey } from "./store/list-keys.ts";

/**
 * Revokes a key for ever. The message goes out with the change, and every gateway that hears it forgets the key at
 * once; one that doesn't forgets it within a second. Refusal: `not_found`, also for one that was revoked before.
 */
export async function revokeKey(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  id: ApiKeyId,
  by: string = operator,
): Promise<void> {
  const book = await markKeyRevoked(unit.sql, id, by);
  if (book === undefined) throw new Refusal("not_found", `There is no active key ${id}.`);
  unit.outbox.add(ApiKeyRevoked, { book, subject: id, data: { apiKeyId: id } });
}

/**
 * Revokes a key of the caller's book, whosever it is: to stop one is everybody's right who gives them. A key that is
 * revoked already stays so, and is the answer. Refusals: `not_found`; `invalid_state_transition` for one that waits.
 */
export async function revokeKeyOfBook(
  unit: Pick<UnitOfWork, "sql" | "outbox">,
  caller: KeyBook & Pick<KeyMaker, "principal">,
  id: ApiKeyId,
): Promise<ApiKey> {
  const [, key] = await Promise.all([lockApiKey(unit.sql, caller, id), findShownKey(unit.sql, caller, id)]);
  if (key === undefined) throw noSuchKey();
  if (key.status === "Pending" || key.status === "Denied") {
    throw new Refusal(
      "invalid_state_transition",
      key.proposalId === null
        ? "The key was denied: it never opened anything."
        : `The key opens nothing yet: deny its proposal ${key.proposalId}.`,
      { context: { currentStatus: key.status, allowedStatuses: ["Active", "Expired", "Revoked"] } },
    );
  }
  if (key.status === "Revoked") return key;
  await revokeKey(unit, id, caller.principal);
  return (await findShownKey(unit.sql, caller, id)) ?? key;
}
