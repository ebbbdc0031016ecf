import { beforeAll, describe, expect, it } from "vitest";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { CancelOrder, CreateOrder, SubmitOrder } from "../../../contracts/messages/orders.ts";
import { farFromMidnight } from "../../../test/stack/new-york-day.ts";
import { ClocksOfOrders } from "../../../test/stack/orders/clocks-of-orders.ts";
import { LimitedBooks } from "../../../test/stack/services/limited-books.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal, refusalOf } from "../../../test/stack/refusals.ts";

await farFromMidnight();
const orders = new OrdersOnTest(2);
const clocks = new ClocksOfOrders(orders);

const books = new LimitedBooks(orders);
const bookWith = books.bookWith.bind(books);
const limit = books.limit.bind(books);
const pay = books.pay.bind(books);
const usageRows = books.usageRows.bind(books);
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
  const lastMinute = "2038-02-12T04:59:00.000Z";
  const nextDay = "2038-02-12T05:00:00.000Z";

  it("counts the orders of one New York day, and begins anew with the next", async () => {
    const caller = await clocks.manualBook(lastMinute);
    await limit(caller, 1_000);
    await pay(caller, 1_000);
    expect(await refusalOf(pay(caller, 1))).toMatchObject({ context: { day: "2038-02-11" } });
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
    expect(row?.day).toBe("2038-02-12");
  });
});
