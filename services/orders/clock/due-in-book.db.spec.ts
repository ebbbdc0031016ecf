/** An order that waits for a time of its book goes on exactly then, and an advance knows that time before. */
import { describe, expect, it } from "vitest";
import { type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { SettleHold } from "../../../contracts/messages/ledger.ts";
import { PutApprovalPolicy } from "../../../contracts/messages/orders.ts";
import {
  InquireInstruction,
  InstructionAccepted,
  InstructionReturned,
  InstructionSettled,
} from "../../../contracts/messages/rails.ts";
import { ClocksOfOrders } from "../../../test/stack/orders/clocks-of-orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import { defaultApprovalPolicy } from "../order/approval-policy.ts";

const fridayEvening = "2038-02-12T22:30:00.000Z";
const occurredAt = "2038-03-02T13:30:00.000Z";
const tuesday = "2038-02-16T05:00:00.000Z";

const orders = new OrdersOnTest();
const clocks = new ClocksOfOrders(orders);

async function dueOf(id: PaymentOrderId) {
  const [row] = await orders.sql<{ due_at: Date | null; due_at_in_book: Date | null }>(
    "select due_at, due_at_in_book from payment_order where id = $1",
    [uuidOf(id)],
  );
  return row ?? { due_at: null, due_at_in_book: null };
}

describe("in a Manual book, an order that waits", () => {
  it("for its window is due when that opens, and leaves then, not a millisecond before", async () => {
    const caller = await clocks.manualBook(fridayEvening);
    const id = await orders.createdTo("AwaitingWindow", {}, { caller });
    expect(await clocks.nextDueAt(caller)).toBe(tuesday);
    const before = new Date(Date.parse(tuesday) - 1).toISOString();
    await clocks.standAt(caller, before, 2);
    await clocks.standAt(caller, tuesday, 3);
    await orders.untilPhase(id, "HandingOff");
    const { statusHistory } = await orders.read(id);
    expect(statusHistory.at(-1)).toMatchObject({ to: "Processing", at: tuesday });
    expect(await clocks.nextDueAt(caller)).toBe("2038-02-16T05:00:03.000Z");
  });

  it("for approvals is due at its deadline, and is cancelled then", async () => {
    const caller = await clocks.manualBook(fridayEvening);
    const id = await orders.waitingWire({ caller });
    const deadline = "2038-02-15T22:30:00.000Z";
    expect(await clocks.nextDueAt(caller)).toBe(deadline);
    await clocks.standAt(caller, deadline, 2);
    await orders.untilPhase(id, "ReleasingAsCancelled");
    expect(await clocks.nextDueAt(caller)).toBeNull();
    await orders.holdReleased(id);
    const { statusHistory } = await orders.untilStatus(id, "Cancelled");
    expect(statusHistory.at(-1)).toMatchObject({ at: deadline, reason: "ApprovalExpired" });
  });

  it("for approvals that a stricter policy requires is due at its new deadline", async () => {
    const caller = await clocks.manualBook(fridayEvening);
    const id = await orders.createdTo("AwaitingWindow", {}, { caller });
    const strict = {
      ...defaultApprovalPolicy,
      dualApprovalRails: ["Wire" as const],
      requireApprovalForAll: true,
    };
    await orders.request(PutApprovalPolicy, strict, { caller });
    await orders.untilPhase(id, "AwaitingApproval");
    const rechecks = "select from gate_recheck where book_id = $1";
    await until(async () => (await orders.sql(rechecks, [uuidOf(caller.book)])).length === 0);
    expect(await clocks.nextDueAt(caller)).toBe("2038-02-15T22:30:00.000Z");
  });

  it("for returns is due after the second banking day that follows the rail's settlement date", async () => {
    // It settled on a Tuesday, and we hear of it on Wednesday.
    const caller = await clocks.manualBook("2038-03-03T17:00:00.000Z");
    const id = await orders.createdTo("HandingOff", {}, { caller });
    const settled = { orderId: id, number: 1, occurredAt, railReference: { traceNumber: "7" } };
    await orders.publish(InstructionSettled, id, { ...settled, settlementDate: "2038-03-02" });
    await orders.untilPhase(id, "AwaitingReturns");
    const friday = "2038-03-05T05:00:00.000Z";
    expect(await clocks.nextDueAt(caller)).toBe(friday);
    await clocks.standAt(caller, friday, 2);
    await orders.untilPhase(id, "Settling");
    const [settleHold] = await orders.published(id, SettleHold);
    expect(settleHold?.data).toMatchObject({ effectiveAt: friday });
  });

  it("for the ledger is due in real time", async () => {
    const caller = await clocks.manualBook(fridayEvening);
    const { id } = await orders.create({}, { caller });
    const { due_at, due_at_in_book } = await dueOf(id);
    expect(due_at_in_book).toBeNull();
    expect(due_at!.getTime() - Date.now()).toBeLessThan(11_000);
    expect(await clocks.nextDueAt(caller)).toBeNull();
  });
});

describe("when a book gets a clock", () => {
  it("what waits in it moves over, and what waits for the ledger does not", async () => {
    const caller = clocks.newCaller();
    const wire = await orders.waitingWire({ caller });
    const { id: unheld } = await orders.create({}, { caller });
    const { due_at: before } = await dueOf(wire);
    const standsAt = new Date(Date.now() + 60_000).toISOString();
    await clocks.standAt(caller, standsAt, 1);
    expect(await dueOf(wire)).toEqual({ due_at: null, due_at_in_book: before });
    expect((await dueOf(unheld)).due_at_in_book).toBeNull();
    expect(await clocks.nextDueAt(caller)).toBe(before!.toISOString());
  });

  it("an approval whose deadline is over in it expires", async () => {
    const caller = clocks.newCaller();
    const wire = await orders.waitingWire({ caller });
    await clocks.standAt(caller, fridayEvening, 1);
    await orders.untilPhase(wire, "ReleasingAsCancelled");
    expect(await clocks.nextDueAt(caller)).toBeNull();
  });

  it("an order that somebody is moving without it moves over too", async () => {
    const caller = clocks.newCaller();
    const { id } = await orders.create({}, { caller });
    const client = await connectTo(orders.database.adminUrl);
    try {
      await client.query("begin");
      await client.query(
        "update orders.payment_order set phase = 'AwaitingWindow', status = 'Pending', due_at = $2 where id = $1",
        [uuidOf(id), tuesday],
      );
      const set = clocks.standAt(caller, fridayEvening, 1);
      await until(async () => {
        const { rows } = await client.query(
          "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        );
        return rows.length > 0;
      });
      await client.query("commit");
      await set;
    } finally {
      await client.end();
    }
    expect(await dueOf(id)).toEqual({ due_at: null, due_at_in_book: new Date(tuesday) });
  });
});

it("a return after the window of its code says so", async () => {
  const caller = await clocks.manualBook("2038-03-03T17:00:00.000Z");
  const id = await orders.createdTo("HandingOff", {}, { caller });
  const returned = { orderId: id, number: 1, occurredAt, code: "R02", traceNumber: "7", afterWindow: true };
  await orders.publish(InstructionReturned, id, returned);
  await orders.untilPhase(id, "ReleasingAsReturned");
  await orders.holdReleased(id);
  const order = await orders.untilStatus(id, "Returned");
  expect(order).toMatchObject({
    returnedAt: occurredAt,
    return: { code: "R02", late: false, afterWindow: true },
  });
  expect(order.return).not.toHaveProperty("traceNumber");
});

it("a clock that is made Instant ends the wait for a window", async () => {
  const caller = await clocks.manualBook(fridayEvening);
  const id = await orders.createdTo("AwaitingWindow", {}, { caller });
  await clocks.goOn(caller, "Instant", fridayEvening, 2);
  await orders.untilPhase(id, "HandingOff");
  expect((await orders.read(id)).status).toBe("Processing");
});

it("a clock that is made Instant has the rail asked about a payment that was to settle days later", async () => {
  const caller = await clocks.manualBook("2038-02-12T15:00:00.000Z");
  const id = await orders.createdTo("HandingOff", {}, { caller });
  const accepted = { orderId: id, number: 1, occurredAt: fridayEvening, railReference: { traceNumber: "7" } };
  await orders.publish(InstructionAccepted, id, accepted);
  await orders.untilPhase(id, "InFlight");
  expect(await clocks.nextDueAt(caller)).toBe("2038-02-16T15:30:00.000Z");
  await clocks.goOn(caller, "Instant", fridayEvening, 2);
  const [inquiry] = await until("the rail is asked", async () => {
    const sent = await orders.published(id, InquireInstruction);
    return sent.length > 0 && sent;
  });
  expect(inquiry?.data).toMatchObject({ orderId: id });
});
