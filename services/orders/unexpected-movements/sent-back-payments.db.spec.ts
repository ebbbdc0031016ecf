import { describe, expect, it } from "vitest";
import { newId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { SentBackPosted } from "../../../contracts/messages/inbound.ts";
import { PostToSuspense, ReleaseHold } from "../../../contracts/messages/ledger.ts";
import { InstructionFailed } from "../../../contracts/messages/rails.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { until } from "../../../test/stack/until.ts";

const orders = new OrdersOnTest(2);
const occurredAt = "2026-03-04T17:00:00.000Z";

/** An order of Rtp at its rail. */
async function atItsRail(): Promise<PaymentOrderId> {
  const { id } = await orders.create({ rail: "Rtp" });
  await orders.holdPlaced(id);
  await orders.untilStatus(id, "Processing");
  return id;
}
/** Its rail reports a failure, and orders asks the ledger to release the hold. */
async function fails(orderId: PaymentOrderId): Promise<void> {
  const failure = { orderId, number: 1, occurredAt, code: "AC04", message: "Closed" };
  await orders.publish(InstructionFailed, orderId, failure);
  // Another instance may apply what is published next.
  await orders.untilPhase(orderId, "ReleasingAsFailed");
}
const sendsBack = (orderId: PaymentOrderId, isHoldKept: boolean, inboundPaymentId = newId("ip")) =>
  orders.publish(SentBackPosted, orderId, { orderId, inboundPaymentId, isHoldKept });
const deferred = (id: PaymentOrderId) =>
  orders.sql("select 1 from deferred_event where order_id = $1", [uuidOf(id)]);
const parked = (id: PaymentOrderId) =>
  orders.sql<{ reason: string }>("select reason from parked_event where order_id = $1", [id]);

describe("an order whose money its receiver sends back", () => {
  it("shows the inbound payment, the first one, and nothing else of it changes", async () => {
    const id = await atItsRail();
    // Also while it settles: the two services don't wait for each other.
    const [first, second] = [newId("ip"), newId("ip")];
    await sendsBack(id, true, first);
    await until(async () => (await orders.read(id)).sentBackBy === first);
    await orders.instructionSettled(id);
    await sendsBack(id, true, second);
    await orders.holdSettled(id);
    const completed = await orders.untilStatus(id, "Completed");
    expect(completed).toMatchObject({ sentBackBy: first, return: null, strayMovements: [] });
    expect((await orders.create()).sentBackBy).toBeNull();
  });

  it("goes back to its rail if the ledger keeps the hold that it has asked to release, and a person decides", async () => {
    const id = await atItsRail();
    await fails(id);
    expect(await orders.published(id, ReleaseHold)).toMatchObject([{ data: { unpaid: true } }]);
    await sendsBack(id, true);
    await orders.untilPhase(id, "InFlight");
    expect(await parked(id)).toEqual([
      { reason: expect.stringMatching(/the hold stays \(the bank had reported AC04\)$/) as string },
    ]);
    expect(await orders.read(id)).toMatchObject({ status: "Processing", failure: null });
    await orders.instructionSettled(id);
    await orders.holdSettled(id);
    await orders.untilStatus(id, "Completed");
  });

  it("takes the settlement that came before the ledger's answer: its hold settles, and Suspense pays nothing", async () => {
    const id = await atItsRail();
    await fails(id);
    await orders.instructionSettled(id);
    await until(async () => (await deferred(id)).length === 1);
    await sendsBack(id, false);
    await sendsBack(id, true);
    await orders.untilPhase(id, "Settling");
    await orders.holdSettled(id);
    expect(await orders.untilStatus(id, "Completed")).toMatchObject({ strayMovements: [] });
    expect(await orders.published(id, PostToSuspense)).toEqual([]);
    expect(await deferred(id)).toEqual([]);
  });

  it("ends as it was about to if its hold was released before: Suspense pays what settled", async () => {
    const id = await atItsRail();
    await fails(id);
    await orders.instructionSettled(id);
    await until(async () => (await deferred(id)).length === 1);
    await sendsBack(id, false);
    await orders.holdReleased(id);
    expect(await orders.untilStatus(id, "Failed")).toMatchObject({
      failure: { code: "AC04" },
      strayMovements: [{ movement: "Settlement" }],
    });
    expect(await orders.published(id, PostToSuspense)).toHaveLength(1);
  });
});
