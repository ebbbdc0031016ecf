import { type BookId, idOf, type PaymentOrderId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Message } from "../../../../contracts/message.ts";
import type { SubmitInstruction } from "../../../../contracts/messages/rails.ts";
import type { OrderDirection, Rail } from "../../../../contracts/rails/rails.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { uuidArray } from "../../../platform/persistence/uuid-array.ts";

type Submission = Message<typeof SubmitInstruction>;

/** Why a rail has not got an instruction: its outage withholds it, or it got lost. */
export type UndeliveredKind = "Held" | "Lost";

/** A rail that takes nothing and says nothing, in one direction or (without one) in both. */
export interface SilentRail {
  readonly rail: Rail;
  readonly direction?: OrderDirection | undefined;
}

/**
 * Stores instructions that do not reach their rail. Returns the orders that the rail must not get now: those that an
 * outage withholds, and those that get lost with this very message. The others got lost once already, or are at their
 * rail. One that got lost and is sent again in an outage is withheld, and stays the one that got lost with its first
 * message.
 */
export async function insertUndelivered(
  sql: Sql,
  undelivered: readonly { readonly submission: Submission; readonly kind: UndeliveredKind }[],
): Promise<ReadonlySet<PaymentOrderId>> {
  await sql(
    `insert into undelivered_instruction (order_id, book_id, kind, message_id, submission)
     select u.*
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::jsonb[])
       as u (order_id, book_id, kind, message_id, submission)
     where not exists (
       -- What waits for the hand-off is a tester's call for this order, which comes before rules.
       select from instruction i
       where i.order_id = u.order_id and (i.submitted_at is not null or u.kind = 'Lost')
     )
     order by u.order_id
     on conflict on constraint undelivered_instruction_pkey do update
       set kind = 'Held', submission = excluded.submission
       where undelivered_instruction.kind = 'Lost'
         and excluded.kind = 'Held'
         and undelivered_instruction.message_id <> excluded.message_id`,
    [
      undelivered.map(({ submission }) => uuidOf(submission.data.orderId)),
      undelivered.map(({ submission }) => uuidOf(submission.book)),
      undelivered.map(({ kind }) => kind),
      undelivered.map(({ submission }) => submission.id),
      undelivered.map(({ submission }) => JSON.stringify(submission)),
    ],
  );
  const rows = await sql<{ order_id: string }>(
    `select u.order_id
     from unnest($1::uuid[], $2::uuid[]) as sent (order_id, message_id)
     join undelivered_instruction u on u.order_id = sent.order_id
     where u.message_id = sent.message_id
       or u.kind = 'Held'`,
    [
      undelivered.map(({ submission }) => uuidOf(submission.data.orderId)),
      undelivered.map(({ submission }) => submission.id),
    ],
  );
  return new Set(rows.map((row) => idOf("po", row.order_id)));
}

/** The ids of those messages that got lost. */
export async function readLost(sql: Sql, submissions: readonly Submission[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ message_id: string }>(
    `select sent.message_id
     from unnest($1::uuid[], $2::uuid[]) as sent (order_id, message_id)
     join undelivered_instruction u on u.order_id = sent.order_id
     where u.message_id = sent.message_id
       and u.kind = 'Lost'`,
    [submissions.map(({ data }) => uuidOf(data.orderId)), submissions.map(({ id }) => id)],
  );
  return new Set(rows.map((row) => row.message_id));
}

/** An instruction that has not reached its rail. */
export interface Undelivered {
  readonly orderId: PaymentOrderId;
  readonly kind: UndeliveredKind;
  readonly rail: Rail;
}

/** Those of the orders whose instruction is withheld by an outage, or got lost. */
export async function readUndelivered(sql: Sql, orderIds: readonly PaymentOrderId[]): Promise<Undelivered[]> {
  const rows = await sql<{ order_id: string; kind: UndeliveredKind; rail: Rail }>(
    `select order_id, kind, submission #>> '{data,rail}' as rail
     from undelivered_instruction
     where order_id = any ($1::uuid[])`,
    [orderIds.map(uuidOf)],
  );
  return rows.map(({ order_id: id, kind, rail }) => ({ orderId: idOf("po", id), kind, rail }));
}

