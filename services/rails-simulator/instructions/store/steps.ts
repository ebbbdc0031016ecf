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
  said_at: Date | null;
}

export interface OrderSteps {
  readonly orderId: PaymentOrderId;
  readonly steps: readonly ScheduledStep[];
}

/** Stores scheduled steps, said and unsaid, of any number of orders in one statement. */
export async function insertSteps(sql: Sql, orders: readonly OrderSteps[]): Promise<void> {
  const rows = orders.flatMap(({ orderId, steps }) =>
    steps.map((step) => ({ orderId: uuidOf(orderId), ...step })),
  );
  if (rows.length === 0) return;
  await sql(
    `insert into step (order_id, number, kind, code, message, due_at, said_at)
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
      rows.map(({ saidAt }) => saidAt?.toISOString() ?? null),
    ],
  );
}

/** The steps of orders by order, in order of number. The instructions' locks must be held. */
export async function readSteps(
  sql: Sql,
  orderIds: readonly PaymentOrderId[],
): Promise<Map<PaymentOrderId, ScheduledStep[]>> {
  const rows = await sql<StepRow>(
    `select s.*
     from unnest($1::uuid[]) as asked (order_id)
     cross join lateral (
       select order_id, number, kind, code, message, due_at, said_at
       from step
       where order_id = asked.order_id
       order by number
       offset 0
     ) s`,
    [orderIds.map(uuidOf)],
  );
  const steps = new Map<PaymentOrderId, ScheduledStep[]>(orderIds.map((orderId) => [orderId, []]));
  for (const row of rows) steps.get(idOf("po", row.order_id))?.push(stepOf(row));
  return steps;
}

/** Marks steps as said at `at`. */
export async function markSaid(
  sql: Sql,
  said: readonly { orderId: PaymentOrderId; number: number }[],
  at: Date,
): Promise<void> {
  await sql(
    `update step s
     set said_at = $3
     from unnest($1::uuid[], $2::int[]) as now (order_id, number)
     where s.order_id = now.order_id
       and s.number = now.number`,
    [said.map(({ orderId }) => uuidOf(orderId)), said.map(({ number }) => number), at.toISOString()],
  );
}

/** Drops what nobody has heard yet: an injection takes its place. */
export async function dropUnsaid(sql: Sql, orderId: PaymentOrderId): Promise<void> {
  await sql("delete from step where order_id = $1 and said_at is null", [uuidOf(orderId)]);
}

function stepOf(row: StepRow): ScheduledStep {
  return { number: row.number, event: eventOf(row), dueAt: row.due_at, saidAt: row.said_at };
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
