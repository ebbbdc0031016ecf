import type { ClockAdvance } from "../../../../contracts/http/sandbox/clock.ts";
import {
  type BookId,
  type ClockAdvanceId,
  idOf,
  type TenantId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** A job that advances a book's clock. */
export interface Advance {
  readonly id: ClockAdvanceId;
  readonly book: BookId;
  readonly tenant: TenantId;
  readonly requestedBy: string;
  readonly status: ClockAdvance["status"];
  readonly from: Date;
  readonly to: Date;
  readonly steps: number;
  readonly waitingFor: string | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

interface AdvanceRow {
  advance_id: string;
  book_id: string;
  tenant_id: string;
  requested_by: string;
  status: ClockAdvance["status"];
  from_time: Date;
  to_time: Date;
  steps: number;
  waiting_for: string | null;
  created_at: Date;
  ended_at: Date | null;
}

const columns = `advance_id, book_id, tenant_id, requested_by, status, from_time, to_time, steps, waiting_for, created_at,
  ended_at`;

const isFree = "status <> 'Done' and (leased_until is null or leased_until < clock_timestamp())";

function advanceOf(row: AdvanceRow): Advance {
  return {
    id: idOf("adv", row.advance_id),
    book: idOf("book", row.book_id),
    tenant: idOf("ten", row.tenant_id),
    requestedBy: row.requested_by,
    status: row.status,
    from: row.from_time,
    to: row.to_time,
    steps: row.steps,
    waitingFor: row.waiting_for,
    createdAt: row.created_at,
    endedAt: row.ended_at,
  };
}

export async function insertAdvance(
  sql: Sql,
  advance: Pick<Advance, "id" | "book" | "tenant" | "requestedBy" | "from" | "to">,
): Promise<Advance> {
  const { id, book, tenant, requestedBy, from, to } = advance;
  const [row] = await sql<AdvanceRow>(
    `insert into clock_advance (advance_id, book_id, tenant_id, requested_by, from_time, to_time)
     values ($1, $2, $3, $4, $5, $6)
     returning ${columns}`,
    [uuidOf(id), uuidOf(book), uuidOf(tenant), requestedBy, from, to],
  );
  if (row === undefined) throw new Error("the advance was not stored");
  return advanceOf(row);
}

export async function readAdvance(sql: Sql, book: BookId, id: ClockAdvanceId): Promise<Advance | undefined> {
  const [row] = await sql<AdvanceRow>(
    `select ${columns}
     from clock_advance
     where book_id = $1
       and advance_id = $2`,
    [uuidOf(book), uuidOf(id)],
  );
  return row === undefined ? undefined : advanceOf(row);
}

/** The advance of the book that is under way. */
export async function readUnderWay(sql: Sql, book: BookId): Promise<Advance | undefined> {
  const [row] = await sql<AdvanceRow>(
    `select ${columns}
     from clock_advance
     where book_id = $1
       and status <> 'Done'`,
    [uuidOf(book)],
  );
  return row === undefined ? undefined : advanceOf(row);
}

/** Books with an advance that no instance carries out, those that rested longest first; none of the books `except`. */
export async function booksToAdvance(sql: Sql, limit: number, except: readonly BookId[]): Promise<BookId[]> {
  const rows = await sql<{ book_id: string }>(
    `select book_id
     from clock_advance
     where ${isFree}
       and book_id <> all ($2::uuid[])
     order by leased_until nulls first, created_at
     limit $1`,
    [limit, except.map(uuidOf)],
  );
  return rows.map((row) => idOf("book", row.book_id));
}

/** Takes the advance of a book if no instance carries it out. It is this runner's until the lease ends. */
export async function claimAdvance(
  sql: Sql,
  book: BookId,
  runner: string,
  leaseMs: number,
): Promise<Advance | undefined> {
  const [row] = await sql<AdvanceRow>(
    `update clock_advance
     set runner = $2,
         leased_until = clock_timestamp() + $3 * interval '1 millisecond'
     where (book_id, advance_id) in (
       select book_id, advance_id
       from clock_advance
       where book_id = $1
         and ${isFree}
       for update skip locked
     )
     returning ${columns}`,
    [uuidOf(book), runner, leaseMs],
  );
  return row === undefined ? undefined : advanceOf(row);
}

/** Renews the lease with the advance's state. Returns false if another instance has taken it over. */
export async function updateAdvance(
  sql: Sql,
  { book, id }: Pick<Advance, "book" | "id">,
  runner: string,
  state: Pick<Advance, "status" | "steps" | "waitingFor">,
  leaseMs: number,
): Promise<boolean> {
  const rows = await sql(
    `update clock_advance
     set status = $4,
         steps = $5,
         waiting_for = $6,
         ended_at = case when $4 = 'Done' then clock_timestamp() end,
         leased_until = clock_timestamp() + $7 * interval '1 millisecond'
     where book_id = $1
       and advance_id = $2
       and runner = $3
       and status <> 'Done'
     returning 1`,
    [uuidOf(book), uuidOf(id), runner, state.status, state.steps, state.waitingFor, leaseMs],
  );
  return rows.length > 0;
}

/** Lets any instance take the advance, after `restMs`. */
export async function releaseAdvance(
  sql: Sql,
  { book, id }: Pick<Advance, "book" | "id">,
  runner: string,
  restMs: number,
): Promise<void> {
  await sql(
    `update clock_advance
     set leased_until = clock_timestamp() + $4 * interval '1 millisecond'
     where book_id = $1
       and advance_id = $2
       and runner = $3`,
    [uuidOf(book), uuidOf(id), runner, restMs],
  );
}
