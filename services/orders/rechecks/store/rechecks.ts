import { type BookId, idOf, uuidOf } from "../../../../contracts/ids/ids.ts";
import { rails } from "../../../../contracts/rails/rails.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import { belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { uuidArray } from "../../../platform/persistence/uuid-array.ts";

/**
 * What has changed about a book, and so what is done with its orders.
 * - Gate: what the hand-off gate decides by. Orders that wait at the gate are due.
 * - CompletionDelay: how long orders wait for returns. Those that do are due.
 * - FirstClock: it has a clock of its own for the first time. What waits in it moves over to that clock; until now its
 *   time was real time.
 * - InstantClock: its clock is Instant. No order waits for a window, its rail or returns: those that do are due. What
 *   waits for its rail asks it.
 */
type RecheckKind = "Gate" | "CompletionDelay" | "FirstClock" | "InstantClock";

export interface Recheck {
  readonly book: BookId;
  readonly kind: RecheckKind;
}

/** How many orders a transaction goes through: about a tenth of a second. */
const batchSize = 1_000;

/** Instances of the previous release read `gate_recheck` too. */
const rowOf = (kind: RecheckKind) =>
  kind === "Gate"
    ? { table: "gate_recheck", key: "book_id = $1" }
    : { table: "order_recheck", key: `book_id = $1 and kind = '${kind}'` };

/**
 * Lets a worker go through the book's orders after the commit, a thousand in each transaction (`continueRecheck`). So
 * the transaction that changes the book is as short with a million orders as with one. A recheck of the same kind that
 * is under way starts over.
 */
export async function recheckLater(sql: Sql, { book, kind }: Recheck): Promise<void> {
  const [columns, values] = kind === "Gate" ? ["", ""] : ["kind, ", `'${kind}', `];
  const { table } = rowOf(kind);
  await sql(
    `insert into ${table} (book_id, ${columns}after_id)
     values ($1, ${values}$2)
     on conflict on constraint ${table}_pkey do update
       set after_id = excluded.after_id`,
    [uuidOf(book), belowAllUuids],
  );
}

/** Goes through the first thousand orders at once, which most books don't exceed. The worker does the others. */
export async function beginRecheck(sql: Sql, recheck: Recheck, realNow: Date): Promise<void> {
  await recheckLater(sql, recheck);
  await continueRecheck(sql, recheck, realNow);
}

/** What is still to be done, at most `limit`, by book; none of the books `except`. */
export async function readRechecks(
  sql: Sql,
  { limit, except }: { readonly limit: number; readonly except: readonly BookId[] },
): Promise<Recheck[]> {
  const rows = await sql<{ book_id: string; kind: RecheckKind }>(
    `select book_id, kind
     from (
       select book_id, 'Gate' as kind
       from gate_recheck
       union all
       select book_id, kind
       from order_recheck
       where kind = any ($2::text[])
     ) of_books
     where book_id <> all ($3::uuid[])
     order by book_id, kind
     limit $1`,
    [limit, Object.keys(nextOf), except.map(uuidOf)],
  );
  return rows.map(({ book_id, kind }) => ({ book: idOf("book", book_id), kind }));
}

/**
 * Goes through the next orders of a book. Returns false, and does nothing, if another instance does so or has ended it.
 * After a change of the clock, it waits for locked orders, whose holders may have read the clock before: see
 * `moveToClock`. Otherwise it skips them: their phase times out anyway.
 */
export async function continueRecheck(sql: Sql, { book, kind }: Recheck, realNow: Date): Promise<boolean> {
  const { table, key } = rowOf(kind);
  const of = uuidOf(book);
  const [stored] = await sql<{ after_id: string }>(
    `select after_id from ${table} where ${key} for update skip locked`,
    [of],
  );
  if (stored === undefined) return false;
  const next = await sql<{ id: string }>(nextOf[kind], [of, stored.after_id, batchSize]);
  const ids = next.map(({ id }) => id);
  if (ids.length > 0) await recheck[kind](sql, [of, uuidArray(ids)], realNow);
  if (ids.length < batchSize) await sql(`delete from ${table} where ${key}`, [of]);
  else await sql(`update ${table} set after_id = $2 where ${key}`, [of, ids.at(-1)]);
  return true;
}

/** The time in the book at which the rest of its orders are due, or null if there is no rest. */
export const recheckIsDueAt = `
  select ${timeInSql("b", "$2")}
  from (
    select book_id from gate_recheck where book_id = $1
    union all
    select book_id from order_recheck where book_id = $1
    limit 1
  ) g
  join book_clock b on b.book_id = g.book_id`;

