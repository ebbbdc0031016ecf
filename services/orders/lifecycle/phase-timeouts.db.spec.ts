import { describe, expect, it } from "vitest";
import { newId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { InstructionUnknown, SubmitInstruction } from "../../../contracts/messages/rails.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import { refusalOf } from "../../../test/stack/refusals.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import { PhaseTimeouts } from "./phase-timeouts.worker.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { readsOf } from "../../../test/stack/database/plans.ts";
import { withGuardsOff } from "../../../test/stack/database/guards-off.ts";

const orders = new OrdersOnTest();

/** Raises an order's amount as somebody could who may do everything in the database. */
async function tamperWith(id: PaymentOrderId): Promise<void> {
  const admin = await connectTo(orders.database.adminUrl);
  try {
    await withGuardsOff(
      (text) => admin.query(text),
      "orders",
      () => admin.query("update orders.payment_order set amount_cents = 999999 where id = $1", [uuidOf(id)]),
    );
  } finally {
    await admin.end();
  }
}

describe("a phase timeout", () => {
  const valueOf = async (metric: { get(): Promise<{ values: { value: number }[] }> }) =>
    (await metric.get()).values[0]?.value ?? 0;
  const timeOutIn = (ms: number) => orders.get(PhaseTimeouts).processDue(new Date(Date.now() + ms));

  it("sends the ledger the same command again", async () => {
    const { id } = await orders.create();
    await timeOutIn(11_000);
    const [first, again] = await orders.commands(id);
    expect(again?.id).not.toBe(first?.id);
    expect([again?.type, again?.data]).toEqual([first?.type, first?.data]);
  });

  it("asks a silent rail by the order id, and submits again only if the rail does not know it", async () => {
    const id = await orders.createdTo("HandingOff");
    await timeOutIn(4_000);
    // The service's own worker asks, too, once three seconds have passed.
    expect((await orders.commands(id)).slice(0, 3).map(({ type }) => type)).toEqual([
      "ledger.place-hold.v1",
      "rails.submit-instruction.v1",
      "rails.inquire-instruction.v1",
    ]);
    const submissions = () => orders.published(id, SubmitInstruction);
    expect(await submissions()).toHaveLength(1);
    await orders.publish(InstructionUnknown, id, { orderId: id });
    await until(async () => (await submissions()).length >= 2);
    const submitted = await submissions();
    expect(submitted[1]?.data).toEqual(submitted[0]?.data);
    expect(await orders.phaseOf(id)).toBe("HandingOff");
  });

  it("doubles the wait each time", async () => {
    const { id } = await orders.create();
    const dueIn = async () => {
      const [row] = await orders.sql<{ ms: number }>(
        "select round(extract(epoch from due_at - updated_at) * 1000)::int as ms from payment_order where id = $1",
        [uuidOf(id)],
      );
      return row?.ms ?? 0;
    };
    expect(await dueIn()).toBe(10_000);
    await timeOutIn(10_000);
    // Timed out at +10 s, due 20 s after that.
    expect(await dueIn()).toBeGreaterThanOrEqual(30_000);
    expect(await dueIn()).toBeLessThan(45_000);
  });

  it("never hands off an order that was tampered with, and does not let it delay the others", async () => {
    const [tampered, sound] = [await orders.waitingWire(), await orders.create()];
    await tamperWith(tampered);
    const failed = orders.get(Metrics).counter("orders_failed_timeouts_total", "");
    const before = await valueOf(failed);
    // One that waits for approvals comes each hour.
    await timeOutIn(7_200_000);
    expect(await orders.phaseOf(tampered)).toBe("AwaitingApproval");
    expect(await valueOf(failed)).toBeGreaterThan(before);
    expect((await orders.commands(sound.id)).length).toBeGreaterThanOrEqual(2);
    expect(
      await refusalOf(orders.approve(tampered, "ann").then(() => orders.approve(tampered, "ben"))),
    ).toMatchObject({ code: "internal_error" });
    expect((await orders.commands(tampered)).map(({ type }) => type)).toEqual(["ledger.place-hold.v1"]);
  });

  it("of an order that was tampered with comes again after a minute, and not at once", async () => {
    const id = await orders.waitingWire();
    const dueAt = async () => {
      const [row] = await orders.sql<{ due_at: Date }>("select due_at from payment_order where id = $1", [
        uuidOf(id),
      ]);
      return row!.due_at;
    };
    await tamperWith(id);
    const first = await dueAt();
    await orders.get(PhaseTimeouts).processDue(first);
    expect((await dueAt()).getTime() - first.getTime()).toBe(60_000);
  });

  it("measures, by an index, how long the oldest event has waited for its order's phase", async () => {
    const oldest = orders.get(Metrics).gauge("orders_oldest_deferred_event_seconds", "");
    const add = (minutes: number) =>
      orders.sql(
        `insert into deferred_event (book_id, order_id, message_id, event, received_at)
         values ($1, $2, gen_random_uuid(), '{}', now() - $3::int * interval '1 minute')`,
        [uuidOf(orders.caller().book), uuidOf(newId("po")), minutes],
      );
    await timeOutIn(7_200_000);
    expect(await valueOf(oldest)).toBe(0);
    await Promise.all([add(30), add(90), add(60)]);
    await timeOutIn(10_800_000);
    expect(Math.round((await valueOf(oldest)) / 60)).toBe(90);
    const text = "select min(received_at) from deferred_event";
    expect((await readsOf((sql, params) => orders.sql(sql, params), text)).sequentialScans).toEqual([]);
    await orders.sql("delete from deferred_event where event = '{}'");
  });

  it("of a book whose rows can't be updated fails alone, and comes again once the cause is gone", async () => {
    const stranger = orders.stranger();
    const [bad, sound] = [await orders.create({}, { caller: stranger }), await orders.create()];
    const timeouts = async ({ id }: { id: PaymentOrderId }) => {
      const count = "(progress -> 'timers' ->> 'timeoutCount')::int";
      const [row] = await orders.sql<{ count: number }>(
        `select ${count} as count from payment_order where id = $1`,
        [uuidOf(id)],
      );
      return row?.count;
    };
    const cure = await poisonBook(orders.database.adminUrl, "orders.payment_order", stranger.book);
    await timeOutIn(11_000);
    expect([await timeouts(bad), await timeouts(sound)]).toEqual([0, 1]);
    await cure();
    await timeOutIn(17_000);
    expect(await timeouts(bad)).toBe(1);
  });
});
