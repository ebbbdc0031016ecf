import type {
  SimulationLogEntry,
  SimulationLogKind,
} from "../../../../contracts/http/sandbox/simulation-log.ts";
import {
  type BookId,
  idOf,
  type InjectionId,
  newUuid,
  type PaymentOrderId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import { timeInSql } from "../../../platform/clock/book-clocks.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** Something that was done to the simulation of a book. */
export interface LogEntry {
  readonly book: BookId;
  readonly kind: SimulationLogKind;
  /** Who did it; null for the rail itself. */
  readonly actor: string | null;
  /** The time in the book; without it, that of the transaction. */
  readonly bookTime?: Date | undefined;
  readonly orderId?: PaymentOrderId | undefined;
  readonly injectionId?: InjectionId | undefined;
  readonly details: SimulationLogEntry["details"];
}

/** Writes what was done, in the transaction that does it. */
export async function insertLogEntries(sql: Sql, entries: readonly LogEntry[]): Promise<void> {
  await sql(
    `insert into simulation_log (book_id, entry_id, kind, actor, book_time, order_id, injection_id, details)
     select e.book_id, e.entry_id, e.kind, e.actor,
       coalesce(
         e.book_time,
         (select ${timeInSql("b", "now()")} from book_clock b where b.book_id = e.book_id),
         now()
       ),
       e.order_id, e.injection_id, e.details
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::uuid[], $7::uuid[], $8::jsonb[])
       as e (book_id, entry_id, kind, actor, book_time, order_id, injection_id, details)`,
    [
      entries.map(({ book }) => uuidOf(book)),
      entries.map(() => newUuid()),
      entries.map(({ kind }) => kind),
      entries.map(({ actor }) => actor),
      entries.map(({ bookTime }) => bookTime?.toISOString() ?? null),
      entries.map(({ orderId }) => (orderId === undefined ? null : uuidOf(orderId))),
      entries.map(({ injectionId }) => (injectionId === undefined ? null : uuidOf(injectionId))),
      entries.map(({ details }) => JSON.stringify(details)),
    ],
  );
}

interface LogRow {
  entry_id: string;
  kind: SimulationLogKind;
  actor: string | null;
  book_time: Date;
  order_id: string | null;
  injection_id: string | null;
  details: SimulationLogEntry["details"];
  created_at: Date;
}

/** An entry with the uuid that a page continues after. */
export interface StoredLogEntry {
  readonly uuid: string;
  readonly entry: SimulationLogEntry;
}

const columns = "entry_id, kind, actor, book_time, order_id, injection_id, details, created_at";

/** The book's entries before `before`, newest first, `limit + 1` of them; of one order, if it is given. */
export async function listLogEntries(
  sql: Sql,
  book: BookId,
  { before, limit, orderId }: { before: string; limit: number; orderId: PaymentOrderId | undefined },
): Promise<StoredLogEntry[]> {
  const params = [uuidOf(book), before, limit + 1];
  const rows =
    orderId === undefined
      ? await sql<LogRow>(
          `select ${columns}
           from simulation_log
           where book_id = $1
             and entry_id < $2
           order by entry_id desc
           limit $3`,
          params,
        )
      : await sql<LogRow>(
          `select ${columns}
           from simulation_log
           where book_id = $1
             and entry_id < $2
             and order_id = $4
           order by entry_id desc
           limit $3`,
          [...params, uuidOf(orderId)],
        );
  return rows.map((row) => ({
    uuid: row.entry_id,
    entry: {
      kind: row.kind,
      at: row.created_at.toISOString(),
      bookTime: row.book_time.toISOString(),
      by: row.actor,
      paymentOrderId: row.order_id === null ? null : idOf("po", row.order_id),
      injectionId: row.injection_id === null ? null : idOf("inj", row.injection_id),
      details: row.details,
    },
  }));
}
