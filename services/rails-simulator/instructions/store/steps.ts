import { idOf, type PaymentOrderId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import type { RailEvent } from "../domain/instruction.ts";
import type { ScheduledStep } from "../domain/schedule.ts";

interface StepRow {
  order_id: string;
  number: number;
  kind: RailEvent["kind"];
  code: string | null;
  message: string | null;
  due_at: Date | null;
  published_at: Date | null;
}

export interface OrderSteps {
  readonly orderId: PaymentOrderId;
  readonly steps: readonly ScheduledStep[];
}

/** Inserts scheduled steps, published and unpublished, of any number of orders in one statement. */
export async function insertSteps(sql: Sql, orders: readonly OrderSteps[]): Promise<void> {
  const rows = orders.flatMap(({ orderId, steps }) =>
    steps.map((step) => ({ orderId: uuidOf(orderId), ...step })),
  );
  if (rows.length === 0) return;
  await sql(
    `insert into step (order_id, number, kind, code, message, due_at, published_at)
     select * from unnest(
       $1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], $7::timestamptz[]
     )`,
    [
      rows.map(({ orderId }) => orderId),
      rows.map(({ number }) => number),
      rows.map(({ event }) => event.kind),
      rows.map(({ event }) => ("code" in event ? event.code : null)),
      rows.map(({ event }) => ("message" in event ? event.message : null)),
      rows.map(({ dueAt }) => dueAt?.toISOString() ?? null),
      rows.map(({ publishedAt }) => publishedAt?.toISOString() ?? null),
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
       select order_id, number, kind, code, message, due_at, published_at
       from step
       where order_id = wanted.order_id
       order by number
       offset 0
     ) s`,
    [orderIds.map(uuidOf)],
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
      steps.map(({ orderId }) => uuidOf(orderId)),
      steps.map(({ number }) => number),
      steps.map(({ at }) => at.toISOString()),
    ],
  );
}

/** Deletes the unpublished steps of an order: an injection replaces them. */
export async function deleteUnpublished(sql: Sql, orderId: PaymentOrderId): Promise<void> {
  await sql("delete from step where order_id = $1 and published_at is null", [uuidOf(orderId)]);
}

function stepOf(row: StepRow): ScheduledStep {
  return { number: row.number, event: eventOf(row), dueAt: row.due_at, publishedAt: row.published_at };
}

function eventOf({ kind, code, message }: StepRow): RailEvent {
  switch (kind) {
    case "Accepted":
    case "Settled":
      return { kind };
    case "Failed":
      return { kind, code: code ?? "", message: message ?? "" };
    case "Returned":
      return { kind, code: code ?? "" };
  }
}
