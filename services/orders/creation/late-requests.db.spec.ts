import pg from "pg";
import { beforeAll, expect, it, type MockInstance, vi } from "vitest";
import { type BookId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { CreateOrder } from "../../../contracts/messages/orders.ts";
import { giveUp } from "../../../test/stack/give-up.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { until } from "../../../test/stack/until.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { CreateOrdersBatch } from "./create-orders-batch.ts";
import { lockDailyLimitExclusive } from "../store/daily-usage.ts";

const orders = new OrdersOnTest();

async function createdIn(book: BookId): Promise<unknown[]> {
  const rows = await orders.sql<{ external_id: string }>(
    "select external_id from payment_order where book_id = $1",
    [uuidOf(book)],
  );
  return rows.map(({ external_id }) => external_id);
}

let together: MockInstance<CreateOrdersBatch["create"]>;
let apart: MockInstance<CreateOrdersBatch["createApart"]>;
beforeAll(() => {
  const batch = orders.get(CreateOrdersBatch);
  together = vi.spyOn(batch, "create");
  apart = vi.spyOn(batch, "createApart");
});

/** Asks for orders with that external id until the transaction of one has begun whose caller then stops waiting. */
const createImpatiently = (
  create: (externalId: string, deadlineMs: number) => Promise<unknown>,
  externalId: string,
) =>
  giveUp(
    (deadlineMs) => create(externalId, deadlineMs),
    () =>
      together.mock.calls.some(([creations]) => creations.some(({ body }) => body.externalId === externalId)),
  );

/** Waits until no order is being created, though nobody reads the answer any more. */
const untilAllHaveEnded = () =>
  until("the end of each creation", () =>
    [together, apart].every(({ mock }) => mock.settledResults.every(({ type }) => type !== "incomplete")),
  );

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
  const patient = create("patient", 60_000);
  await createImpatiently(create, "impatient");
  release.resolve();
  await holder;
  expect((await patient).value.status).toBe("Submitted");
  await untilAllHaveEnded();
  expect(await createdIn(caller.book)).toEqual(["patient"]);
});

it.each([
  ["insert", "payment_order"],
  ["messages", "outbox"],
])("nor is one whose %s waited for a lock", async (name, table) => {
  const caller = orders.caller();
  const admin = new pg.Client(orders.database.adminUrl);
  await admin.connect();
  await admin.query(`begin; lock table orders.${table} in share mode`);
  const rpc = new RpcClient(await orders.messaging.connectAs("gateway"));
  const create = (externalId: string, deadlineMs: number) =>
    rpc.request(CreateOrder, { caller }, orders.body({ externalId }), { deadlineMs });
  const patient = create(`${name}-patient`, 60_000);
  await createImpatiently(create, `${name}-impatient`);
  await admin.query("commit");
  await admin.end();
  expect((await patient).value.status).toBe("Submitted");
  await untilAllHaveEnded();
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
    waiting.push(...Array.from({ length: 4 }, () => create(locked, 60_000)));
    const created = await Promise.all(Array.from({ length: 4 }, () => create(other, 20_000)));
    expect(created.map(({ value }) => value.status)).toEqual(Array(4).fill("Submitted"));
  }
  expect(await createdIn(locked.book)).toEqual([]);
  await admin.query("commit");
  await admin.end();
  await Promise.all(waiting);
  expect(await createdIn(locked.book)).toHaveLength(12);
});
