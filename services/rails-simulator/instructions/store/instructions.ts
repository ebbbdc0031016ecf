import {
  type BookId,
  idOf,
  type PaymentOrderId,
  type TenantId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type {
  OrderDirection,
  Rail,
  RailReference,
  EncryptedAccountNumber,
} from "../../../../contracts/rails/rails.ts";
import type { Cause } from "../../../platform/messages/message.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { idArray, uuidArray } from "../../../platform/persistence/uuid-array.ts";
import type { Injection } from "../domain/injection.ts";
import type { CorrectedData, Instruction } from "../domain/instruction.ts";
import type { Scenario } from "../domain/scenarios.ts";

/** An instruction as handed off: what the rail needs to move the money, and the cause of its later events. */
export interface HandOff extends Instruction {
  readonly counterpartyRoutingNumber: string;
  readonly counterpartyAccountNumber: Pick<EncryptedAccountNumber, "keyId" | "ciphertext">;
  readonly statementDescriptor: string | undefined;
  readonly reason: Scenario["reason"];
  readonly submittedAt: Date;
  readonly nextDueAt: Date | null;
  /** `nextDueAt` is a time of the book's own clock. */
  readonly onBookClock: boolean;
  /** Whom the money comes from. Set where it may arrive at a virtual account. */
  readonly originator: { readonly tenantId: TenantId; readonly name: string } | undefined;
  readonly cause: Cause;
}

/** A locked row: an instruction that was handed off, or an injection that waits for the hand-off. */
export type StoredInstruction =
  | {
      readonly state: "AtRail";
      readonly instruction: Instruction;
      readonly submittedAt: Date;
      /** Its rail is out, and says nothing of it. */
      readonly silenced: boolean;
      readonly cause: Cause;
    }
  | {
      readonly state: "PendingInjection";
      readonly orderId: PaymentOrderId;
      readonly injection: Injection | null;
    };

export interface InstructionRow {
  order_id: string;
  book_id: string;
  submitted_at: Date | null;
  rail: Rail;
  direction: OrderDirection;
  amount_cents: bigint;
  rail_reference: RailReference;
  counterparty_name: string | null;
  silenced: boolean;
  pending_action: Injection["action"] | null;
  pending_code: string | null;
  pending_corrected_data: CorrectedData | null;
  correlation_id: string;
  cause_id: string | null;
  traceparent: string | null;
}

export const rowColumns = `order_id, book_id, submitted_at, rail, direction, amount_cents, rail_reference,
  counterparty_name, silenced, pending_action, pending_code, pending_corrected_data, correlation_id, cause_id, traceparent`;

const handOffColumns = `order_id, book_id, submitted_at, rail, direction, amount_cents, counterparty_name,
  counterparty_routing_number, account_key_id, account_ciphertext, statement_descriptor, rail_reference, reason,
  next_due_at, on_book_clock, originator_tenant_id, originator_name, correlation_id, cause_id, traceparent`;

const handOffArrays = `unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::bigint[],
  $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::jsonb[], $13::text[], $14::timestamptz[],
  $15::boolean[], $16::uuid[], $17::text[], $18::text[], $19::uuid[], $20::text[])`;

function arraysOf(handOffs: readonly HandOff[]): unknown[] {
  return [
    idArray(handOffs.map(({ orderId }) => orderId)),
    idArray(handOffs.map(({ book }) => book)),
    arrayLiteral(handOffs.map(({ submittedAt }) => submittedAt.toISOString())),
    arrayLiteral(handOffs.map(({ rail }) => rail)),
    arrayLiteral(handOffs.map(({ direction }) => direction)),
    arrayLiteral(handOffs.map(({ amountCents }) => amountCents)),
    handOffs.map(({ counterpartyName }) => counterpartyName),
    handOffs.map(({ counterpartyRoutingNumber }) => counterpartyRoutingNumber),
    handOffs.map(({ counterpartyAccountNumber }) => counterpartyAccountNumber.keyId),
    handOffs.map(({ counterpartyAccountNumber }) => counterpartyAccountNumber.ciphertext),
    handOffs.map(({ statementDescriptor }) => statementDescriptor ?? null),
    handOffs.map(({ railReference }) => JSON.stringify(railReference)),
    arrayLiteral(handOffs.map(({ reason }) => reason)),
    arrayLiteral(handOffs.map((handOff) => handOff.nextDueAt?.toISOString() ?? null)),
    arrayLiteral(handOffs.map(({ onBookClock }) => onBookClock)),
    idArray(handOffs.map(({ originator }) => originator?.tenantId ?? null)),
    handOffs.map(({ originator }) => originator?.name ?? null),
    handOffs.map(({ cause }) => cause.correlationid),
    uuidArray(handOffs.map(({ cause }) => cause.id ?? null)),
    handOffs.map(({ cause }) => cause.traceparent ?? null),
  ];
}

/**
 * Inserts new instructions and returns their order ids. Leaves out an order that has a row already; waits for another
 * transaction that is inserting one. Inserts in the given order: sort by order id.
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

/** Turns pending injections into instructions. Call `lockInstructions` first. */
export async function updateHandOffs(sql: Sql, handOffs: readonly HandOff[]): Promise<void> {
  await sql(
    `update instruction i
     set (${handOffColumns}) = (${handOffColumns.replace(/\w+/g, "h.$&")})
     from ${handOffArrays} as h (${handOffColumns})
     where i.order_id = h.order_id`,
    arraysOf(handOffs),
  );
}

/** Locks the rows of these orders in order of id; waits for rows that are locked. */
export async function lockInstructions(
  sql: Sql,
  orderIds: readonly PaymentOrderId[],
): Promise<StoredInstruction[]> {
  const rows = await sql<InstructionRow>(
    `select i.*
     from unnest($1::uuid[]) as wanted (order_id)
     cross join lateral (
       select ${rowColumns} from instruction where order_id = wanted.order_id for update
     ) i`,
    [idArray(orderIds.toSorted())],
  );
  return rows.map(toStoredInstruction);
}

/** Where an instruction sends the money, and whom it comes from. */
export type Route = Pick<HandOff, "counterpartyRoutingNumber" | "counterpartyAccountNumber" | "originator">;

/** The routes of orders that were handed off. */
export async function readRoutes(
  sql: Sql,
  orderIds: readonly PaymentOrderId[],
): Promise<ReadonlyMap<PaymentOrderId, Route>> {
  const rows = await sql<{
    order_id: string;
    routing: string;
    keyId: string;
    ciphertext: string;
    tenant: string | null;
    name: string | null;
  }>(
    `select i.*
     from unnest($1::uuid[]) as wanted (order_id)
     cross join lateral (
       select order_id, counterparty_routing_number as routing, account_key_id as "keyId",
         account_ciphertext as ciphertext, originator_tenant_id as tenant, originator_name as name
       from instruction
       where order_id = wanted.order_id
       offset 0
     ) i`,
    [idArray(orderIds)],
  );
  return new Map(
    rows.map(({ order_id, routing, tenant, name, ...counterpartyAccountNumber }) => {
      const originator = tenant === null ? undefined : { tenantId: idOf("ten", tenant), name: name ?? "" };
      const route = { counterpartyRoutingNumber: routing, counterpartyAccountNumber, originator };
      return [idOf("po", order_id), route] as const;
    }),
  );
}

/** When the next step of an instruction is due; null for none. */
export interface NextDue {
  readonly orderId: PaymentOrderId;
  readonly nextDueAt: Date | null;
  /** Whether its book has a clock of its own by now. */
  readonly hasOwnClock: boolean;
}

/** Updates when the next step of instructions is due, and on which clock. Call `lockInstructions` first. */
export async function updateNextDue(sql: Sql, changes: readonly NextDue[]): Promise<void> {
  await sql(
    `update instruction i
     set next_due_at = c.next_due_at,
         on_book_clock = i.on_book_clock or c.has_own_clock
     from unnest($1::uuid[], $2::timestamptz[], $3::boolean[]) as c (order_id, next_due_at, has_own_clock)
     where i.order_id = c.order_id`,
    [
      idArray(changes.map(({ orderId }) => orderId)),
      arrayLiteral(changes.map((change) => change.nextDueAt?.toISOString() ?? null)),
      arrayLiteral(changes.map(({ hasOwnClock }) => hasOwnClock)),
    ],
  );
}

/**
 * Stores an injection for an order that was not handed off yet; the last one replaces earlier ones. A concurrent
 * hand-off waits for this row, so that it can't miss the injection.
 * @returns false if the order was handed off: then nothing is stored, and the row is locked.
 */
export async function savePendingInjection(
  sql: Sql,
  book: BookId,
  orderId: PaymentOrderId,
  injection: Injection,
): Promise<boolean> {
  const rows = await sql(
    `insert into instruction as i (order_id, book_id, pending_action, pending_code, pending_corrected_data)
     values ($1, $2, $3, $4, $5)
     on conflict (order_id) do update
     set pending_action = excluded.pending_action,
         pending_code = excluded.pending_code,
         pending_corrected_data = excluded.pending_corrected_data
     where i.submitted_at is null
     returning order_id`,
    [
      uuidOf(orderId),
      uuidOf(book),
      injection.action,
      injection.code,
      "correctedData" in injection ? JSON.stringify(injection.correctedData) : null,
    ],
  );
  return rows.length > 0;
}

export function toStoredInstruction(row: InstructionRow): StoredInstruction {
  const orderId = idOf("po", row.order_id);
  if (row.submitted_at === null) {
    const { pending_action: action, pending_code: code, pending_corrected_data: correctedData } = row;
    const corrects = correctedData === null ? {} : { correctedData };
    const injection = action === null ? null : ({ action, code, ...corrects } as Injection);
    return { state: "PendingInjection", orderId, injection };
  }
  return {
    state: "AtRail",
    submittedAt: row.submitted_at,
    silenced: row.silenced,
    instruction: {
      orderId,
      book: idOf("book", row.book_id),
      rail: row.rail,
      direction: row.direction,
      amountCents: Number(row.amount_cents),
      railReference: row.rail_reference,
      counterpartyName: row.counterparty_name ?? "",
    },
    cause: {
      correlationid: row.correlation_id,
      ...(row.cause_id === null ? {} : { id: row.cause_id }),
      ...(row.traceparent === null ? {} : { traceparent: row.traceparent }),
    },
  };
}
