import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { ApproveOrder, CancelOrder } from "../../../contracts/messages/orders.ts";
import { InstructionUnknown } from "../../../contracts/messages/rails.ts";
import { TenantStatusChanged } from "../../../contracts/messages/tenants.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { OrdersOnTest, refusalOf } from "../../../test/stack/orders.ts";
import { until } from "../../../test/stack/until.ts";
import { PhaseTimeouts } from "../lifecycle/phase-timeouts.worker.ts";

let orders: OrdersOnTest;
beforeAll(async () => {
  orders = await OrdersOnTest.start();
});
afterAll(() => orders.close());

const untilPhase = (id: PaymentOrderId, phase: string) =>
  until(async () => (await orders.phaseOf(id)) === phase);
const commandsTo = async (id: PaymentOrderId) =>
  (await orders.published(id)).filter(({ type }) => !type.startsWith("orders."));

/** A wire that holds its money and waits for two approvals. */
async function aWaitingWire(): Promise<PaymentOrderId> {
  const { id } = await orders.create({ rail: "Wire" });
  await orders.holdPlaced(id);
  await untilPhase(id, "AwaitingApproval");
  return id;
}

describe("approval", () => {
  it("of a wire needs two principals other than its maker, and then hands it off", async () => {
    const id = await aWaitingWire();
    expect((await orders.read(id)).approval).toMatchObject({ required: 2, received: 0 });
    expect((await orders.approve(id, "ann")).value).toMatchObject({
      status: "Pending",
      approval: { received: 1 },
    });
    const { value } = await orders.approve(id, "ben");
    expect(value).toMatchObject({
      status: "Processing",
      approval: { required: 2, received: 2, approvals: [{ principal: "ann" }, { principal: "ben" }] },
    });
    expect((await commandsTo(id)).map(({ type }) => type)).toEqual([
      "ledger.place-hold.v1",
      "rails.submit-instruction.v1",
    ]);
  });

  it("can be given before the hold is placed, and counts when the gate is reached", async () => {
    const { id } = await orders.create({ amountCents: 1_000_001 });
    expect((await orders.approve(id, "ann")).value.status).toBe("Submitted");
    await orders.holdPlaced(id);
    await untilPhase(id, "HandingOff");
  });

  it("is refused from the maker, from the same principal twice, and once enough are given", async () => {
    const id = await aWaitingWire();
    expect(await refusalOf(orders.approve(id, "maker"))).toMatchObject({ code: "self_approval_not_allowed" });
    await orders.approve(id, "ann");
    expect(await refusalOf(orders.approve(id, "ann"))).toMatchObject({
      code: "duplicate_approval",
      context: { required: 2, received: 1 },
    });
    await orders.approve(id, "ben");
    expect(await refusalOf(orders.approve(id, "cat"))).toMatchObject({
      code: "invalid_state_transition",
      context: { currentStatus: "Processing" },
    });
  });

  it("counts once when the same key is used ten times at once", async () => {
    const id = await aWaitingWire();
    const requested = Array.from({ length: 10 }, () =>
      orders.request(ApproveOrder, { id }, { caller: orders.caller("ann"), key: `approve ${id}` }),
    );
    const answers = await Promise.all(requested);
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1);
    expect((await orders.read(id)).approval.received).toBe(1);
  });
});

describe("cancel", () => {
  it("releases the hold and records why", async () => {
    const id = await aWaitingWire();
    const { value } = await orders.request(CancelOrder, { id, reason: "Ordered twice" });
    expect(value).toMatchObject({ status: "Pending", cancellable: false });
    await orders.holdReleased(id);
    await untilPhase(id, "Cancelled");
    expect(await orders.read(id)).toMatchObject({ status: "Cancelled", cancelReason: "Ordered twice" });
    expect((await orders.published(id)).at(-1)).toMatchObject({
      data: { status: "Cancelled", cancelReason: "Ordered twice" },
    });
  });

  it("is refused once the order is at its rail, and once it is final", async () => {
    const { id } = await orders.create();
    await orders.holdPlaced(id);
    await untilPhase(id, "HandingOff");
    expect(await refusalOf(orders.cancel(id))).toMatchObject({
      code: "order_not_cancellable",
      context: { currentStatus: "Processing", allowedStatuses: ["Draft", "Submitted", "Pending"] },
    });
    const draft = await orders.create({ submit: false });
    expect((await orders.cancel(draft.id)).value.status).toBe("Cancelled");
    expect(await refusalOf(orders.cancel(draft.id))).toMatchObject({ code: "order_not_cancellable" });
  });

  it("races with the hand-off: one wins, the other is refused, and the rail gets what the winner decided", async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, aWaitingWire));
    await Promise.all(ids.map((id) => orders.approve(id, "ann")));
    for (const id of ids) {
      const [cancelled, approved] = await Promise.allSettled([orders.cancel(id), orders.approve(id, "ben")]);
      expect([cancelled.status, approved.status].sort()).toEqual(["fulfilled", "rejected"]);
      const commands = (await commandsTo(id)).map(({ type }) => type);
      expect(commands).toEqual([
        "ledger.place-hold.v1",
        cancelled.status === "fulfilled" ? "ledger.release-hold.v1" : "rails.submit-instruction.v1",
      ]);
    }
  });
});

