/** Orders of a book with a clock of its own: what follows that clock, and what stays real. */
import { describe, expect, it } from "vitest";
import { OrderStatusChanged } from "../../../contracts/messages/orders.ts";
import { ClocksOfOrders } from "../../../test/stack/orders/clocks-of-orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { refusalOf } from "../../../test/stack/refusals.ts";
import { BookContexts } from "../lifecycle/book-context.ts";

// Friday before Washington's birthday, 17:30 in New York: after the cutoff of every rail that has one.
const fridayEvening = "2038-02-12T22:30:00.000Z";
const isRecent = (time: string) => Math.abs(Date.parse(time) - Date.now()) < 60_000;

const orders = new OrdersOnTest();
const clocks = new ClocksOfOrders(orders);

/** Somebody in a book of their own, where it is Friday evening until an advance. */
const onFridayEvening = () => clocks.manualBook(fridayEvening);

describe("in a book whose clock stands at a Friday evening", () => {
  it("an order is submitted then, has missed the cutoff, and waits for Tuesday", async () => {
    const id = await orders.createdTo("AwaitingWindow", {}, { caller: await onFridayEvening() });
    const order = await orders.read(id);
    expect(order).toMatchObject({
      status: "Pending",
      cutoff: {
        missed: true,
        cutoffAt: "2038-02-12T21:45:00.000Z",
        nextWindowOpensAt: "2038-02-16T05:00:00.000Z",
        reason: "AfterCutoff",
      },
      expectedSettlementDate: "2038-02-17",
      submittedAt: fridayEvening,
    });
    expect(order.statusHistory.map(({ at }) => at)).toEqual([fridayEvening, fridayEvening, fridayEvening]);
    const [submitted] = await orders.published(id, OrderStatusChanged);
    expect(submitted?.data).toMatchObject({ status: "Submitted", occurredAt: fridayEvening });
    const [placeHold] = await orders.commands(id);
    expect(placeHold?.data).toMatchObject({ effectiveAt: fridayEvening });
  });

  it("the times of its record stay real", async () => {
    const { createdAt, updatedAt } = await orders.create({}, { caller: await onFridayEvening() });
    expect([createdAt, updatedAt].map(isRecent)).toEqual([true, true]);
  });

  it("an effective date is compared with that day", async () => {
    const caller = await onFridayEvening();
    expect(await refusalOf(orders.create({ effectiveDate: "2038-02-11" }, { caller }))).toMatchObject({
      code: "effective_date_invalid",
      message: expect.stringContaining("2038-02-12, today in New York") as string,
    });
    expect(await orders.create({ effectiveDate: "2038-02-12" }, { caller })).toMatchObject({
      status: "Submitted",
    });
  });
});

it("a Live book has real time and New York's windows, whatever clock is stored", async () => {
  const { book } = await onFridayEvening();
  const realNow = new Date("2026-11-23T17:00:00.000Z");
  const contextOf = await orders.get(BookContexts).of(orders.sql.bind(orders), [book], realNow);
  const inReal = { now: realNow, realNow, clock: "Real", hasOwnClock: false };
  expect(contextOf({ book, mode: "Live" })).toMatchObject(inReal);
  expect(contextOf({ book, mode: "Test" })).toMatchObject({
    now: new Date(fridayEvening),
    realNow,
    clock: "Manual",
    hasOwnClock: true,
  });
});
