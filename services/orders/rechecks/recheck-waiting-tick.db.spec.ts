/** What one tick of the worker does. The worker itself is stopped, so that nothing else goes through the rechecks. */
import { beforeAll, expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { OrdersOnTest } from "../../../test/stack/orders.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { RecheckWaiting } from "./recheck-waiting.worker.ts";

const orders = new OrdersOnTest();
beforeAll(() => orders.get(RecheckWaiting).stop());

const begin = (book: string) =>
  orders.sql("insert into gate_recheck (book_id, after_id) values ($1, $1)", [book]);

it("counts no recheck that another instance goes through, so that the worker pauses", async () => {
  const book = uuidOf(orders.stranger().book);
  await begin(book);
  const session = await connectTo(orders.database.adminUrl);
  try {
    await session.query("begin");
    await session.query("select from orders.gate_recheck where book_id = $1 for update", [book]);
    expect(await orders.get(RecheckWaiting).tick()).toBe(0);
  } finally {
    await session.end();
  }
  expect(await orders.get(RecheckWaiting).tick()).toBe(1);
  expect(await orders.sql("select from gate_recheck")).toEqual([]);
});