describe("somebody else's order", () => {
  it("is not found, like one that does not exist and an id that is malformed", async () => {
    const { id } = await orders.create();
    const stranger = orders.caller("maker", newId("ten"));
    for (const requested of [id, newId("po"), "po_nonsense", newId("la"), ""]) {
      const refusal = await refusalOf(orders.request(CancelOrder, { id: requested }, { caller: stranger }));
      expect([requested, refusal.code]).toEqual([requested, "not_found"]);
    }
    expect((await orders.read(id)).status).toBe("Submitted");
  });
});

describe("a phase timeout", () => {
  const timeOutIn = (ms: number) =>
    orders.instances[0]!.app.get(PhaseTimeouts).processDue(new Date(Date.now() + ms));

  it("sends the ledger the same command again", async () => {
    const { id } = await orders.create();
    await timeOutIn(11_000);
    const [first, again] = await commandsTo(id);
    expect(again?.id).not.toBe(first?.id);
    expect([again?.type, again?.data]).toEqual([first?.type, first?.data]);
  });

  it("asks a silent rail by our reference, and submits again only if the rail does not know it", async () => {
    const { id } = await orders.create();
    await orders.holdPlaced(id);
    await untilPhase(id, "HandingOff");
    await timeOutIn(4_000);
    const types = async () => (await commandsTo(id)).map(({ type }) => type.split(".")[1]);
    expect(await types()).toEqual(["place-hold", "submit-instruction", "inquire-instruction"]);
    await orders.publish(InstructionUnknown, id, { orderId: id });
    await until(async () => (await types()).length === 4);
    const submitted = (await commandsTo(id)).filter(({ type }) => type === "rails.submit-instruction.v1");
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
    expect(await dueIn()).toBeLessThan(35_000);
  });

  /** Publishes the operator's status of the tenant, and waits until orders has applied it. */
  const setTenantActive = async (active: boolean, time = new Date().toISOString()) => {
    const { book, tenant } = orders.caller();
    const event = createMessage(TenantStatusChanged, {
      book,
      subject: tenant,
      data: { tenantId: tenant, active },
    });
    await orders.messaging.publish(`${TenantStatusChanged.subject}.p00`, { messages: [{ ...event, time }] });
    await until(
      async () => (await orders.sql("select 1 from inbox where message_id = $1", [event.id])).length === 1,
    );
  };

  it("releases an order whose tenant was suspended, once the tenant is active again", async () => {
    const { id } = await orders.create();
    await setTenantActive(false);
    await orders.holdPlaced(id);
    await untilPhase(id, "AwaitingApproval");
    await timeOutIn(31_000);
    expect(await orders.phaseOf(id)).toBe("AwaitingApproval");
    await setTenantActive(true);
    await timeOutIn(120_000);
    expect(await orders.phaseOf(id)).toBe("HandingOff");
  });

  it("follows the operator's latest event, not the one that arrived last", async () => {
    await setTenantActive(true);
    await setTenantActive(false, "2026-01-02T09:00:00.000Z");
    const { id } = await orders.create();
    await orders.holdPlaced(id);
    await expect(untilPhase(id, "HandingOff")).resolves.toBe(true);
  });

  it("never hands off an order that was tampered with, and does not let it delay the others", async () => {
    const [tampered, sound] = [await aWaitingWire(), await orders.create()];
    const { default: pg } = await import("pg");
    const admin = new pg.Client(orders.database.adminUrl);
    await admin.connect();
    await admin.query("set session_replication_role = replica"); // so that no trigger fires
    await admin.query("update orders.payment_order set amount_cents = 999999 where id = $1", [
      uuidOf(tampered),
    ]);
    await admin.end();
    await timeOutIn(60_000);
    expect(await orders.phaseOf(tampered)).toBe("AwaitingApproval");
    expect((await commandsTo(sound.id)).length).toBeGreaterThanOrEqual(2);
    expect(
      await refusalOf(orders.approve(tampered, "ann").then(() => orders.approve(tampered, "ben"))),
    ).toMatchObject({
      code: "internal_error",
    });
    expect((await commandsTo(tampered)).map(({ type }) => type)).toEqual(["ledger.place-hold.v1"]);
  });
});
