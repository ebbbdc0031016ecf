import { beforeAll, describe, expect, it } from "vitest";
import { newId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { ResolveOrder } from "../../../contracts/messages/orders.ts";
import { SentBackPosted } from "../../../contracts/messages/inbound.ts";
import {
  InstructionFailed,
  InstructionReturned,
  InstructionUnknown,
} from "../../../contracts/messages/rails.ts";
import { ClocksOfOrders } from "../../../test/stack/orders/clocks-of-orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal, refusalOf } from "../../../test/stack/refusals.ts";
import { asAdmin } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import { RpcClient } from "../../platform/rpc/client.ts";

const orders = new OrdersOnTest(2);
const clocks = new ClocksOfOrders(orders);
let operator: RpcClient;
beforeAll(async () => {
  operator = new RpcClient(await orders.messaging.connectAs("operator"));
});

const seen = "Bank's portal, IMAD 20260304B1QGC01C000123: paid 12:02";
const resolve = async (
  id: PaymentOrderId,
  as: "settled" | "failed",
  by: string,
  evidence = seen,
  caller = orders.caller(`operator:${by}`),
) => (await operator.request(ResolveOrder, { caller }, { id, as, by, evidence })).value;

/** An order whose rail has it but never answers. */
const stuck = (rail: "Rtp" | "Ach" = "Rtp") => orders.createdTo("HandingOff", { rail });

describe("an order that is stuck at its rail", () => {
  it("settles when two operators agree, as if its rail had settled it, and the history names who and why", async () => {
    const id = await stuck();
    expect(await resolve(id, "settled", "alice")).toEqual({ resolution: "Proposed", status: "Processing" });
    expect(await orders.phaseOf(id)).toBe("HandingOff");
    expect(await resolve(id, "settled", "bob")).toEqual({ resolution: "Resolved", status: "Processing" });
    expect(await orders.commandNames(id)).toEqual(["place-hold", "submit-instruction", "settle-hold"]);
    await orders.holdSettled(id);
    const done = await orders.untilStatus(id, "Completed");
    expect(done.statusHistory.at(-1)).toMatchObject({
      from: "Processing",
      to: "Completed",
      actor: "operator",
      reason: `Resolved as settled by alice and bob: ${seen}`,
    });
  });

  it("fails when two operators agree; a later event of its rail changes nothing", async () => {
    const id = await stuck("Ach");
    await orders.instructionAccepted(id);
    await orders.untilPhase(id, "InFlight");
    await resolve(id, "failed", "alice");
    await resolve(id, "failed", "bob");
    expect(await orders.commandNames(id)).toEqual(["place-hold", "submit-instruction", "release-hold"]);
    await orders.holdReleased(id);
    const failed = await orders.untilStatus(id, "Failed");
    expect(failed.failure?.code).toBe("resolved_as_failed");
    expect(failed.statusHistory.at(-1)).toMatchObject({
      actor: "operator",
      reason: `Resolved as failed by alice and bob: ${seen}`,
    });

    // The operators were wrong: the bank did pay. The money is in Suspense, and the event is parked.
    await orders.instructionSettled(id);
    await until(async () => (await orders.commandNames(id)).includes("post-to-suspense"));
    expect((await orders.read(id)).status).toBe("Failed");
  });

  it("settles and takes the return that was deferred until its settlement, in the same transaction", async () => {
    const caller = await clocks.manualBook("2038-02-10T15:00:00.000Z");
    const vote = (by: string) => resolve(id, "settled", by, seen, { ...caller, principal: `operator:${by}` });
    const id = await orders.createdTo("HandingOff", {}, { caller });
    const occurredAt = "2038-02-10T14:00:00.000Z";
    const details = { code: "R02", traceNumber: "021000020000001" };
    await orders.publish(InstructionReturned, id, { orderId: id, number: 3, occurredAt, ...details });
    const deferred = () => orders.sql("select 1 from deferred_event where order_id = $1", [uuidOf(id)]);
    await until(async () => (await deferred()).length === 1);
    await vote("alice");
    expect(await deferred()).toHaveLength(1);
    expect(await vote("bob")).toEqual({ resolution: "Resolved", status: "Processing" });
    expect(await orders.phaseOf(id)).toBe("ReleasingAsReturned");
    expect(await deferred()).toEqual([]);
    expect(await orders.commandNames(id)).toEqual(["place-hold", "submit-instruction", "release-hold"]);
    await orders.holdReleased(id);
    expect(await orders.untilStatus(id, "Returned")).toMatchObject({ return: { code: "R02", late: false } });
  });

  it("fails, and what was deferred for its settlement is parked for a person once its hold is released", async () => {
    const id = await stuck("Ach");
    const occurredAt = "2026-03-04T17:00:00.000Z";
    const details = { code: "R02", traceNumber: "021000020000001" };
    await orders.publish(InstructionReturned, id, { orderId: id, number: 3, occurredAt, ...details });
    const count = async (table: "deferred_event" | "parked_event", key: string) =>
      (await orders.sql(`select 1 from ${table} where order_id::text = $1`, [key])).length;
    await until(async () => (await count("deferred_event", uuidOf(id))) === 1);
    await resolve(id, "failed", "alice");
    await resolve(id, "failed", "bob");
    expect(await count("deferred_event", uuidOf(id))).toBe(1);
    await orders.holdReleased(id);
    await orders.untilStatus(id, "Failed");
    expect(await count("deferred_event", uuidOf(id))).toBe(0);
    expect(await count("parked_event", id)).toBe(1);
  });

  it("can only be resolved as settled if its receiver has sent the money back, and has its hold until then", async () => {
    const id = await stuck();
    const inboundPaymentId = newId("ip");
    await resolve(id, "failed", "alice");
    await orders.publish(SentBackPosted, id, { orderId: id, inboundPaymentId });
    await until(async () => (await orders.read(id)).sentBackBy === inboundPaymentId);

    const failed = { number: 1, occurredAt: "2026-03-04T17:00:00.000Z", code: "AC04", message: "Closed" };
    // Twice, as a rail that is asked again says it again.
    await orders.publish(InstructionFailed, id, { orderId: id, ...failed });
    await orders.publish(InstructionFailed, id, { orderId: id, ...failed });
    await orders.publish(InstructionUnknown, id, { orderId: id });
    const parked = () =>
      orders.sql<{ reason: string }>("select reason from parked_event where order_id = $1", [id]);
    await until(async () => (await parked()).length > 0);
    await expectRefusal(resolve(id, "failed", "bob"), "invalid_state_transition", {
      message: `The receiver has sent the money back (${inboundPaymentId}), so the bank has paid. Resolve the order as settled.`,
    });
    await resolve(id, "settled", "alice");
    await resolve(id, "settled", "bob");
    await orders.holdSettled(id);
    const done = await orders.untilStatus(id, "Completed");
    expect(done).toMatchObject({ failure: null, strayMovements: [], sentBackBy: inboundPaymentId });
    expect(await orders.commandNames(id)).toEqual(["place-hold", "submit-instruction", "settle-hold"]);
    expect(await parked()).toEqual([
      {
        reason:
          "rails.instruction-failed.v1: the receiver had sent the money back, so the bank has paid; the hold stays",
      },
    ]);
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

  it("stays if the second operator votes more than 24 hours later, which is a new proposal", async () => {
    const id = await stuck();
    const voteAgo = (by: string, minutes: number) =>
      asAdmin(orders.database.adminUrl, [
        `update orders.resolution_vote set at = at - $3::int * interval '1 minute'
         where order_id = $1 and operator = $2`,
        [uuidOf(id), by, minutes],
      ]);
    await resolve(id, "settled", "alice");
    await voteAgo("alice", 24 * 60 + 1);
    expect((await resolve(id, "settled", "bob")).resolution).toBe("Proposed");
    await voteAgo("bob", 24 * 60 - 1);
    expect((await resolve(id, "settled", "alice")).resolution).toBe("Resolved");
  });

  it("is resolved once by ten concurrent votes; the row lock decides by which", async () => {
    const id = await stuck();
    const votes = await Promise.allSettled(
      Array.from({ length: 10 }, (_, index) => resolve(id, "settled", `op${String(index)}`)),
    );
    const answers = votes.flatMap((one) => (one.status === "fulfilled" ? [one.value.resolution] : []));
    expect(answers.sort()).toEqual(["Proposed", "Resolved"]);
    expect((await orders.commandNames(id)).filter((type) => type === "settle-hold")).toHaveLength(1);
  });
});

describe("a vote is refused and not stored if it", () => {
  it("confirms the operator's own vote", async () => {
    const id = await stuck();
    await resolve(id, "settled", "alice");
    await expectRefusal(resolve(id, "settled", "alice"), "self_approval_not_allowed", {
      message: "alice proposed this, so another operator must confirm it.",
    });
    await expectRefusal(resolve(id, "settled", "a1ice"), "self_approval_not_allowed");
    expect(await orders.phaseOf(id)).toBe("HandingOff");
  });

  it("is for an order that is not at its rail yet, or that its rail has answered for", async () => {
    const draft = await orders.create({ submit: false });
    for (const id of [await orders.waitingWire(), draft.id]) {
      await expectRefusal(resolve(id, "settled", "alice"), "invalid_state_transition");
    }
    const id = await stuck();
    await resolve(id, "settled", "alice");
    await resolve(id, "settled", "bob");
    await expectRefusal(resolve(id, "failed", "carol"), "invalid_state_transition", {
      message: "The rail has already answered for this order, so there is nothing to resolve.",
    });
  });

  it.each(["4111222233334444", "4111 2222 3333 4444", "4111-2222.3333-4444"])(
    "has the account number in its evidence: %s",
    async (written) => {
      const id = await stuck();
      const refusal = await refusalOf(resolve(id, "settled", "alice", `Paid to ${written} at noon`));
      expect(refusal.code).toBe("invalid_field");
      expect(refusal.message).not.toContain(written);
      // Nothing was written: the same operator's clean vote is the first one.
      expect((await resolve(id, "settled", "alice")).resolution).toBe("Proposed");
    },
  );

  it("is for another book's order", async () => {
    const id = await stuck();
    const stranger = orders.caller("operator:alice", newId("ten"));
    await expectRefusal(resolve(id, "settled", "alice", seen, stranger), "not_found");
  });

  it("comes from anybody but the operator's NATS user", async () => {
    const id = await stuck();
    const vote = { id, as: "settled", by: "mallory", evidence: seen } as const;
    await expect(orders.request(ResolveOrder, vote)).rejects.toThrow();
    expect(await orders.sql("select 1 from resolution_vote where operator = 'mallory'")).toEqual([]);
  });
});
