/** What an instance caches of orders, and what it reads again. */
import { beforeEach, describe, expect, it } from "vitest";
import { bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { withGuardsOff } from "../../../test/stack/database/guards-off.ts";
import { anOrderIn } from "../../../test/stack/orders/payment-order.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import type { PaymentOrder, Phase } from "../order/payment-order.ts";
import { saveDraft } from "./drafts.ts";
import { SubmittedTermsCache } from "./submitted-terms-cache.ts";
import { insertOrders, lockOrders, saveOrders } from "./payment-orders.ts";

const { database, units, adminUrl } = await forThisFile(openFreshUnits("orders"));
const admin = await forThisFile(connectTo(adminUrl));

const waiting = `select 1 from pg_stat_activity
  where datname = current_database() and wait_event_type = 'Lock'`;

let cache: SubmittedTermsCache;
beforeEach(() => {
  cache = new SubmittedTermsCache();
});

/** A stored order of 12.50. */
async function stored(phase: Phase): Promise<PaymentOrder> {
  const order = { ...anOrderIn(phase), id: newId("po") };
  await insertOrders(database.sql, [order]);
  return order;
}

const at = (order: PaymentOrder, amountCents: number) => ({
  ...order,
  terms: { ...order.terms, amountCents },
});
const read = async (order: PaymentOrder, from?: SubmittedTermsCache) =>
  (await lockOrders(database.sql, [order], from)).get(order.id);
const submitted = (order: PaymentOrder): PaymentOrder => ({
  ...order,
  phase: "ReservingFunds",
  status: "Submitted",
  sequence: 1,
});

describe("the cache of an instance", () => {
  it("never has a Draft: an edit by another instance is read", async () => {
    const draft = await stored("Draft");
    expect(await read(draft, cache)).toEqual(draft);
    await saveDraft(database.sql, at(draft, 9_900));
    expect(await read(draft, cache)).toEqual(at(draft, 9_900));
    await saveOrders(database.sql, [submitted(draft)]);
    expect(await read(draft, cache)).toEqual(submitted(at(draft, 9_900)));
  });

  it("has the terms of the submission, though the read began while the Draft was being edited", async () => {
    const draft = await stored("Draft");
    const { reading } = await units.run(async ({ sql }) => {
      await saveDraft(sql, at(draft, 9_900));
      await saveOrders(sql, [submitted(draft)]);
      const begun = read(draft, cache);
      await until("a waiting read", async () => (await admin.query(waiting)).rowCount === 1);
      return { reading: begun };
    });
    expect(await reading).toEqual(submitted(at(draft, 9_900)));
    expect(await read(draft, cache)).toEqual(submitted(at(draft, 9_900)));
  });

  it("gives the terms of an order, and the state is read each time", async () => {
    const order = await stored("HandingOff");
    await read(order, cache);
    const tamper = "update orders.payment_order set amount_cents = 1 where id = $1";
    await withGuardsOff(
      (text) => admin.query(text),
      "orders",
      () => admin.query(tamper, [uuidOf(order.id)]),
    );
    const moved: PaymentOrder = { ...order, phase: "InFlight", dueAt: new Date("2026-03-04T17:00:30.000Z") };
    await saveOrders(database.sql, [moved]);
    expect(await read(order, cache)).toEqual(moved);
    expect(await read(order)).toEqual(at(moved, 1));
  });

  it("gives no order of another book", async () => {
    const order = await stored("InFlight");
    await read(order, cache);
    const elsewhere = { ...order, book: bookIdOf(newId("ten"), "Test") };
    expect(cache.get(elsewhere.book, order.id)).toBeUndefined();
    expect(await read(elsewhere, cache)).toBeUndefined();
  });

  it("has the orders that were used last, up to its limit", () => {
    const small = new SubmittedTermsCache(2);
    const [first, second, third] = [newId("po"), newId("po"), newId("po")].map((id) => ({
      ...anOrderIn("InFlight"),
      id,
    })) as [PaymentOrder, PaymentOrder, PaymentOrder];
    const has = ({ book, id }: PaymentOrder) => small.get(book, id) !== undefined;
    small.add(first);
    small.add(second);
    expect(has(first)).toBe(true);
    small.add(third);
    expect([has(first), has(third), has(second)]).toEqual([true, true, false]);
  });
});

it("saves every state of several orders in one statement, with line breaks and quotes in it", async () => {
  const orders = await Promise.all([stored("InFlight"), stored("InFlight")]);
  const changed = orders.map((order, index): PaymentOrder => {
    const ending = { ...order.progress.ending, cancelReason: `line\nbreak "${index}" \\ {a,b} NULL` };
    return { ...order, phase: "Settling", progress: { ...order.progress, ending } };
  });
  await saveOrders(database.sql, changed);
  expect(await Promise.all(orders.map((order) => read(order)))).toEqual(changed);
});
