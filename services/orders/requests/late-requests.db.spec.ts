import { expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { CreateOrder } from "../../../contracts/messages/orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders.ts";
import { expectRefusal } from "../../../test/stack/refusals.ts";
import { until } from "../../../test/stack/until.ts";
import { UnitOfWorkRunner } from "../../platform/handlers/unit-of-work.ts";
import { RpcClient } from "../../platform/rpc/client.ts";
import { lockDailyLimitExclusive } from "../store/daily-usage.ts";

const orders = new OrdersOnTest();

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
  await until("an answer to the late request, which nobody reads", async () => {
    const metrics = await (await fetch(`${orders.instances[0]?.url ?? ""}/metrics`)).text();
    return /request_seconds_count\{[^}]*outcome="upstream_timeout"[^}]*\} 1/.test(metrics);
  });
  const rows = await orders.sql("select external_id from payment_order where book_id = $1", [
    uuidOf(caller.book),
  ]);
  expect(rows).toEqual([{ external_id: "patient" }]);
});
