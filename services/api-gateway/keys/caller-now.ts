import type { Scope } from "../../../contracts/http/scopes.ts";
import { requireScope } from "../auth/authenticate.ts";
import type { KnownCaller } from "../auth/domain/caller.ts";
import { keyInvalid } from "../auth/caller-of-key.ts";
import { callerOfSession, sessionEnded } from "../auth/caller-of-session.ts";
import { findSessionById } from "../auth/store/known-sessions.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { readCallingKey } from "./store/api-keys.ts";

/**
 * The caller with its key or session as it is now, which a gateway's cache may not know for a second. Call it under the
 * tenant's lock: a key or a session that is over, or a person whose role was taken away, then makes and approves
 * nothing. A session needs the scope `access`.
 *
 * Refusals: `api_key_invalid`, `session_ended`, `no_role_in_mode`, `insufficient_scope`.
 */
export async function callerNow(
  { sql }: Pick<UnitOfWork, "sql">,
  cached: KnownCaller,
  access: Scope,
): Promise<KnownCaller> {
  if (cached.session !== null) {
    const session = await findSessionById(sql, cached.session.id);
    if (session === undefined) throw sessionEnded();
    const now = callerOfSession(session, cached.mode);
    requireScope(now, access);
    return now;
  }
  const key = cached.apiKeyId === null ? undefined : await readCallingKey(sql, cached.apiKeyId);
  const isOver = key !== undefined && key.expiresAt !== null && key.expiresAt <= new Date();
  if (key === undefined || key.revokedAt !== null || isOver) throw keyInvalid();
  return { ...cached, expiresAt: key.expiresAt, ipAllowlist: key.ipAllowlist };
}
