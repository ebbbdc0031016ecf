import { uuidOf } from "../../../../contracts/ids/ids.ts";
import type { BookFilter } from "../../../platform/handlers/batch-by-book.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** In a row `l` of `lease`: its deliveries `d` that have no recorded attempt and were not made claimable. */
export const unrecordedOf = (locking = "offset 0") => `unnest(l.delivery_ids) as held (id)
    cross join lateral (
      select *
      from delivery x
      where x.id = held.id
        and x.lease_id = l.id
        and x.status = 'Pending'
        and x.claimable_at is null
      ${locking}
    ) d`;

const maxPerCall = 10_000;
const hasEnded = "l.ends_at <= $1 and (l.book_id = any ($4::uuid[])) is not distinct from $5";

/**
 * Deletes the leases `recorded`, all of whose deliveries are recorded. Of leases that ended before that, because their
 * instance crashed or had too many deliveries, it makes the deliveries claimable. A delivery whose attempt is being
 * recorded at this moment is skipped; its lease stays until a later call finds none left.
 */
export async function endLeases(
  sql: Sql,
  recorded: readonly string[],
  now: Date,
  filter: BookFilter,
): Promise<void> {
  await sql(
    `with claimable as (
       update delivery
       set claimable_at = $1,
         lease_id = null
       where id = any (array(
         select d.id
         from lease l
         cross join ${unrecordedOf("for update skip locked")}
         where ${hasEnded}
         limit $3
       ))
     )
     delete from lease l
     where l.id = any ($2::uuid[])
       or ${hasEnded}
         and not exists (select from ${unrecordedOf()})`,
    [now, recorded, maxPerCall, filter.books.map(uuidOf), filter.only],
  );
}
