/** Instances of an older release, whose keys did not count per resource, and the keys that they have stored. */
import pg from "pg";
import { expect, inject, it } from "vitest";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { migrate } from "../../platform/persistence/migrate.ts";

const orders = new OrdersOnTest();
const ordersNamed = async (externalId: string) =>
  (await orders.sql("select id from payment_order where external_id = $1", [externalId])).length;

async function asAdmin<T>(work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client(orders.database.adminUrl);
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

it("repeats a create across the upgrade without a second payment", async () => {
  const request = { externalId: "across" };
  const first = await orders.create(request, { key: "across" });
  await asAdmin(async (admin) => {
    // As the older release left it.
    await admin.query(`alter table orders.idempotency drop constraint idempotency_pkey, drop column resource,
      add constraint idempotency_pkey primary key (book_id, key)`);
    await admin.query("drop function orders.idempotency_resource(text)");
    await admin.query("delete from orders.migration where name = '0002-idempotency-per-resource'");
    await migrate(orders.database.adminUrl, "orders", inject("servers").rolePassword);
  });
  expect((await orders.create(request, { key: "across" })).id).toBe(first.id);
  expect(await ordersNamed("across")).toBe(1);
});

it("repeats a create that an instance of the older release has stored after the upgrade", async () => {
  const request = { externalId: "beside" };
  const first = await orders.create(request, { key: "beside" });
  await asAdmin(async (admin) => {
    // Its insert, without the resource, and naming the constraint.
    await admin.query(`with stored as (delete from orders.idempotency where key = 'beside' returning *)
      insert into orders.idempotency (book_id, key, fingerprint, operation, resource_id, response)
      select book_id, key, fingerprint, operation, resource_id, response from stored
      on conflict on constraint idempotency_pkey do nothing`);
  });
  expect((await orders.create(request, { key: "beside" })).id).toBe(first.id);
  expect(await ordersNamed("beside")).toBe(1);
});
