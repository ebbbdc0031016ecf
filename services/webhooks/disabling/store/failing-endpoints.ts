import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import type { BookFilter } from "../../../platform/handlers/batch-by-book.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

export interface DisabledRow {
  readonly id: string;
  readonly book_id: string;
  readonly url: string;
  readonly disable_after_days: number;
  readonly failing_since: Date;
  readonly disabled_at: Date;
}

/** Of an endpoint `e`. A null is neither before nor after any time. */
const disabledAt = "e.failing_since + e.disable_after_days * interval '24 hours'";
const countsDays = "e.disable_after_days is not null and e.status = 'Enabled'";

/**
 * The endpoints whose days are over when it is `$1` in real time. On a clock that stands still, an attempt that is due
 * at the same time or under way comes first: it may succeed.
 */
const due = `from endpoint e
    left join book_clock b on b.book_id = e.book_id
    cross join lateral (select coalesce(${timeInSql("b", "$1")}, $1) as disabled_at) t
    where ${countsDays}
      and ${disabledAt} <= t.disabled_at
      and (e.book_id = any ($2::uuid[])) is not distinct from $3
      and not (b.stands_at is not null and exists (
        select
        from delivery d
        where d.endpoint_id = e.id
          and d.claimable_at < 'infinity'
          and (d.claimable_at <= $1 or d.lease_id is not null)
      ))`;

/** Disables endpoints whose days are over, at most `max`. Skips those that somebody is changing. */
export function disableDue(sql: Sql, now: Date, filter: BookFilter, max: number): Promise<DisabledRow[]> {
  return sql<DisabledRow>(
    `with due as (
       select e.id, e.failing_since, t.disabled_at
       ${due}
       order by e.id
       limit $4
       for update of e skip locked
     )
     update endpoint e
     set status = 'Disabled',
       failing_since = null
     from due
     where e.id = due.id
     returning e.id, e.book_id, e.url, e.disable_after_days, due.failing_since, due.disabled_at`,
    [now, filter.books.map(uuidOf), filter.only, max],
  );
}

/** Books within the filter that have endpoints to disable, at most `max`. */
export async function booksWithDue(sql: Sql, now: Date, filter: BookFilter, max: number): Promise<BookId[]> {
  const rows = await sql<{ book_id: string }>(`select distinct e.book_id ${due} limit $4`, [
    now,
    filter.books.map(uuidOf),
    filter.only,
    max,
  ]);
  return rows.map((row) => idOf("book", row.book_id));
}

/** When the next endpoint of a book is disabled if no attempt succeeds before, on the book's clock. */
export async function nextDisablingAt(sql: Sql, book: BookId): Promise<Date | null> {
  const [row] = await sql<{ at: Date | null }>(
    `select min(${disabledAt}) as at
     from endpoint e
     where e.book_id = $1
       and ${countsDays}`,
    [uuidOf(book)],
  );
  return row?.at ?? null;
}
