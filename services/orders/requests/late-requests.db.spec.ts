import pg from "pg";
import { expect, it } from "vitest";
import { type BookId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { CreateOrder } from "../../../contracts/messages/orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders.ts";
import { expectRefusal } from "../../../test/stack/refusals.ts";
import { until } from "../../../test/stack/until.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { lockDailyLimitExclusive } from "../store/daily-usage.ts";

const orders = new OrdersOnTest();

async function createdIn(book: BookId): Promise<unknown[]> {
  const rows = await orders.sql<{ external_id: string }>(
    "select external_id from payment_order where book_id = $1",
    [uuidOf(book)],
  );
  return rows.map(({ external_id }) => external_id);
}

/** Waits until one more late request than before was answered, though nobody reads the answer. */
async function lateAnswers(count: number): Promise<void> {
  await until("an answer to the late request", async () => {
    const metrics = await (await fetch(`${orders.instances[0]?.url ?? ""}/metrics`)).text();
    const [, late] =
      /request_seconds_count\{[^}]*outcome="upstream_timeout"[^}]*\} (\d+)/.exec(metrics) ?? [];
    return Number(late) >= count;
  });
}

it("an order whose caller has stopped waiting for a lock is not created, and the others of its batch are", async () => {
  const caller = orders.caller();
  const locked = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const holder = orders.get(UnitOfWorkRunner).run(async ({ sql }) => {
    await lockDailyLimitExclusive(sql, caller.book);
    locked.resolve();
    await release.promise;
  });
  await locked.promise;
  const rpc = new RpcClient(await orders.messaging.connectAs("gateway"));
  const create = (externalId: string, deadlineMs: number) =>
    rpc.request(CreateOrder, { caller }, orders.body({ externalId }), { deadlineMs });
  const patient = create("patient", 15_000);
  await expectRefusal(create("impatient", 100), "upstream_timeout");
  release.resolve();
  await holder;
  expect((await patient).value.status).toBe("Submitted");
  await lateAnswers(1);
  expect(await createdIn(caller.book)).toEqual(["patient"]);
});

it.each([
  ["insert", "payment_order", 2],
  ["messages", "outbox", 3],
])("nor is one whose %s waited for a lock", async (name, table, answers) => {
  const caller = orders.caller();
  const admin = new pg.Client(orders.database.adminUrl);
  await admin.connect();
  await admin.query(`begin; lock table orders.${table} in share mode`);
  const rpc = new RpcClient(await orders.messaging.connectAs("gateway"));
  const create = (externalId: string, deadlineMs: number) =>
    rpc.request(CreateOrder, { caller }, orders.body({ externalId }), { deadlineMs });
  const patient = create(`${name}-patient`, 15_000);
  await expectRefusal(create(`${name}-impatient`, 300), "upstream_timeout");
  await admin.query("commit");
  await admin.end();
  expect((await patient).value.status).toBe("Submitted");
  await lateAnswers(answers);
  const created = await createdIn(caller.book);
  expect(created).toContain(`${name}-patient`);
  expect(created).not.toContain(`${name}-impatient`);
});

it("a book whose rows are locked delays no order of another book, and its own are created after the lock", async () => {
  const [locked, other] = [orders.caller("maker", newId("ten")), orders.caller()];
  const admin = new pg.Client(orders.database.adminUrl);
  await admin.connect();
  await admin.query("begin");
  await admin.query("select pg_advisory_xact_lock(hashtextextended('daily-limit/' || $1::uuid, 0))", [
    uuidOf(locked.book),
  ]);
  const rpc = new RpcClient(await orders.messaging.connectAs("gateway"));
  const create = (caller: typeof other, deadlineMs: number) =>
    rpc.request(CreateOrder, { caller }, orders.body({}), { deadlineMs });
  const waiting: Promise<unknown>[] = [];
  for (let round = 0; round < 3; round += 1) {
    waiting.push(...Array.from({ length: 4 }, () => create(locked, 20_000)));
    const created = await Promise.all(Array.from({ length: 4 }, () => create(other, 5_000)));
    expect(created.map(({ value }) => value.status)).toEqual(Array(4).fill("Submitted"));
  }
  expect(await createdIn(locked.book)).toEqual([]);
  await admin.query("commit");
  await admin.end();
  await Promise.all(waiting);
  expect(await createdIn(locked.book)).toHaveLength(12);
});
