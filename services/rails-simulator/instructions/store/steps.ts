import { idOf, type PaymentOrderId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { idArray } from "../../../platform/persistence/uuid-array.ts";
import type { CorrectedData, RailEvent } from "../domain/instruction.ts";
import type { ScheduledStep } from "../domain/schedule.ts";

interface StepRow {
  order_id: string;
  number: number;
  kind: RailEvent["kind"];
  code: string | null;
  message: string | null;
  corrected_data: CorrectedData | null;
  repetition: number;
  reference: string | null;
  copies: number;
  due_at: Date | null;
  due_when_asked: Date | null;
  published_at: Date | null;
}

const columns = `order_id, number, kind, code, message, corrected_data, repetition, reference, copies, due_at,
  due_when_asked, published_at`;

export interface OrderSteps {
  readonly orderId: PaymentOrderId;
  readonly steps: readonly ScheduledStep[];
}

/** Inserts scheduled steps, published and unpublished, of any number of orders in one statement. */
export async function insertSteps(sql: Sql, orders: readonly OrderSteps[]): Promise<void> {
  const rows = orders.flatMap(({ orderId, steps }) => steps.map((step) => ({ orderId, ...step })));
  if (rows.length === 0) return;
  await sql(
    `insert into step (${columns})
     select * from unnest(
       $1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::smallint[], $8::text[],
       $9::smallint[], $10::timestamptz[], $11::timestamptz[], $12::timestamptz[]
     )`,
    [
      idArray(rows.map(({ orderId }) => orderId)),
      arrayLiteral(rows.map(({ number }) => number)),
      arrayLiteral(rows.map(({ event }) => event.kind)),
      rows.map(({ event }) => ("code" in event ? event.code : null)),
      rows.map(({ event }) => ("message" in event ? event.message : null)),
      rows.map(({ event }) => ("correctedData" in event ? JSON.stringify(event.correctedData) : null)),
      arrayLiteral(rows.map(({ event }) => ("repetition" in event ? (event.repetition ?? 0) : 0))),
      rows.map(({ event }) => ("reference" in event ? event.reference : null)),
      arrayLiteral(rows.map(({ copies }) => copies)),
      arrayLiteral(rows.map(({ dueAt }) => dueAt?.toISOString() ?? null)),
      arrayLiteral(rows.map(({ dueWhenAsked }) => dueWhenAsked?.toISOString() ?? null)),
      arrayLiteral(rows.map(({ publishedAt }) => publishedAt?.toISOString() ?? null)),
    ],
  );
}

/** The steps of orders by order, in order of number. Call `lockInstructions` first. */
export async function readSteps(
  sql: Sql,
  orderIds: readonly PaymentOrderId[],
): Promise<Map<PaymentOrderId, ScheduledStep[]>> {
  const rows = await sql<StepRow>(
    `select s.*
     from unnest($1::uuid[]) as wanted (order_id)
     cross join lateral (
       select ${columns}
       from step
       where order_id = wanted.order_id
       order by number
       offset 0
     ) s`,
    [idArray(orderIds)],
  );
  const steps = new Map<PaymentOrderId, ScheduledStep[]>(orderIds.map((orderId) => [orderId, []]));
  for (const row of rows) steps.get(idOf("po", row.order_id))?.push(stepOf(row));
  return steps;
}

/** Marks steps as published, each at its time. */
export async function markPublished(
  sql: Sql,
  steps: readonly { orderId: PaymentOrderId; number: number; at: Date }[],
): Promise<void> {
  await sql(
    `update step s
     set published_at = now.published_at
     from unnest($1::uuid[], $2::int[], $3::timestamptz[]) as now (order_id, number, published_at)
     where s.order_id = now.order_id
       and s.number = now.number`,
    [
      idArray(steps.map(({ orderId }) => orderId)),
      arrayLiteral(steps.map(({ number }) => number)),
      arrayLiteral(steps.map(({ at }) => at.toISOString())),
    ],
  );
}

/** Stores the due times of steps that waited for an inquiry and have not been published by it. */
export async function updateDue(sql: Sql, orders: readonly OrderSteps[]): Promise<void> {
  const rows = orders.flatMap(({ orderId, steps }) =>
    steps.flatMap(({ number, dueAt, dueWhenAsked, publishedAt }) =>
      publishedAt === null && dueWhenAsked !== null ? [{ orderId, number, dueAt }] : [],
    ),
  );
  if (rows.length === 0) return;
  await sql(
    `update step s
     set due_at = asked.due_at
     from unnest($1::uuid[], $2::int[], $3::timestamptz[]) as asked (order_id, number, due_at)
     where s.order_id = asked.order_id
       and s.number = asked.number`,
    [
      idArray(rows.map(({ orderId }) => orderId)),
      arrayLiteral(rows.map(({ number }) => number)),
      arrayLiteral(rows.map(({ dueAt }) => dueAt?.toISOString() ?? null)),
    ],
  );
}

/** Deletes the unpublished steps of an order from a number on: an injection replaces them. */
export async function deleteUnpublished(
  sql: Sql,
  orderId: PaymentOrderId,
  fromNumber: number,
): Promise<void> {
  await sql("delete from step where order_id = $1 and published_at is null and number >= $2", [
    uuidOf(orderId),
    fromNumber,
  ]);
}

function stepOf(row: StepRow): ScheduledStep {
  const { number, due_at: dueAt, due_when_asked: dueWhenAsked, copies, published_at: publishedAt } = row;
  return { number, event: eventOf(row), dueAt, dueWhenAsked, copies, publishedAt };
}

function eventOf(row: StepRow): RailEvent {
  const { kind, code, message, repetition, corrected_data: correctedData, reference } = row;
  switch (kind) {
    case "Accepted":
    case "Settled":
      return { kind };
    case "Failed":
      return { kind, code: code ?? "", message: message ?? "" };
    case "Returned":
      return { kind, code: code ?? "", ...(repetition === 0 ? {} : { repetition }) };
    case "NoticeOfChange":
      return { kind, code: code ?? "", correctedData: correctedData ?? {} };
    case "UnmatchedReturn":
      return { kind, code: code ?? "", reference: reference ?? "" };
    case "SentBack":
      return { kind, reference: reference ?? "" };
  }
}
