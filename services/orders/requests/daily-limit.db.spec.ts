import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import {
  CancelOrder,
  CreateOrder,
  DecidePolicyProposal,
  PutApprovalPolicy,
  SubmitOrder,
} from "../../../contracts/messages/orders.ts";
import { ClocksOfOrders } from "../../../test/stack/clocks-of-orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders.ts";
import { expectRefusal, refusalOf } from "../../../test/stack/refusals.ts";
import { until } from "../../../test/stack/until.ts";
import { defaultApprovalPolicy } from "../order/approval-policy.ts";

const orders = new OrdersOnTest(2);
const clocks = new ClocksOfOrders(orders);

const policy = { ...defaultApprovalPolicy, dualApprovalRails: [...defaultApprovalPolicy.dualApprovalRails] };

/** A book of its own, with this daily limit or none. */
async function bookWith(dailyLimitCents: number | null): Promise<Caller> {
  const caller = orders.caller("maker", newId("ten"));
  if (dailyLimitCents !== null) await limit(caller, dailyLimitCents);
  return caller;
}
async function limit(caller: Caller, dailyLimitCents: number | null): Promise<void> {
  const { value } = await orders.request(PutApprovalPolicy, { ...policy, dailyLimitCents }, { caller });
  if (!("proposalId" in value)) return;
  const other = { caller: { ...caller, principal: "ann" } };
  await orders.request(DecidePolicyProposal, { id: value.proposalId, decision: "Approve" }, other);
}
const pay = (caller: Caller, amountCents: number, change: object = {}) =>
  orders.create({ rail: "Rtp", amountCents, ...change }, { caller });
const usageRows = async ({ book }: Caller) =>
  (
    await orders.sql<{ cents: number }>(
      "select used_cents::int as cents from daily_usage where book_id = $1 order by day",
      [uuidOf(book)],
    )
  ).map(({ cents }) => cents);
const ordersOf = ({ book }: Caller) =>
  orders.sql<{ status: string }>("select status from payment_order where book_id = $1", [uuidOf(book)]);

describe("the daily limit", () => {
  it("can be reached, not exceeded, and the refusal says what is left", async () => {
    const caller = await bookWith(1_000);
    await pay(caller, 600);
    await expectRefusal(pay(caller, 401), "velocity_limit_exceeded", {
      message:
        "This book may submit Credits of 1000 cents a day and has submitted 600 cents today. Send at most 400 cents, submit it after midnight in New York, or have the limit raised.",
      context: { limitCents: 1_000, usedCents: 600, amountCents: 401 },
      errors: [{ pointer: "/amountCents", code: "velocity_limit_exceeded" }],
    });
    await pay(caller, 400);
    await expectRefusal(pay(caller, 1), "velocity_limit_exceeded");
    expect(await ordersOf(caller)).toHaveLength(2);
    expect(await usageRows(caller)).toEqual([1_000]);
  });

  it("holds under fifty creates at once, on two instances", async () => {
    const caller = await bookWith(1_000);
    const requested = Array.from({ length: 50 }, (_, i) =>
      pay(caller, 100, { externalId: `at once ${String(i)}` }),
    );
    const outcomes = await Promise.allSettled(requested);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(10);
    const refusals = outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason.code] : [],
    );
    expect(new Set(refusals)).toEqual(new Set(["velocity_limit_exceeded"]));
    expect(await ordersOf(caller)).toHaveLength(10);
    expect(await usageRows(caller)).toEqual([1_000]);
  });

  it("holds for creates and submissions of Drafts together", async () => {
    const caller = await bookWith(1_000);
    const drafts = await Promise.all(Array.from({ length: 15 }, () => pay(caller, 100, { submit: false })));
    await Promise.allSettled([
      ...drafts.map(({ id }) => orders.request(SubmitOrder, { id }, { caller })),
      ...Array.from({ length: 15 }, () => pay(caller, 100)),
    ]);
    expect((await ordersOf(caller)).filter(({ status }) => status === "Submitted")).toHaveLength(10);
    expect(await usageRows(caller)).toEqual([1_000]);
  });

  it("is not used by a Draft, a Debit, a refused order or a repeat", async () => {
    const caller = await bookWith(1_000);
    await pay(caller, 900, { submit: false });
    await pay(caller, 5_000, { rail: "Ach", direction: "Debit" });
    await refusalOf(pay(caller, 900, { basis: "Demo" }));
    const by = { caller, key: "limited" };
    const first = await orders.request(CreateOrder, orders.body({ rail: "Rtp", amountCents: 900 }), by);
    expect(await orders.request(CreateOrder, orders.body({ rail: "Rtp", amountCents: 900 }), by)).toEqual({
      value: first.value,
      replayed: true,
    });
    expect(await usageRows(caller)).toEqual([900]);
  });

  it("is separate for each book", async () => {
    const [one, other] = [await bookWith(1_000), await bookWith(500)];
    await Promise.all([pay(one, 1_000), pay(other, 500)]);
    expect([await usageRows(one), await usageRows(other)]).toEqual([[1_000], [500]]);
  });

  it("costs a book without a limit nothing: it has no row to wait for", async () => {
    const caller = await bookWith(null);
    await Promise.all(Array.from({ length: 20 }, () => pay(caller, 999_999)));
    expect(await usageRows(caller)).toEqual([]);
  });
});

