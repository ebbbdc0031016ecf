import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { InstructionAccepted, InstructionSettled } from "../../../contracts/messages/rails.ts";
import { ResolveOrder } from "../../../contracts/messages/orders.ts";
import { OrdersOnTest, refusalOf } from "../../../test/stack/orders.ts";
import { until } from "../../../test/stack/until.ts";
import { RpcClient } from "../../platform/rpc/client.ts";

let orders: OrdersOnTest;
let operator: RpcClient;
beforeAll(async () => {
  orders = await OrdersOnTest.start(2);
  operator = new RpcClient(await orders.messaging.connectAs("operator"));
});
afterAll(() => orders.close());

const seen = "Bank's portal, IMAD 20260304B1QGC01C000123: paid 12:02";
const resolve = async (
  id: PaymentOrderId,
  as: "settled" | "failed",
  by: string,
  evidence = seen,
  caller = orders.caller(`operator:${by}`),
) => (await operator.request(ResolveOrder, { caller }, { id, as, by, evidence })).value;

const untilStatus = (id: PaymentOrderId, status: string) =>
  until(async () => (await orders.read(id)).status === status && orders.read(id));
const untilPhase = (id: PaymentOrderId, phase: string) =>
  until(async () => (await orders.phaseOf(id)) === phase);
const commandsOf = async (id: PaymentOrderId) =>
  (await orders.published(id))
    .map(({ type }) => type.replace(/^\w+\.|\.v1$/g, ""))
    .filter((type) => type !== "order-status-changed");

/** An order whose rail has it but never answers. */
async function stuck(rail: "Rtp" | "Ach" = "Rtp"): Promise<PaymentOrderId> {
  const { id } = await orders.create({ rail });
  await orders.holdPlaced(id);
  await untilStatus(id, "Processing");
  return id;
}

describe("an order that is stuck at its rail", () => {
  it("settles when two operators agree, as if its rail had settled it, and the history names who and why", async () => {
    const id = await stuck();
    expect(await resolve(id, "settled", "alice")).toEqual({ resolution: "Proposed", status: "Processing" });
    expect(await orders.phaseOf(id)).toBe("HandingOff");
    expect(await resolve(id, "settled", "bob")).toEqual({ resolution: "Resolved", status: "Processing" });
    expect(await commandsOf(id)).toEqual(["place-hold", "submit-instruction", "settle-hold"]);
    await orders.holdSettled(id);
    const done = await untilStatus(id, "Completed");
    expect(done.statusHistory.at(-1)).toMatchObject({
      from: "Processing",
      to: "Completed",
      actor: "operator",
      reason: `Resolved as settled by alice and bob: ${seen}`,
    });
  });

  it("fails when two operators agree; a later event of its rail changes nothing", async () => {
    const id = await stuck("Ach");
    await orders.publish(InstructionAccepted, id, {
      orderId: id,
      number: 1,
      occurredAt: "2026-03-04T17:00:00.000Z",
      railReference: { traceNumber: "7" },
    });
    await untilPhase(id, "InFlight");
    await resolve(id, "failed", "alice");
    await resolve(id, "failed", "bob");
    expect(await commandsOf(id)).toEqual(["place-hold", "submit-instruction", "release-hold"]);
    await orders.holdReleased(id);
    const failed = await untilStatus(id, "Failed");
    expect(failed.failure?.code).toBe("resolved_as_failed");
    expect(failed.statusHistory.at(-1)).toMatchObject({
      actor: "operator",
      reason: `Resolved as failed by alice and bob: ${seen}`,
    });

    // The operators were wrong: the bank did pay. The money is in Suspense, and the event is parked.
    await orders.publish(InstructionSettled, id, {
      orderId: id,
      number: 2,
      occurredAt: "2026-03-05T17:00:00.000Z",
      railReference: { traceNumber: "7" },
    });
    await until(async () => (await commandsOf(id)).includes("post-to-suspense"));
    expect((await orders.read(id)).status).toBe("Failed");
  });

  it("stays when two operators disagree: each different vote is a new proposal", async () => {
    const id = await stuck();
    await resolve(id, "settled", "alice");
    expect((await resolve(id, "failed", "bob")).resolution).toBe("Proposed");
    expect((await resolve(id, "settled", "alice")).resolution).toBe("Proposed");
    expect((await resolve(id, "settled", "carol")).resolution).toBe("Resolved");
    const votes = await orders.sql<{ vote: string }>(
      `select position || ' ' || operator || ' ' || outcome as vote
       from resolution_vote
       where order_id = $1
       order by position`,
      [uuidOf(id)],
    );
    expect(votes.map(({ vote }) => vote)).toEqual([
      "1 alice settled",
      "2 bob failed",
      "3 alice settled",
      "4 carol settled",
    ]);
  });

  it("is resolved once by ten concurrent votes; the row lock decides by which", async () => {
    const id = await stuck();
    const votes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => resolve(id, "settled", `op${String(index)}`)),
    );
    const answers = votes.flatMap((one) => (one.status === "fulfilled" ? [one.value.resolution] : []));
    expect(answers.sort()).toEqual(["Proposed", "Resolved"]);
    expect((await commandsOf(id)).filter((type) => type === "settle-hold")).toHaveLength(1);
  });
});

describe("a vote is refused and not stored if it", () => {
  it("confirms the operator's own vote", async () => {
    const id = await stuck();
    await resolve(id, "settled", "alice");
    const refusal = await refusalOf(resolve(id, "settled", "alice"));
    expect([refusal.code, refusal.message]).toEqual([
      "self_approval_not_allowed",
      "alice proposed this, so another operator must confirm it.",
    ]);
    expect(await orders.phaseOf(id)).toBe("HandingOff");
  });

  it("is for an order that is not at its rail yet, or that its rail has answered for", async () => {
    const wire = await orders.create({ rail: "Wire" });
    await orders.holdPlaced(wire.id);
    await untilStatus(wire.id, "Pending");
    const draft = await orders.create({ submit: false });
    for (const id of [wire.id, draft.id]) {
      expect((await refusalOf(resolve(id, "settled", "alice"))).code).toBe("invalid_state_transition");
    }
    const id = await stuck();
    await resolve(id, "settled", "alice");
    await resolve(id, "settled", "bob");
    const refusal = await refusalOf(resolve(id, "failed", "carol"));
    expect(refusal.message).toBe(
      "The rail has already answered for this order, so there is nothing to resolve.",
    );
  });

  it("has the account number in its evidence", async () => {
    const id = await stuck();
    const refusal = await refusalOf(resolve(id, "settled", "alice", "Paid to 4111222233334444 at noon"));
    expect(refusal.code).toBe("invalid_field");
    expect(refusal.message).not.toContain("4111222233334444");
    // Nothing was written: the same operator's clean vote is the first one.
    expect((await resolve(id, "settled", "alice")).resolution).toBe("Proposed");
  });

  it("is for another book's order", async () => {
    const id = await stuck();
    const stranger = orders.caller("operator:alice", newId("ten"));
    expect((await refusalOf(resolve(id, "settled", "alice", seen, stranger))).code).toBe("not_found");
  });

  it("comes from anybody but the operator's NATS user", async () => {
    const id = await stuck();
    const vote = { id, as: "settled", by: "mallory", evidence: seen } as const;
    await expect(orders.request(ResolveOrder, vote)).rejects.toThrow();
    expect(await orders.sql("select 1 from resolution_vote where operator = 'mallory'")).toEqual([]);
  });
});
