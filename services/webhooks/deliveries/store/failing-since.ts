import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { uuidArray } from "../../../platform/persistence/uuid-array.ts";
import type { AttemptRow } from "./record-attempts.ts";

/**
 * Stores since when an endpoint fails, on its book's clock, if the endpoint has `disableAfterDays`. Writes only when an
 * endpoint starts to fail or works again. Ignores failures on our side. If a batch has both a success and failures of
 * an endpoint, the success wins.
 */
export async function updateFailingSince(sql: Sql, attempts: readonly AttemptRow[]): Promise<void> {
  const failedAt = new Map<string, Date | null>();
  for (const { endpointToDisable: endpoint, acknowledged, errorClass, at, durationMs } of attempts) {
    if (endpoint === null || errorClass === "Ours") continue;
    const endedAt = new Date(at.getTime() + durationMs);
    const known = failedAt.get(endpoint);
    if (acknowledged) failedAt.set(endpoint, null);
    else if (known === undefined || (known !== null && endedAt < known)) failedAt.set(endpoint, endedAt);
  }
  if (failedAt.size === 0) return;
  await sql(updateFailingSinceSql, [uuidArray([...failedAt.keys()]), [...failedAt.values()]]);
}

/** Locks rows in the order of their ids, and waits half a second for one at most, as `recordAttempts` does. */
const updateFailingSinceSql = `with changed as (
    select e.id,
      case when o.failed_at is not null then coalesce(${timeInSql("b", "o.failed_at")}, o.failed_at) end as failing_since
    from (select set_config('lock_timeout', '500ms', true)) as limited
    cross join unnest($1::uuid[], $2::timestamptz[]) as o (endpoint_id, failed_at)
    join endpoint e on e.id = o.endpoint_id
    left join book_clock b on b.book_id = e.book_id
    where e.status = 'Enabled'
      and e.disable_after_days is not null
      and (e.failing_since is null) = (o.failed_at is not null)
    order by e.id
    for update of e
  )
  update endpoint e
  set failing_since = changed.failing_since
  from changed
  where e.id = changed.id`;
