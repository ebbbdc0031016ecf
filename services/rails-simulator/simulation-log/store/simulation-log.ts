import type {
  SimulationLogEntry,
  SimulationLogKind,
} from "../../../../contracts/http/sandbox/simulation-log.ts";
import {
  type BookId,
  type InjectionId,
  newUuid,
  type PaymentOrderId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";

/** Something that was done to the simulation of a book. */
export interface LogEntry {
  readonly book: BookId;
  readonly kind: SimulationLogKind;
  /** Who did it; null for the rail itself. */
  readonly actor: string | null;
  readonly bookTime: Date;
  readonly orderId?: PaymentOrderId | undefined;
  readonly injectionId?: InjectionId | undefined;
  readonly details: SimulationLogEntry["details"];
}

/** Writes what was done, in the transaction that does it. */
export async function insertLogEntries(sql: Sql, entries: readonly LogEntry[]): Promise<void> {
  await sql(
    `insert into simulation_log (book_id, entry_id, kind, actor, book_time, order_id, injection_id, details)
     select * from unnest(
       $1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::uuid[], $7::uuid[], $8::jsonb[]
     )`,
    [
      entries.map(({ book }) => uuidOf(book)),
      entries.map(() => newUuid()),
      entries.map(({ kind }) => kind),
      entries.map(({ actor }) => actor),
      entries.map(({ bookTime }) => bookTime.toISOString()),
      entries.map(({ orderId }) => (orderId === undefined ? null : uuidOf(orderId))),
      entries.map(({ injectionId }) => (injectionId === undefined ? null : uuidOf(injectionId))),
      entries.map(({ details }) => JSON.stringify(details)),
    ],
  );
}
