import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId, type PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { DenyOrder } from "../../../contracts/messages/orders.ts";
import { OrdersOnTest, refusalOf } from "../../../test/stack/orders.ts";
import { until } from "../../../test/stack/until.ts";

let orders: OrdersOnTest;
beforeAll(async () => {
  orders = await OrdersOnTest.start();
});
afterAll(() => orders.close());

const untilPhase = (id: PaymentOrderId, phase: string) =>
  until(async () => (await orders.phaseOf(id)) === phase);
const deny = (id: string, principal = "ann", key?: string) =>
  orders.request(
    DenyOrder,
    { id, reason: "Not our supplier" },
    { caller: orders.caller(principal), ...(key === undefined ? {} : { key }) },
  );

async function aWaitingWire(): Promise<PaymentOrderId> {
  const { id } = await orders.create({ rail: "Wire" });
  await orders.holdPlaced(id);
  await untilPhase(id, "AwaitingApproval");
  return id;
}

describe("deny", () => {
  it("releases the hold, cancels the order, and names who denied it and why", async () => {
    const id = await aWaitingWire();
    expect((await deny(id)).value).toMatchObject({ status: "Pending", cancellable: false });
    expect((await orders.published(id)).at(-1)).toMatchObject({ type: "ledger.release-hold.v1" });
    await orders.holdReleased(id);
    await untilPhase(id, "Cancelled");
    const denied = await orders.read(id);
    expect(denied).toMatchObject({ status: "Cancelled", cancelReason: "Not our supplier" });
    expect(denied.statusHistory.at(-1)).toMatchObject({
      from: "Pending",
      to: "Cancelled",
      actor: "ann",
      reason: "Not our supplier",
    });
    expect((await orders.published(id)).at(-1)).toMatchObject({
      type: "orders.order-status-changed.v1",
      data: { status: "Cancelled", cancelReason: "Not our supplier" },
    });
  });

  it("is allowed to the maker too, because it moves no money", async () => {
    const id = await aWaitingWire();
    expect((await deny(id, "maker")).value.cancellable).toBe(false);
  });

  it("refuses every later approval, cancellation and denial", async () => {
    const id = await aWaitingWire();
    await orders.approve(id, "ben");
    await deny(id);
    const pending = { currentStatus: "Pending" };
    expect(await refusalOf(orders.approve(id, "cat"))).toMatchObject({
      code: "invalid_state_transition",
      context: pending,
    });
    expect(await refusalOf(orders.cancel(id))).toMatchObject({
      code: "order_not_cancellable",
      context: pending,
    });
    expect(await refusalOf(deny(id))).toMatchObject({ code: "invalid_state_transition", context: pending });
  });

  it("is done once per Idempotency-Key", async () => {
    const id = await aWaitingWire();
    const first = await deny(id, "ann", `deny ${id}`);
    const again = await deny(id, "ann", `deny ${id}`);
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again.value).toEqual(first.value);
  });

  it("is refused for an order that waits for no approval", async () => {
    const draft = await orders.create({ rail: "Wire", submit: false });
    const submitted = await orders.create({ rail: "Wire" });
    const gone = await orders.create();
    await orders.holdPlaced(gone.id);
    await untilPhase(gone.id, "HandingOff");
    for (const [{ id }, currentStatus] of [
      [draft, "Draft"],
      [submitted, "Submitted"],
      [gone, "Processing"],
    ] as const) {
      expect(await refusalOf(deny(id))).toMatchObject({
        code: "invalid_state_transition",
        context: { currentStatus, allowedStatuses: ["Pending"] },
      });
    }
    expect(await orders.phaseOf(submitted.id)).toBe("ReservingFunds");
  });

  it("does not find another book's order", async () => {
    const id = await aWaitingWire();
    const caller = orders.caller("ann", newId("ten"));
    expect(await refusalOf(orders.request(DenyOrder, { id, reason: "No" }, { caller }))).toMatchObject({
      code: "not_found",
    });
  });
});