describe("what an order gives back to the limit", () => {
  // Events are published in the file's own book, so these tests share it. Each leaves the day's usage as it found it.
  const caller = () => orders.caller("maker");
  let before = 0;
  beforeAll(async () => {
    await limit(caller(), 100_000);
    [before = 0] = await usageRows(caller());
  });
  const used = async () => ((await usageRows(caller()))[0] ?? 0) - before;

  it("is the amount of an order that is cancelled before its hold", async () => {
    const { id } = await pay(caller(), 700);
    expect(await used()).toBe(700);
    await orders.request(CancelOrder, { id }, { caller: caller() });
    await orders.holdRefused(id);
    await orders.untilStatus(id, "Cancelled");
    expect(await used()).toBe(0);
  });

  it("is the amount of an order that fails, once, however often the event comes", async () => {
    const { id } = await pay(caller(), 700);
    await orders.holdRefused(id);
    await orders.untilStatus(id, "Failed");
    await orders.holdRefused(id);
    const other = await pay(caller(), 300);
    await orders.holdRefused(other.id);
    await orders.untilStatus(other.id, "Failed");
    expect(await used()).toBe(0);
  });

  it("is nothing when the order completes", async () => {
    const order: PaymentOrder = await orders.create({
      rail: "Book",
      amountCents: 200,
      counterpartyAccountNumber: orders.encrypt("Reserve"),
    });
    await orders.holdPlaced(order.id);
    await orders.holdSettled(order.id);
    await orders.untilStatus(order.id, "Completed");
    expect(await used()).toBe(200);
  });

  it("is nothing for a cancelled Draft, which used nothing", async () => {
    const at = await used();
    const { id } = await pay(caller(), 700, { submit: false });
    await orders.request(CancelOrder, { id }, { caller: caller() });
    expect(await used()).toBe(at);
  });
});

