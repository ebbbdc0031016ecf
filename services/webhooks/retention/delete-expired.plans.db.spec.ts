/** A page of the deletion reads a bounded number of rows by an index, and so does every event of an old object. */
import { expect, it } from "vitest";
import { idOf, lowestUuidAt, newUuid } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { type Reads, readsOf } from "../../../test/stack/database/plans.ts";
import { asAdmin } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { belowAllUuids } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { withoutDropped } from "../events/store/dropped-changes.ts";
import { deleteExpiredDeliveries, deleteExpiredEvents, nextBookWithEvents } from "./store/expired-rows.ts";

const book = newUuid();
const units = await forThisFile(openFreshUnits("webhooks"));
const uuid = (n: number) => `019c0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const numbered = (n: string) => `('019c0000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;
/** When the ids of the test were made: 2026-01-27. */
const madeAt = new Date(Number.parseInt("019c00000000", 16));
const later = new Date(madeAt.getTime() + 1);

// 50,000 events of a book, each with a rendering, a delivery and an attempt; 49,000 deliveries are open.
await asAdmin(
  units.adminUrl,
  [
    `insert into webhooks.event (id, book_id, type, object_id, sequence, payload, created_at)
     select ${numbered("n")}, $1, 'payment_order.completed', 'po_' || n, 4, '{}', now()
     from generate_series(1, 50000) n`,
    [book],
  ],
  `insert into webhooks.rendering (event_id, api_version, body)
     select ${numbered("n")}, 'v1', '{}' from generate_series(1, 50000) n`,
  [
    `insert into webhooks.delivery (id, book_id, event_id, endpoint_id, event_type, api_version, status,
       attempt_count, attempts_allowed, claimable_at, created_at)
     select ${numbered("n")}, $1, ${numbered("n")}, $1, 'payment_order.completed', 'v1',
       case when n <= 1000 then 'Delivered' else 'Retrying' end, 1, 3,
       case when n <= 1000 then null else now() end, '2026-01-01'
     from generate_series(1, 50000) n`,
    [book],
  ],
  `insert into webhooks.attempt (delivery_id, id, at, duration_ms)
     select ${numbered("n")}, ${numbered("n")}, now(), 1 from generate_series(1, 50000) n`,
  [
    `insert into webhooks.dropped_change (book_id, object_id, sequence, change_key)
     select $1, 'po_' || n, 4, '' from generate_series(100001, 150000) n`,
    [book],
  ],
  "vacuum analyze webhooks.event, webhooks.rendering, webhooks.delivery, webhooks.attempt, webhooks.dropped_change",
);

/** What the statements of `run` read, added up. They are executed. */
async function reads(run: (sql: Sql) => Promise<unknown>): Promise<Reads> {
  const seen: Reads[] = [];
  await run((async (text, params) => {
    seen.push(await readsOf(units.database.sql, text, params ?? []));
    return [];
  }) as Sql);
  return {
    sequentialScans: seen.flatMap(({ sequentialScans }) => sequentialScans),
    rows: seen.reduce((sum, { rows }) => sum + rows, 0),
  };
}

it("a page of deliveries reads its rows, those that it deletes, and their attempts", async () => {
  const bounds = { ended: later, deadLettered: later };
  const page = (after: string) => (sql: Sql) => deleteExpiredDeliveries(sql, bounds, after, 100);
  const open = await reads(page(uuid(2_000)));
  expect(open.sequentialScans).toEqual([]);
  expect(open.rows).toBeLessThanOrEqual(2 * 100);
  const expired = await reads(page(belowAllUuids));
  expect(expired.sequentialScans).toEqual([]);
  expect(expired.rows).toBeLessThanOrEqual(5 * 100);
});

it("a page of events reads its rows, whether they have deliveries, and the renderings of those that it deletes", async () => {
  const { sequentialScans, rows } = await reads((sql) =>
    deleteExpiredEvents(sql, book, later, belowAllUuids, 100),
  );
  expect(sequentialScans).toEqual([]);
  expect(rows).toBeLessThanOrEqual(5 * 100);
});

it("the next book is found at the end of the events of the one before", async () => {
  for (const after of [belowAllUuids, book]) {
    const { sequentialScans, rows } = await reads((sql) => nextBookWithEvents(sql, after));
    expect(sequentialScans).toEqual([]);
    expect(rows).toBeLessThanOrEqual(1);
  }
});

it("an event of an old object reads at most one dropped change", async () => {
  const objectId = idOf("po", lowestUuidAt(new Date("2025-01-01T00:00:00Z")));
  const event = {
    uuid: newUuid(),
    book,
    type: "payment_order.completed",
    objectId,
    sequence: 4,
    changeKey: "",
  };
  const { sequentialScans, rows } = await reads((sql) =>
    withoutDropped(sql, [{ ...event, payload: "{}" }], new Date()),
  );
  expect(sequentialScans).toEqual([]);
  expect(rows).toBeLessThanOrEqual(1);
});
