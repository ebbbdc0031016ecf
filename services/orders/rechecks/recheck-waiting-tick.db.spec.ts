/** What one tick of the worker does. The worker itself is stopped, so that nothing else goes through the rechecks. */
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { asAdmin, connectTo } from "../../../test/stack/servers/database.ts";
import { RecheckWaiting } from "./recheck-waiting.worker.ts";

const orders = new OrdersOnTest();
beforeAll(() => orders.get(RecheckWaiting).stop());

let book: string;
beforeEach(() => {
  book = uuidOf(orders.stranger().book);
});
afterEach(() =>
  asAdmin(
    orders.database.adminUrl,
    "drop function if exists orders.refuse_end() cascade",
    "delete from orders.gate_recheck",
    "delete from orders.order_recheck",
  ),
);

const begin = (of: string) =>
  orders.sql("insert into gate_recheck (book_id, after_id) values ($1, $1)", [of]);
/** From now on, the rechecks at the gate fail in all books but this one. */
const failInAllBut = (of: string) =>
  asAdmin(
    orders.database.adminUrl,
    `create function orders.refuse_end() returns trigger language plpgsql as
     $$ begin raise 'a row that can''t be deleted'; end $$`,
    `create trigger refuse_end before delete on orders.gate_recheck
     for each row when (old.book_id <> '${of}') execute function orders.refuse_end()`,
  );
const tick = (at?: Date) => orders.get(RecheckWaiting).tick(at);

it("counts no recheck that another instance goes through, so that the worker pauses", async () => {
  await begin(book);
  const session = await connectTo(orders.database.adminUrl);
  try {
    await session.query("begin");
    await session.query("select from orders.gate_recheck where book_id = $1 for update", [book]);
    expect(await tick()).toBe(0);
  } finally {
    await session.end();
  }
  expect(await tick()).toBe(1);
  expect(await orders.sql("select from gate_recheck")).toEqual([]);
});

it("waits longer with each failure of a book, also if another instance held its recheck in between", async () => {
  await failInAllBut(uuidOf(orders.stranger().book));
  await begin(book);
  const began = Date.now();
  const tickAfter = (seconds: number) => tick(new Date(began + 1_000 * seconds));
  await tickAfter(0);
  const session = await connectTo(orders.database.adminUrl);
  try {
    await session.query("begin");
    await session.query("select from orders.gate_recheck where book_id = $1 for update", [book]);
    expect(await tickAfter(5)).toBe(0);
  } finally {
    await session.end();
  }
  // The second failure: the next try is ten seconds later.
  await tickAfter(6);
  await asAdmin(orders.database.adminUrl, "drop function orders.refuse_end() cascade");
  expect([await tickAfter(15), await tickAfter(16)]).toEqual([0, 1]);
});

it("goes through the orders of a book although those of a hundred books before it fail", async () => {
  const last = "ffffffff-ffff-7fff-bfff-ffffffffffff";
  await failInAllBut(last);
  await orders.sql(
    "insert into gate_recheck select gen_random_uuid(), gen_random_uuid() from generate_series(1, 100)",
  );
  await begin(last);
  const at = new Date();
  expect(await tick(at)).toBe(0);
  expect(await tick(at)).toBe(1);
  expect(await orders.sql("select from gate_recheck where book_id = $1", [last])).toEqual([]);
});

it("lets another recheck of a book wait with the one that fails", async () => {
  await failInAllBut(uuidOf(orders.stranger().book));
  await begin(book);
  await orders.sql("insert into order_recheck (book_id, kind, after_id) values ($1, 'InstantClock', $1)", [
    book,
  ]);
  const at = new Date();
  expect([await tick(at), await tick(at)]).toEqual([0, 0]);
  expect(await orders.sql("select kind from order_recheck")).toEqual([{ kind: "InstantClock" }]);
});
