import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { approve, cancel, simulate, submit } from "../../world/actions.ts";
import { linesOf, receivedEventsOf, statusesOf, allStatuses } from "../../world/story.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

const world = await forThisFile(OwnWorld.start({ isPatient: true, env: { COMPLETED_ORDERS_LOGGED: "1" } }));

/** The event of that type as the owner received it. */
const eventOf = (orderId: string, type: string) =>
  world.receiver.eventsOf(orderId).find((event) => event.type === type)?.data;

it("writes one line to the log at its end, which names its request and its trace", async () => {
  const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const payer = await world.payerWith(usd("100.00"));
  const { body, headers } = await world.post<{ id: string }>("/v1/payment-orders", payer.body(usd("40.00")), {
    headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` },
  });
  await world.comesToRest(body.id);
  const lineWith = (...texts: string[]) =>
    until(`a line with ${texts.join(", ")}`, () => {
      const lines = world.lines.filter((line) => texts.every((text) => line.includes(text)));
      return lines.length > 0 && lines.map((line) => JSON.parse(line.slice(line.indexOf("{"))) as object);
    });
  const requestId = headers.get("x-request-id") ?? "";
  const location = `/v1/payment-orders/${body.id}`;
  expect(await lineWith(`"location":"${location}"`)).toMatchObject([
    { req: { id: requestId, method: "POST" } },
  ]);
  expect(await lineWith("order ended", body.id)).toMatchObject([
    { orderId: body.id, status: "Completed", requestId, traceId: trace },
  ]);
});

describe.concurrent("returned before it settled", () => {
  it("gives the payer their money back when the bank finds no such account", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await payer.pays(usd("40.00"), { rail: "Ach", to: "100003" });
    const returned = await world.comesToRest(order.id);

    expect(statusesOf(returned)).toEqual(["Draft", "Submitted", "Pending", "Processing", "Returned"]);
    expect(returned.return).toEqual({
      id: expect.stringMatching(/^ret_/),
      code: "R03",
      reason: "NoAccount",
      receivedAt: expect.any(String),
      late: false,
    });
    expect(await payer.balance()).toEqual({ posted: usd("100.00"), held: 0, available: usd("100.00") });
    expect(await linesOf(payer, order.id)).toEqual([
      "Hold: Debit 4000 Pending",
      "Discharge: Credit 4000 Pending",
    ]);
    expect(await receivedEventsOf(world, order.id, 4)).toEqual([
      "1 payment_order.submitted",
      "2 payment_order.pending",
      "3 payment_order.processing",
      "4 payment_order.returned",
    ]);
    expect(eventOf(order.id, "payment_order.returned")).toMatchObject({
      status: "Returned",
      previousStatus: "Processing",
      return: { code: "R03", reason: "NoAccount" },
      late: false,
    });
  });

  it("collects nothing when the counterparty lacks the funds", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await payer.collects(usd("25.00"), { to: "100001" });
    const returned = await world.comesToRest(order.id);

    expect(returned.status).toBe("Returned");
    expect(returned.return).toMatchObject({ code: "R01", reason: "InsufficientFunds", late: false });
    expect(await payer.account()).toMatchObject({
      postedBalanceCents: usd("100.00"),
      pendingInboundCents: 0,
    });
    expect(await linesOf(payer, order.id)).toEqual([
      "Hold: Credit 2500 Pending",
      "Discharge: Debit 2500 Pending",
    ]);
  });
});

describe.concurrent("returned after it completed", () => {
  it("stays Completed, attaches the return, and offsets the entries", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await payer.pays(usd("40.00"), { rail: "Ach", to: "200002" });
    const late = await world.reaches(order.id, (seen) => seen.return !== null);

    expect(statusesOf(late)).toEqual(allStatuses);
    expect(late.status).toBe("Completed");
    expect(late.return).toMatchObject({ code: "R02", reason: "AccountClosed", late: true });
    expect(await payer.balance()).toEqual({ posted: usd("100.00"), held: 0, available: usd("100.00") });
    expect(await linesOf(payer, order.id)).toEqual([
      "Hold: Debit 4000 Pending",
      "Discharge: Credit 4000 Pending",
      "Settle: Debit 4000 Posted",
      "LateReturn: Credit 4000 Posted",
    ]);
    const [offset, settled] = (await payer.entries()).filter(({ status }) => status === "Posted");
    expect(offset?.reversesEntryId).toBe(settled?.id);
    expect(await receivedEventsOf(world, order.id, 5)).toEqual([
      "1 payment_order.submitted",
      "2 payment_order.pending",
      "3 payment_order.processing",
      "4 payment_order.completed",
      "5 payment_order.returned",
    ]);
    expect(eventOf(order.id, "payment_order.returned")).toMatchObject({
      status: "Completed",
      return: { code: "R02" },
      late: true,
    });
  });

  it("books a collection's late return below zero, because the bank has already taken the money", async () => {
    const payer = await world.payerWith(0);
    const collection = await payer.collects(usd("50.00"));
    await world.comesToRest(collection.id);
    await world.comesToRest((await payer.pays(usd("40.00"))).id);

    expect((await simulate(world, collection.id, "late-return", { code: "R10" })).body.effect).toBe(
      "Applied",
    );
    const late = await world.reaches(collection.id, (seen) => seen.return !== null);
    expect(late.return).toMatchObject({ code: "R10", reason: "NotAuthorized", late: true });
    expect(await payer.balance()).toEqual({ posted: usd("-40.00"), held: 0, available: usd("-40.00") });
  });
});

describe.concurrent("failed", () => {
  it("carries the rail's own code when the receiver's bank rejects the payment", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await payer.pays(usd("40.00"), { rail: "Rtp", to: "300404" });
    const failed = await world.comesToRest(order.id);

    expect(statusesOf(failed)).toEqual(["Draft", "Submitted", "Pending", "Processing", "Failed"]);
    expect(failed.failure).toEqual({ code: "AC04", message: "The receiver's account is closed" });
    expect(await payer.balance()).toEqual({ posted: usd("100.00"), held: 0, available: usd("100.00") });
    expect(eventOf(order.id, "payment_order.failed")).toMatchObject({ failure: { code: "AC04" } });
  });

  it("is created, and then fails for insufficient funds without a hold", async () => {
    const payer = await world.payerWith(usd("39.99"));
    const order = await payer.pays(usd("40.00"));
    expect(order.status).toBe("Submitted");
    const failed = await world.comesToRest(order.id);

    expect(statusesOf(failed)).toEqual(["Draft", "Submitted", "Failed"]);
    expect(failed.failure?.code).toBe("insufficient_funds");
    expect(await payer.balance()).toEqual({ posted: usd("39.99"), held: 0, available: usd("39.99") });
    expect(await linesOf(payer, order.id)).toEqual([]);
    expect(await receivedEventsOf(world, order.id, 2)).toEqual([
      "1 payment_order.submitted",
      "2 payment_order.failed",
    ]);
    expect(eventOf(order.id, "payment_order.failed")).toMatchObject({
      failure: { code: "insufficient_funds" },
    });
  });

  it("never spends the same money twice, however many try at once", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const orders = await Promise.all(Array.from({ length: 5 }, () => payer.pays(usd("30.00"))));
    const ended = await Promise.all(orders.map(({ id }) => world.comesToRest(id)));
    expect(ended.map(({ status }) => status).sort()).toEqual([
      "Completed",
      "Completed",
      "Completed",
      "Failed",
      "Failed",
    ]);
    expect(await payer.balance()).toEqual({ posted: usd("10.00"), held: 0, available: usd("10.00") });
  });
});

describe.concurrent("a rail that does not answer", () => {
  it("is inquired by the order id, and then settles: a timeout is not a failure", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await payer.pays(usd("40.00"), { rail: "Rtp", to: "400000" });
    await world.reaches(order.id, ({ status }) => status === "Processing");
    expect(await payer.balance()).toEqual({
      posted: usd("100.00"),
      held: usd("40.00"),
      available: usd("60.00"),
    });

    const completed = await world.comesToRest(order.id);
    expect(statusesOf(completed)).toEqual(allStatuses);
    expect(await payer.balance()).toEqual({ posted: usd("60.00"), held: 0, available: usd("60.00") });
  });
});

describe.concurrent("cancelled", () => {
  it("releases the hold if it was waiting for approval, and keeps the reason", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await payer.pays(usd("40.00"), { rail: "Wire" });
    await world.reaches(order.id, ({ status }) => status === "Pending");
    expect((await payer.balance()).available).toBe(usd("60.00"));

    expect((await cancel(world, order.id, "Sent by mistake")).status).toBe(200);
    const cancelled = await world.comesToRest(order.id);
    expect(statusesOf(cancelled)).toEqual(["Draft", "Submitted", "Pending", "Cancelled"]);
    expect(cancelled.cancelReason).toBe("Sent by mistake");
    expect(cancelled.cancellable).toBe(false);
    expect(await payer.balance()).toEqual({ posted: usd("100.00"), held: 0, available: usd("100.00") });
    expect(await linesOf(payer, order.id)).toEqual([
      "Hold: Debit 4000 Pending",
      "Discharge: Credit 4000 Pending",
    ]);
    expect(eventOf(order.id, "payment_order.cancelled")).toMatchObject({ cancelReason: "Sent by mistake" });
  });

  it("ends a Draft without ever touching the ledger", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const draft = await payer.pays(usd("40.00"), { submit: false });
    expect((await cancel(world, draft.id)).body.status).toBe("Cancelled");
    expect(statusesOf(await world.comesToRest(draft.id))).toEqual(["Draft", "Cancelled"]);
    expect(await linesOf(payer, draft.id)).toEqual([]);
    expect(await receivedEventsOf(world, draft.id, 1)).toEqual(["1 payment_order.cancelled"]);
  });

  it("is refused once the rail has the payment", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const draft = await payer.pays(usd("40.00"), { submit: false });
    await simulate(world, draft.id, "accept");
    await submit(world, draft.id);
    const flying = await world.reaches(draft.id, ({ status }) => status === "Processing");
    expect(flying.cancellable).toBe(false);

    const refused = await cancel(world, draft.id);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: "order_not_cancellable", currentStatus: "Processing" });
    await simulate(world, draft.id, "settle");
    expect((await world.comesToRest(draft.id)).status).toBe("Completed");
  });

  it("is refused for a final order", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await world.comesToRest((await payer.pays(usd("40.00"))).id);
    const refused = await cancel(world, order.id);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: "order_not_cancellable", currentStatus: "Completed" });
  });

  it("races with the hand-off: one of the two happens, never both", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const orders = await Promise.all(
      Array.from({ length: 6 }, () => payer.pays(usd("10.00"), { rail: "Wire" })),
    );
    const ended = await Promise.all(
      orders.map(async ({ id }) => {
        await world.reaches(id, ({ status }) => status === "Pending");
        await approve(world, id, "approver1");
        const [approved, cancelled] = await Promise.all([approve(world, id, "approver2"), cancel(world, id)]);
        const { status } = await world.comesToRest(id);
        return [approved.status, cancelled.status, status].join(" ");
      }),
    );
    // The second approval hands off in its own commit, so whoever comes second is refused.
    for (const outcome of ended) expect(["200 409 Completed", "409 200 Cancelled"]).toContain(outcome);
    const paid = ended.filter((outcome) => outcome.endsWith("Completed")).length;
    expect(await payer.balance()).toEqual({
      posted: usd("100.00") - paid * usd("10.00"),
      held: 0,
      available: usd("100.00") - paid * usd("10.00"),
    });
  });
});
