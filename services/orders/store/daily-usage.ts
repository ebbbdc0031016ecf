import { type BookId, idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import { endOfDate, startOfDate } from "../../../contracts/rails/banking-calendar.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { DailyUsage, type UsageMove } from "../order/daily-limit.ts";
import { idsAwaitingHandOff } from "./orders-that-wait.ts";

/**
 * Until the end of the transaction, no other transaction can begin a daily limit for these books. Submissions take this
 * lock before they read the policy and before they lock orders. It is shared, so that submissions do not wait for one
 * another, and advisory, because there may be no row. With `lockTimeoutMs`, it also limits how long this transaction
 * waits for this lock and for each later one. One statement does both, because a second one would cost more.
 */
export async function lockDailyLimitShared(
  sql: Sql,
  books: readonly BookId[],
  lockTimeoutMs?: number,
): Promise<void> {
  await sql(
    `select set_config('lock_timeout', coalesce($2, current_setting('lock_timeout')), true),
       pg_advisory_xact_lock_shared(hashtextextended('daily-limit/' || book_id, 0))
     from (select book_id from unnest($1::uuid[]) as b (book_id) order by book_id offset 0) ordered`,
    [[...new Set(books)].map(uuidOf), lockTimeoutMs === undefined ? null : String(lockTimeoutMs)],
  );
}

/** Waits for running submissions, so that the recount sees them. Later submissions see the new limit. */
export async function lockDailyLimitExclusive(sql: Sql, book: BookId): Promise<void> {
  await sql("select pg_advisory_xact_lock(hashtextextended('daily-limit/' || $1::uuid, 0))", [uuidOf(book)]);
}

/**
 * Locks the daily usage of each book on its own New York date (`days`) until the transaction ends, in order of book id,
 * so that submissions in a book with a limit take turns. Pass only books that have a limit; without any, no statement
 * is sent.
 */
export async function lockUsage(sql: Sql, days: ReadonlyMap<BookId, string>): Promise<DailyUsage> {
  if (days.size === 0) return new DailyUsage();
  const wanted = [...days].map(([book, day]) => ({ book: uuidOf(book), day }));
  wanted.sort((a, b) => (a.book < b.book ? -1 : 1));
  const params = [wanted.map(({ book }) => book), wanted.map(({ day }) => day)];
  const [, rows] = await Promise.all([
    sql(
      `insert into daily_usage (book_id, day, used_cents)
       select book_id, day, 0
       from unnest($1::uuid[], $2::date[]) as d (book_id, day)
       order by book_id
       on conflict do nothing`,
      params,
    ),
    sql<{ book_id: string; used_cents: bigint }>(
      `select u.book_id, u.used_cents
       from unnest($1::uuid[], $2::date[]) as d (book_id, day)
       cross join lateral (
         select book_id, used_cents
         from daily_usage l
         where l.book_id = d.book_id
           and l.day = d.day
         for update
       ) u`,
      params,
    ),
  ]);
  return new DailyUsage(rows.map((row) => [idOf("book", row.book_id), row.used_cents] as const));
}

/** How many cents a book has used on a day. Not locked, so the number may already have changed. */
export async function readUsage(sql: Sql, book: BookId, day: string): Promise<number> {
  const [row] = await sql<{ used_cents: bigint }>(
    `select used_cents
     from daily_usage
     where book_id = $1
       and day = $2`,
    [uuidOf(book), day],
  );
  return Number(row?.used_cents ?? 0n);
}

/** Adds the amounts that orders have taken and given back. Locks rows in key order, after those of the orders. */
export async function updateUsage(sql: Sql, moves: readonly UsageMove[]): Promise<void> {
  if (moves.length === 0) return;
  const sums = new Map<string, { book: string; day: string; cents: number }>();
  for (const { book, day, cents } of moves) {
    const key = `${uuidOf(book)}/${day}`;
    sums.set(key, { book: uuidOf(book), day, cents: (sums.get(key)?.cents ?? 0) + cents });
  }
  const sorted = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum);
  // Never below zero: the previous release did not count Drafts of an earlier day in a recount, and they can still end.
  await sql(
    `update daily_usage u
     set used_cents = greatest(0, u.used_cents + n.cents)
     from unnest($1::uuid[], $2::date[], $3::bigint[]) as n (book_id, day, cents)
     cross join lateral (
       select 1 from daily_usage d
       where d.book_id = n.book_id
         and d.day = n.day
       for update
     ) locked
     where u.book_id = n.book_id
       and u.day = n.day`,
    [sorted.map(({ book }) => book), sorted.map(({ day }) => day), sorted.map(({ cents }) => cents)],
  );
}

/**
 * Locks the orders of a day that can still give their amount back, before a recount. A transaction that ends one of
 * them has then either committed, so that the recount leaves the order out, or waits and ends it under the new limit.
 * Also locks the orders that wait for their hand-off, which a change of the policy may lock too. It is one statement,
 * because no transaction locks an order after one with a higher id.
 */
export async function lockOrdersToRecount(sql: Sql, book: BookId, day: string): Promise<void> {
  await sql(
    `select
     from payment_order
     where book_id = $1
       and status in ('Submitted', 'Pending', 'Processing')
       and id in (
         select order_id
         from status_change
         where book_id = $1
           and to_status = 'Submitted'
           and at >= $2
           and at < $3
         union all
         ${idsAwaitingHandOff}
       )
     order by id
     for update`,
    [uuidOf(book), startOfDate(day), endOfDate(day)],
  );
}

/**
 * Counts a day's usage anew, for a book whose limit begins during the day: from the orders that were submitted on it by
 * the book's clock, as their history says, except those that gave their amount back. Call it under
 * `lockDailyLimitExclusive` and `lockOrdersToRecount`.
 */
export async function recountUsage(sql: Sql, book: BookId, day: string): Promise<void> {
  await sql(
    `insert into daily_usage (book_id, day, used_cents)
     select $1, $2::text::date, coalesce(sum(o.amount_cents), 0)
     from status_change c
     cross join lateral (
       select amount_cents
       from payment_order p
       where p.book_id = c.book_id
         and p.id = c.order_id
         and p.progress ->> 'limitDate' = $2::text
       offset 0
     ) o
     where c.book_id = $1
       and c.to_status = 'Submitted'
       and c.at >= $3
       and c.at < $4
     on conflict on constraint daily_usage_pkey do update
       set used_cents = excluded.used_cents`,
    [uuidOf(book), day, startOfDate(day), endOfDate(day)],
  );
}
