/** A step of a replay reads a bounded number of rows by an index, and a count only what matches. */
import { expect, it } from "vitest";
import { eventTypes } from "../../../contracts/http/webhooks/webhooks.ts";
import { newUuid } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { type Reads, readsOf } from "../../../test/stack/database/plans.ts";
import { asAdmin } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { aboveAllUuids, belowAllUuids } from "../../platform/persistence/page.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { countDeliveries, countMissed, nextDeliveries, nextEvents } from "./store/matching.ts";
import { openParts } from "./store/parts.ts";
import { listReplays } from "./store/replays.ts";

const book = newUuid();
const units = await forThisFile(openFreshUnits("webhooks"));
const { sql } = units.database;

const uuid = (n: number) => `019c0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const numbered = (n: string) => `('019c0000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;

/** Event n of 100,000 has delivery n to endpoint 1, and every hundredth of the first thousand one to endpoint 7. */
await asAdmin(
  units.adminUrl,
  [
    `insert into webhooks.event (id, book_id, type, object_id, sequence, payload, created_at)
     select ${numbered("n")}, $1, 'payment_order.completed', n::text, 1, '{}', now()
     from generate_series(1, 100000) n`,
    [book],
  ],
  [
    `insert into webhooks.delivery (id, book_id, event_id, endpoint_id, event_type, api_version, status, attempt_count,
       attempts_allowed, created_at)
     select ${numbered("case when rare then 200000 + n else n end")}, $1, ${numbered("n")},
       ${numbered("case when rare then 7 else 1 end")}, 'payment_order.completed', 'v1',
       case when rare then 'DeadLettered' else 'Delivered' end, 1, 3, now()
     from (
       select n, false as rare from generate_series(1, 100000) n
       union all
       select n, true from generate_series(100, 1000, 100) n
     ) made`,
    [book],
  ],
  [
    `insert into webhooks.endpoint (id, book_id, mode, url, event_types, metadata, api_version, status, created_at)
     select ${numbered("n")}, $1, 'Test', 'https://example.com', '{*}', '{}', 'v1', 'Enabled', now()
     from generate_series(1, 100) n`,
    [book],
  ],
  [
    `insert into webhooks.replay (book_id, id, status, statuses, since, until, include_missed, below_id, matched,
       created_at, ended_at)
     select $1, ${numbered("n")}, 'Done', '{}', now(), now(), false, ${numbered("n")}, 1, now(), now()
     from generate_series(1, 5000) n`,
    [book],
  ],
  [
    `insert into webhooks.replay_part (book_id, replay_id, endpoint_id, after_delivery, is_done)
     select $1, ${numbered("n")}, ${numbered("e")}, ${numbered("n")}, n < 4991
     from generate_series(1, 5000) n, generate_series(1, 2) e`,
    [book],
  ],
  "vacuum analyze webhooks.event, webhooks.delivery, webhooks.endpoint, webhooks.replay, webhooks.replay_part",
);

/** What the last statement reads, and its result. */
async function measured<T>(run: (sql: Sql) => Promise<T>): Promise<Reads & { result: T }> {
  let reads: Reads = { sequentialScans: ["none was run"], rows: 0 };
  const watched: Sql = async (text, params) => {
    reads = await readsOf(sql, text, params);
    return sql(text, params);
  };
  const result = await run(watched);
  return { ...reads, result };
}

const matching = { book, eventTypes, fromId: belowAllUuids, belowId: aboveAllUuids };
const statuses = ["Delivered", "DeadLettered"];

it("the next deliveries of a busy endpoint are read in the order of their ids", async () => {
  const next = await measured((on) => nextDeliveries(on, matching, uuid(1), statuses, uuid(40_000), 100));
  expect(next.result.slice(0, 2)).toEqual([uuid(40_001), uuid(40_002)]);
  expect(next.result).toHaveLength(100);
  expect([next.sequentialScans, next.rows]).toEqual([[], 100]);
});

it("the next deliveries of a quiet endpoint are found without those of a busy one", async () => {
  const next = await measured((on) => nextDeliveries(on, matching, uuid(7), statuses, belowAllUuids, 100));
  expect(next.result).toEqual(Array.from({ length: 10 }, (_, index) => uuid(200_100 + 100 * index)));
  expect([next.sequentialScans, next.rows]).toEqual([[], 10]);
});

it("a count reads what matches, and at most as much as it may", async () => {
  const endpoints = Array.from({ length: 100 }, (_, index) => uuid(index + 1));
  const rare = await measured((on) =>
    countDeliveries(on, { ...matching, endpoints }, ["DeadLettered"], 1_000),
  );
  expect([rare.result, rare.sequentialScans, rare.rows]).toEqual([10, [], 10]);
  const common = await measured((on) => countDeliveries(on, { ...matching, endpoints }, statuses, 1_000));
  expect([common.result, common.sequentialScans, common.rows]).toEqual([1_000, [], 1_000]);
  const ofPeriod = { ...matching, endpoints: [uuid(1)], fromId: uuid(500), belowId: uuid(520) };
  const short = await measured((on) => countDeliveries(on, ofPeriod, statuses, 1_000));
  expect([short.result, short.sequentialScans, short.rows]).toEqual([20, [], 20]);
});

it("missed events are counted and found by the range of their ids", async () => {
  const ofPeriod = { ...matching, endpoints: [uuid(7)], fromId: uuid(500), belowId: uuid(601) };
  const counted = await measured((on) => countMissed(on, ofPeriod, 1_000));
  expect([counted.result, counted.sequentialScans]).toEqual([99, []]);
  expect(counted.rows).toBeLessThanOrEqual(2 * 101);
  // All 101 events of the period are looked at, however few of them are missed.
  expect(await countMissed(sql, ofPeriod, 101)).toBe(99);
  const next = await measured((on) => nextEvents(on, matching, uuid(7), uuid(499), 50));
  expect(next.result.map(({ is_missed }) => is_missed)).toEqual([
    false,
    ...Array.from({ length: 49 }, () => true),
  ]);
  expect(next.sequentialScans).toEqual([]);
  expect(next.rows).toBeLessThanOrEqual(100);
});

it("a period with too many events costs no look-up of deliveries", async () => {
  const ofPeriod = { ...matching, endpoints: [uuid(7)], fromId: uuid(500), belowId: uuid(601) };
  const tooMany = await measured((on) => countMissed(on, ofPeriod, 100));
  expect([tooMany.result, tooMany.sequentialScans, tooMany.rows]).toEqual([null, [], 101]);
});

it("a list of replays and the open parts leave out what has ended", async () => {
  const page = await measured((on) => listReplays(on, book, null, 25));
  expect(page.result).toHaveLength(26);
  expect(page.sequentialScans).toEqual([]);
  expect(page.rows).toBeLessThanOrEqual(26 * 3);
  const start = { book_id: belowAllUuids, replay_id: belowAllUuids, endpoint_id: belowAllUuids };
  const open = await measured((on) => openParts(on, start, 200));
  expect(open.result).toHaveLength(20);
  // The endpoints are a hundred rows, on few pages.
  expect(open.sequentialScans.filter((table) => table !== "endpoint")).toEqual([]);
});