describe("by the clock of its book, the daily limit", () => {
  const lastMinute = "2027-02-12T04:59:00.000Z";
  const nextDay = "2027-02-12T05:00:00.000Z";

  it("counts the orders of one New York day, and begins anew with the next", async () => {
    const caller = await clocks.manualBook(lastMinute);
    await limit(caller, 1_000);
    await pay(caller, 1_000);
    expect(await refusalOf(pay(caller, 1))).toMatchObject({ context: { day: "2027-02-11" } });
    await clocks.standAt(caller, nextDay, 2);
    await pay(caller, 400);
    expect(await usageRows(caller)).toEqual([1_000, 400]);
  });

  it("that is set during the day counts orders by the day of their submission, not of their creation", async () => {
    const caller = await clocks.manualBook(lastMinute);
    const draft = await pay(caller, 250, { submit: false });
    await pay(caller, 600);
    await clocks.standAt(caller, nextDay, 2);
    await orders.request(SubmitOrder, { id: draft.id }, { caller });
    await limit(caller, 1_000);
    expect(await usageRows(caller)).toEqual([250]);
  });

  it("locks each book of a batch on its own day", async () => {
    const [ahead, today] = [await clocks.manualBook(nextDay), await bookWith(1_000)];
    await limit(ahead, 1_000);
    const both = Array.from({ length: 10 }, () => [pay(ahead, 100), pay(today, 100)]).flat();
    await Promise.all(both);
    expect([await usageRows(ahead), await usageRows(today)]).toEqual([[1_000], [1_000]]);
    const [row] = await orders.sql<{ day: string }>("select day::text from daily_usage where book_id = $1", [
      uuidOf(ahead.book),
    ]);
    expect(row?.day).toBe("2027-02-12");
  });
});

describe("a limit that is set during the day", () => {
  it("counts what was submitted earlier that day, except orders that were cancelled or failed", async () => {
    const caller = await bookWith(null);
    await pay(caller, 600);
    await pay(caller, 100, { submit: false });
    await pay(caller, 5_000, { rail: "Ach", direction: "Debit" });
    await limit(caller, 1_000);
    expect(await usageRows(caller)).toEqual([600]);
    expect(await refusalOf(pay(caller, 401))).toMatchObject({ context: { usedCents: 600 } });
    await pay(caller, 400);
  });

  it("waits for running submissions, and counts them", async () => {
    const caller = await bookWith(null);
    const draft = await pay(caller, 250, { submit: false });
    const gate = new pg.Client(orders.database.adminUrl);
    await gate.connect();
    try {
      // Both have read that there is no limit, and can't write their history yet.
      await gate.query("begin");
      await gate.query("lock table orders.status_change in exclusive mode");
      const under = [pay(caller, 600), orders.request(SubmitOrder, { id: draft.id }, { caller })];
      await until(async () => (await waitingFor(gate, "relation")) === 2);
      const limited = limit(caller, 1_000);
      await until(async () => (await waitingFor(gate, "advisory")) === 1);
      await gate.query("rollback");
      await Promise.all([...under, limited]);
    } finally {
      await gate.end();
    }
    expect(await usageRows(caller)).toEqual([850]);
    expect(await refusalOf(pay(caller, 151))).toMatchObject({ context: { usedCents: 850 } });
  });

  it("is recounted when a limit is set again after a time without one", async () => {
    const caller = await bookWith(1_000);
    await pay(caller, 600);
    await limit(caller, null);
    await pay(caller, 3_000);
    expect(await usageRows(caller)).toEqual([600]);
    await limit(caller, 5_000);
    expect(await usageRows(caller)).toEqual([3_600]);
  });

  it("keeps the used amount when the limit is raised or lowered", async () => {
    const caller = await bookWith(1_000);
    await pay(caller, 1_000);
    await limit(caller, 500);
    expect(await refusalOf(pay(caller, 1))).toMatchObject({ context: { limitCents: 500, usedCents: 1_000 } });
    await limit(caller, 1_001);
    await pay(caller, 1);
    expect(await usageRows(caller)).toEqual([1_001]);
  });
});

/** How many sessions of this file's database wait for a lock of that kind. */
async function waitingFor(gate: pg.Client, kind: "relation" | "advisory"): Promise<number> {
  const { rows } = await gate.query<{ waiting: number }>(
    `select count(*)::int as waiting
     from pg_locks
     where locktype = $1
       and not granted
       and database = (select oid from pg_database where datname = current_database())`,
    [kind],
  );
  return rows[0]?.waiting ?? 0;
}
