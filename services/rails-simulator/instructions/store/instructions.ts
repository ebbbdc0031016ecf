import { type BookId, idOf, type PaymentOrderId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type {
  OrderDirection,
  Rail,
  RailReference,
  EncryptedAccountNumber,
} from "../../../../contracts/rails/rails.ts";
import type { Cause } from "../../../platform/messages/message.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { Injection } from "../domain/injection.ts";
import type { Instruction } from "../domain/instruction.ts";

/** An instruction as it rests: what the rail needs to move the money, and the trace that its events belong to. */
export interface HandOff extends Instruction {
  readonly counterpartyName: string;
  readonly counterpartyRoutingNumber: string;
  readonly counterpartyAccountNumber: Pick<EncryptedAccountNumber, "keyId" | "ciphertext">;
  readonly statementDescriptor: string | undefined;
  readonly reason: string;
  readonly submittedAt: Date;
  readonly nextDueAt: Date | null;
  readonly cause: Cause;
}

/** A row found and locked: handed off, or still awaited with what QA wants to happen then. */
export type Found =
  | { readonly state: "AtRail"; readonly instruction: Instruction; readonly cause: Cause }
  | { readonly state: "Awaited"; readonly orderId: PaymentOrderId; readonly kept: Injection | null };

interface InstructionRow {
  order_id: string;
  book_id: string;
  submitted_at: Date | null;
  rail: Rail;
  direction: OrderDirection;
  amount_cents: bigint;
  rail_reference: RailReference;
  kept_action: Injection["action"] | null;
  kept_code: string | null;
  correlation_id: string;
  cause_id: string | null;
  traceparent: string | null;
}

const rowColumns = `order_id, book_id, submitted_at, rail, direction, amount_cents, rail_reference, kept_action,
  kept_code, correlation_id, cause_id, traceparent`;

const handOffColumns = `order_id, book_id, submitted_at, rail, direction, amount_cents, counterparty_name,
  counterparty_routing_number, account_key_id, account_ciphertext, statement_descriptor, rail_reference, reason,
  next_due_at, correlation_id, cause_id, traceparent`;

const handOffArrays = `unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::bigint[],
  $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::jsonb[], $13::text[], $14::timestamptz[],
  $15::text[], $16::uuid[], $17::text[])`;

function arraysOf(handOffs: readonly HandOff[]): unknown[][] {
  return [
    handOffs.map(({ orderId }) => uuidOf(orderId)),
    handOffs.map(({ book }) => uuidOf(book)),
    handOffs.map(({ submittedAt }) => submittedAt.toISOString()),
    handOffs.map(({ rail }) => rail),
    handOffs.map(({ direction }) => direction),
    handOffs.map(({ amountCents }) => amountCents),
    handOffs.map(({ counterpartyName }) => counterpartyName),
    handOffs.map(({ counterpartyRoutingNumber }) => counterpartyRoutingNumber),
    handOffs.map(({ counterpartyAccountNumber }) => counterpartyAccountNumber.keyId),
    handOffs.map(({ counterpartyAccountNumber }) => counterpartyAccountNumber.ciphertext),
    handOffs.map(({ statementDescriptor }) => statementDescriptor ?? null),
    handOffs.map(({ railReference }) => JSON.stringify(railReference)),
    handOffs.map(({ reason }) => reason),
    handOffs.map((handOff) => handOff.nextDueAt?.toISOString() ?? null),
    handOffs.map(({ cause }) => cause.correlationid),
    handOffs.map(({ cause }) => cause.id ?? null),
    handOffs.map(({ cause }) => cause.traceparent ?? null),
  ];
}

/**
 * Stores instructions that nobody knows yet and gives their order ids. An id that is here already, or is being
 * stored by another transaction (waited for), is left out. Rows go in in the order given: sort them by order id.
 */
export async function insertHandOffs(sql: Sql, handOffs: readonly HandOff[]): Promise<Set<PaymentOrderId>> {
  const rows = await sql<{ order_id: string }>(
    `insert into instruction (${handOffColumns})
     select * from ${handOffArrays}
     on conflict (order_id) do nothing
     returning order_id`,
    arraysOf(handOffs),
  );
  return new Set(rows.map((row) => idOf("po", row.order_id)));
}

/** Turns awaited rows into instructions. Their locks must be held (`lockInstructions`). */
export async function fillHandOffs(sql: Sql, handOffs: readonly HandOff[]): Promise<void> {
  await sql(
    `update instruction i
     set (${handOffColumns}) = (${handOffColumns.replace(/\w+/g, "h.$&")})
     from ${handOffArrays} as h (${handOffColumns})
     where i.order_id = h.order_id`,
    arraysOf(handOffs),
  );
}

/** Finds and locks what is known of these orders, in order of id; waits for whoever holds a row. */
export async function lockInstructions(sql: Sql, orderIds: readonly PaymentOrderId[]): Promise<Found[]> {
  const rows = await sql<InstructionRow>(
    `select i.*
     from unnest($1::uuid[]) as asked (order_id)
     cross join lateral (
       select ${rowColumns} from instruction where order_id = asked.order_id for update
     ) i`,
    [[...orderIds].map(uuidOf).sort()],
  );
  return rows.map(foundOf);
}

/** Claims instructions with a step due at `at`; rows that another instance has in hand are its own to finish. */
export async function claimDue(sql: Sql, at: Date, most: number): Promise<Found[]> {
  const rows = await sql<InstructionRow>(
    `select ${rowColumns}
     from instruction
     where next_due_at <= $1
     order by next_due_at
     limit $2
     for update skip locked`,
    [at.toISOString(), most],
  );
  return rows.map(foundOf);
}

/** Whether anything is due: one cheap look, so that an idle loop opens no transaction. */
export async function anythingDue(sql: Sql, at: Date): Promise<boolean> {
  const [row] = await sql("select 1 from instruction where next_due_at <= $1 limit 1", [at.toISOString()]);
  return row !== undefined;
}

/** Says when instructions have their next step due; null for none. Their locks must be held. */
export async function setNextDue(
  sql: Sql,
  changes: readonly { orderId: PaymentOrderId; nextDueAt: Date | null }[],
): Promise<void> {
  await sql(
    `update instruction i
     set next_due_at = c.next_due_at
     from unnest($1::uuid[], $2::timestamptz[]) as c (order_id, next_due_at)
     where i.order_id = c.order_id`,
    [
      changes.map(({ orderId }) => uuidOf(orderId)),
      changes.map((change) => change.nextDueAt?.toISOString() ?? null),
    ],
  );
}

/**
 * Keeps an injection for an order that is not at its rail yet; the last one counts. The row made here is what a
 * hand-off at the same moment waits for, so that neither misses the other.
 * @returns false when the order is at its rail: then nothing is kept, and the row is locked.
 */
export async function keepInjection(
  sql: Sql,
  book: BookId,
  orderId: PaymentOrderId,
  injection: Injection,
): Promise<boolean> {
  const rows = await sql(
    `insert into instruction as i (order_id, book_id, kept_action, kept_code)
     values ($1, $2, $3, $4)
     on conflict (order_id) do update
     set kept_action = excluded.kept_action, kept_code = excluded.kept_code
     where i.submitted_at is null
     returning order_id`,
    [uuidOf(orderId), uuidOf(book), injection.action, injection.code],
  );
  return rows.length > 0;
}

function foundOf(row: InstructionRow): Found {
  const orderId = idOf("po", row.order_id);
  if (row.submitted_at === null) {
    const { kept_action: action, kept_code: code } = row;
    return { state: "Awaited", orderId, kept: action === null ? null : ({ action, code } as Injection) };
  }
  return {
    state: "AtRail",
    instruction: {
      orderId,
      book: idOf("book", row.book_id),
      rail: row.rail,
      direction: row.direction,
      amountCents: Number(row.amount_cents),
      railReference: row.rail_reference,
    },
    cause: {
      correlationid: row.correlation_id,
      ...(row.cause_id === null ? {} : { id: row.cause_id }),
      ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
    },
  };
}
