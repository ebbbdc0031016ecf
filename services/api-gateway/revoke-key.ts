import { Refusal } from "../../contracts/errors.ts";
import type { ApiKeyId } from "../../contracts/ids.ts";
import { ApiKeyRevoked } from "../../contracts/messages/tenants.ts";
import type { Unit } from "../platform/messaging/unit.ts";
import { markKeyRevoked } from "./store/api-keys.ts";

/**
 * Revokes a key for ever. The fact goes out with the change, and every gateway that hears it forgets the key at
 * once; one that doesn't forgets it within a second. Refusal: `not_found`, also for one that was revoked before.
 */
export async function revokeKey(unit: Pick<Unit, "sql" | "outbox">, id: ApiKeyId): Promise<void> {
  const book = await markKeyRevoked(unit.sql, id);
  if (book === undefined) throw new Refusal("not_found", `There is no active key ${id}.`);
  unit.outbox.add(ApiKeyRevoked, { book, subject: id, data: { apiKeyId: id } });
}
