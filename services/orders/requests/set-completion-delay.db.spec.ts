import { RpcClient } from "../../platform/rpc/client.ts";
import { beforeAll, describe, expect, it } from "vitest";
import type { Caller } from "../../../contracts/message.ts";
import { SetCompletionDelay } from "../../../contracts/messages/orders.ts";
import { ClocksOfOrders } from "../../../test/stack/orders/clocks-of-orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { BookContexts } from "../lifecycle/book-context.ts";

// A Tuesday, 12:00 in New York.
const tuesday = "2038-03-02T17:00:00.000Z";

const orders = new OrdersOnTest();
const clocks = new ClocksOfOrders(orders);
let operator: RpcClient;
beforeAll(async () => {
  operator = new RpcClient(await orders.messaging.connectAs("operator"));
});

const set = (caller: Caller, completesAfterBankingDays: number) =>
  operator.request(SetCompletionDelay, { caller }, { completesAfterBankingDays });
const delayIn = async ({ book, mode }: Caller) => {
  const contextOf = await orders.get(BookContexts).of(orders.sql.bind(orders), [book]);
  return contextOf({ book, mode }).completesAfterBankingDays;
};

describe("the completion delay of a book", () => {
  it("is two banking days until the operator sets another, for that book alone", async () => {
    const [one, other] = [clocks.newCaller(), clocks.newCaller()];
    expect(await delayIn(one)).toBe(2);
    await set(one, 0);
    expect([await delayIn(one), await delayIn(other)]).toEqual([0, 2]);
    await set(one, 5);
    expect(await delayIn(one)).toBe(5);
  });

  it("counts for an order that waits already", async () => {
    const caller = await clocks.manualBook(tuesday);
    const id = await orders.createdTo("HandingOff", {}, { caller });
    await orders.instructionSettled(id);
    await orders.untilPhase(id, "AwaitingReturns");
    expect(await clocks.nextDueAt(caller)).toBe("2038-03-05T05:00:00.000Z");
    await set(caller, 0);
    await expect.poll(() => clocks.nextDueAt(caller)).toBe("2038-03-03T05:00:00.000Z");
  });

  it.each([-1, 6, 1.5])("of %j banking days is refused", async (days) => {
    await expect(set(clocks.newCaller(), days)).rejects.toThrow();
  });
});
