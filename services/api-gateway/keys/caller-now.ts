import type { KnownCaller } from "../auth/domain/caller.ts";
import { keyInvalid } from "../auth/caller-of-key.ts";
import { callerOfSession, sessionEnded } from "../auth/caller-of-session.ts";
import { findSessionById } from "../auth/store/known-sessions.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { readCallingKey } from "./store/api-keys.ts";

/**
 * The caller with its key or session as it is now, which a gateway's cache may not know for a second. Call it under the
 * tenant's lock: a key or a session that is over then makes and approves nothing. Refusals: `api_key_invalid`,
 * `session_ended`, `no_role_in_mode`.
 */
export async function callerNow({ sql }: Pick<UnitOfWork, "sql">, cached: KnownCaller): Promise<KnownCaller> {
  if (cached.session !== null) {
    const session = await findSessionById(sql, cached.session.id);
    if (session === undefined) throw sessionEnded();
    return callerOfSession(session, cached.mode);
  }
  const key = cached.apiKeyId === null ? undefined : await readCallingKey(sql, cached.apiKeyId);
  const isOver = key !== undefined && key.expiresAt !== null && key.expiresAt <= new Date();
  if (key === undefined || key.revokedAt !== null || isOver) throw keyInvalid();
  return { ...cached, expiresAt: key.expiresAt, ipAllowlist: key.ipAllowlist };
}