/**
 * Returns at most `limit` of the instructions that outages of a rail withhold in a book, in the order of the hand-offs,
 * and withholds them no longer. Those that had got lost before count as lost again, so that they don't get lost twice.
 */
export async function takeWithheld(sql: Sql, book: BookId, rail: Rail, limit: number): Promise<Submission[]> {
  const rows = await sql<{ submission: Submission }>(
    `with held as (
       select order_id, (submission ->> 'id')::uuid as sent, message_id <> (submission ->> 'id')::uuid as got_lost, submission
       from undelivered_instruction
       where book_id = $1
         and kind = 'Held'
         and submission #>> '{data,rail}' = $2
       order by (submission ->> 'id')::uuid
       limit $3
       for update
     ), removed as (
       delete from undelivered_instruction u
       using held
       where u.order_id = held.order_id
         and not held.got_lost
     ), lost as (
       update undelivered_instruction u
       set kind = 'Lost'
       from held
       where u.order_id = held.order_id
         and held.got_lost
     )
     select submission from held order by sent`,
    [uuidOf(book), rail, limit],
  );
  return rows.map(({ submission }) => submission);
}

/**
 * Silences the payments in flight on a rail. Locks them in order of id, as hand-offs do. A union, because what is due
 * on a book's clock and what is due in real time have an index each.
 */
export async function silence(sql: Sql, book: BookId, { rail, direction }: SilentRail): Promise<void> {
  await sql(
    `update instruction i
     set silenced = true,
         next_due_at = null
     from (
       select order_id
       from instruction
       where order_id in (
           select order_id from instruction where book_id = $1 and next_due_at is not null and on_book_clock
           union all
           select order_id from instruction where book_id = $1 and next_due_at is not null and not on_book_clock
         )
         and rail = $2
         and direction = coalesce($3, direction)
       order by order_id
       for update
     ) in_flight
     where i.order_id = in_flight.order_id
       -- One that was locked may have had its last step while this waited.
       and i.next_due_at is not null`,
    [uuidOf(book), rail, direction ?? null],
  );
}

/**
 * Lets silenced payments continue, except on rails that are still out: at most `limit`, those first whose next event is
 * due first. Returns how many. Locks them in order of id.
 */
export async function unsilence(
  sql: Sql,
  book: BookId,
  silent: readonly SilentRail[],
  limit: number,
): Promise<number> {
  const next = await sql<{ order_id: string }>(
    `select i.order_id
     from instruction i
     cross join lateral (
       select min(s.due_at) as due_at from step s where s.order_id = i.order_id and s.published_at is null
     ) due
     where i.book_id = $1
       and i.silenced
       and not exists (
         select from unnest($2::text[], $3::text[]) as o (rail, direction)
         where o.rail = i.rail
           and coalesce(o.direction, i.direction) = i.direction
       )
     order by due.due_at, i.cause_id
     limit $4`,
    [uuidOf(book), silent.map(({ rail }) => rail), silent.map(({ direction }) => direction ?? null), limit],
  );
  if (next.length === 0) return 0;
  const ids = uuidArray(next.map(({ order_id: id }) => id));
  await sql(
    `select count(*)
     from (select order_id from instruction where order_id = any ($1::uuid[]) order by order_id for update) locked`,
    [ids],
  );
  // A statement of its own, so that it sees the steps as they are once their payments are locked.
  await sql(
    `update instruction i
     set silenced = false,
         next_due_at = (
           select min(s.due_at)
           from step s
           where s.order_id = i.order_id
             and s.published_at is null
         )
     where i.order_id = any ($1::uuid[])`,
    [ids],
  );
  return next.length;
}