/** The book, and orders of it. */
type Batch = [book: string, ids: Buffer];

const recheck: Readonly<Record<RecheckKind, (sql: Sql, batch: Batch, realNow: Date) => Promise<unknown>>> = {
  Gate: (sql, batch, realNow) =>
    sql(makeDue("phase in ('AwaitingApproval', 'AwaitingWindow')"), [...batch, realNow]),
  CompletionDelay: (sql, batch, realNow) => sql(makeDue("phase = 'AwaitingReturns'"), [...batch, realNow]),
  FirstClock: async (sql, batch, realNow) => {
    await moveToClock(sql, batch);
    await endWaitsOfInstantBook(sql, batch, realNow);
  },
  InstantClock: async (sql, batch, realNow) => {
    await lockInOrder(sql, batch);
    await endWaitsOfInstantBook(sql, batch, realNow);
  },
};

/** Walks an index for each value of `of`, from `$2` up to the limit `$3`, and merges what they find. */
const merged = (of: string, condition: string) => `
  select found.id
  from ${of}
  cross join lateral (
    select id
    from payment_order
    where book_id = $1
      and ${condition}
      and id > $2
    order by id
    limit $3
  ) found
  order by found.id
  limit $3`;

/** Orders in some statuses. No index knows the other phases, so the caller selects from these. */
const ofKinds = (rails: readonly string[], statuses: readonly string[]) =>
  merged(
    `unnest(array['${rails.join("', '")}']) as w (rail)
  cross join unnest(array['Credit', 'Debit']) as d (direction)
  cross join unnest(array['${statuses.join("', '")}']) as s (status)`,
    `rail = w.rail
      and direction = d.direction
      and status = s.status
      and sequence >= 0`,
  );

const underWay = ["Submitted", "Pending", "Processing"];

const nextOf: Readonly<Record<RecheckKind, string>> = {
  Gate: merged(
    "unnest(array['AwaitingApproval', 'AwaitingWindow']) as w (phase)",
    `phase = w.phase
      and phase in ('AwaitingApproval', 'AwaitingWindow')`,
  ),
  CompletionDelay: ofKinds(["Ach", "SameDayAch"], ["Processing"]),
  FirstClock: ofKinds(rails, underWay),
  InstantClock: ofKinds(rails, underWay),
};

const makeDue = (inPhase: string) => `
  update payment_order o
  set due_at = case when b.book_id is null then $3::timestamptz end,
      due_at_in_book = ${timeInSql("b", "$3")}
  from (
    select book_id, id
    from payment_order
    where book_id = $1
      and id = any ($2::uuid[])
      and ${inPhase}
    for update skip locked
  ) waiting
  left join book_clock b on b.book_id = waiting.book_id
  where o.book_id = waiting.book_id
    and o.id = waiting.id`;

/** In id order, like every batch of orders. */
async function lockInOrder(sql: Sql, batch: Batch): Promise<void> {
  await sql(
    `select count(*)
     from (
       select id
       from payment_order
       where book_id = $1
         and id = any ($2::uuid[])
       order by id
       for update
     ) locked`,
    batch,
  );
}

/**
 * All orders under way are locked first: whoever holds one may have read that the book has no clock, and whoever locks
 * one later reads the clock. So the update, which is a statement of its own, sees them as they will be.
 */
async function moveToClock(sql: Sql, batch: Batch): Promise<void> {
  await lockInOrder(sql, batch);
  await sql(
    `update payment_order
     set due_at_in_book = due_at,
         due_at = null
     where book_id = $1
       and id = any ($2::uuid[])
       and phase in ('AwaitingApproval', 'AwaitingWindow', 'HandingOff', 'InFlight', 'AwaitingReturns')
       and due_at is not null`,
    batch,
  );
}

/** Does nothing in a book whose clock is not Instant, or no longer. */
async function endWaitsOfInstantBook(sql: Sql, batch: Batch, realNow: Date): Promise<void> {
  await sql(
    `update payment_order o
     set due_at_in_book = ${timeInSql("b", "$3")}
     from book_clock b
     where b.book_id = $1
       and b.mode = 'Instant'
       and o.book_id = b.book_id
       and o.id = any ($2::uuid[])
       and o.due_at_in_book is not null
       and o.phase in ('AwaitingWindow', 'HandingOff', 'InFlight', 'AwaitingReturns')`,
    [...batch, realNow],
  );
}
