/** What the worker reads twice a second, in a database without statistics as a young one is. */
import { beforeAll, describe, expect, it } from "vitest";
import { newUuid } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { type Reads, readsOfKeptPlan } from "../../../test/stack/database/plans.ts";
import { asAdmin, connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { everyBook } from "../../platform/handlers/batch-by-book.ts";
import { claimDue } from "./store/deliveries.ts";
import { endLeases } from "./store/leases.ts";

const units = await forThisFile(openFreshUnits("webhooks"));
const now = new Date("2026-03-02T15:00:00.000Z");
const client = await forThisFile(connectTo(units.url));
await client.query("set enable_seqscan = off; set enable_bitmapscan = off");
const endpoint = newUuid();

/** 10,000 deliveries: the first three are due, ten more later, the next five are under the lease of a new batch. */
const lease = newUuid();
beforeAll(() =>
  asAdmin(
    units.adminUrl,
    "alter table webhooks.delivery set (autovacuum_enabled = false)",
    "alter table webhooks.lease set (autovacuum_enabled = false)",
    [
      `insert into webhooks.endpoint (id, book_id, mode, url, event_types, metadata, api_version, status, created_at)
       values ($1, gen_random_uuid(), 'Test', 'https://example.com', '{}', '{}', 'v1', 'Enabled', now())`,
      [endpoint],
    ],
    [
      `with made as (
         insert into webhooks.delivery (id, book_id, event_id, endpoint_id, event_type, api_version, status,
           attempt_count, attempts_allowed, claimable_at, lease_id, created_at)
         select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), $1, 'payment_order.completed', 'v1',
           case when n <= 18 then 'Pending' else 'Delivered' end, 0, 3,
           case when n <= 3 then $2::timestamptz when n <= 13 then $2::timestamptz + interval '1 day' end,
           case when n between 14 and 18 then $3::uuid end, now()
         from generate_series(1, 10000) n
         returning id, event_id, lease_id
       ),
       rendered as (
         insert into webhooks.rendering (event_id, api_version, body) select event_id, 'v1', '{}' from made
       )
       insert into webhooks.lease (book_id, id, ends_at, delivery_ids)
       select gen_random_uuid(), $3, $2::timestamptz + interval '40 s', array_agg(id) from made where lease_id is not null`,
      [endpoint, now.toISOString(), lease],
    ],
  ),
);

/** What a statement reads with the plan that a transaction keeps for all values. */
async function readsOfCall(call: (sql: Sql) => Promise<unknown>) {
  let reads: Reads | undefined;
  await call(async (text, params = []) => {
    await client.query("begin");
    const values = params.map((value) => (value instanceof Date ? value.toISOString() : value));
    reads = await readsOfKeptPlan(client, text, values);
    await client.query("rollback");
    return [];
  });
  return reads;
}

const claimAt = (at: Date) => (sql: Sql) =>
  claimDue(sql, {
    capacities: [],
    maxPerLane: 200,
    maxDeliveries: 1_000,
    afterEndpoint: "00000000-0000-0000-0000-000000000000",
    lease: { id: newUuid(), endsAt: new Date(at.getTime() + 40_000) },
    now: at,
    filter: everyBook,
  });

describe("among 10,000 deliveries of which three are due", () => {
  it("claims the three without reading the others", async () => {
    const reads = await readsOfCall(claimAt(now));
    expect(reads?.sequentialScans).toEqual([]);
    expect(reads?.rows).toBeLessThanOrEqual(20);
  });

  it("finds none before that, reading one entry per endpoint", async () => {
    const reads = await readsOfCall(claimAt(new Date(now.getTime() - 1)));
    expect(reads?.sequentialScans).toEqual([]);
    expect(reads?.rows).toBeLessThanOrEqual(5);
  });

  it("ends a lease by its own deliveries", async () => {
    const reads = await readsOfCall((sql) => endLeases(sql, [], new Date(now.getTime() + 40_000), everyBook));
    expect(reads?.sequentialScans.filter((table) => table === "delivery")).toEqual([]);
    // The lease and its five deliveries, to change them and to find out whether any are left.
    expect(reads?.rows).toBeLessThanOrEqual(20);
  });

  it("reads no delivery while no lease has ended", async () => {
    expect(await readsOfCall((sql) => endLeases(sql, [], now, everyBook))).toMatchObject({
      rows: expect.toBeOneOf([1, 2]),
    });
  });
});
