/** Each list of events reads a bounded number of rows by an index: 100,000 events of one book. */
import { expect, it } from "vitest";
import { eventQuery } from "../../../contracts/http/webhooks/stored-events.ts";
import { lowestUuidAt, newUuid } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { type Reads, readsOf } from "../../../test/stack/database/plans.ts";
import { asAdmin } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { listEvents } from "./store/list-events.ts";

const book = newUuid();
const pageRows = 26;
const units = await forThisFile(openFreshUnits("webhooks"));

/** Event n of 100,000 is n milliseconds younger than this. A hundred of the oldest thousand have a rare type. */
const start = Date.parse("2026-03-02T15:00:00.000Z");
const timeOf = (n: number) => new Date(start + n).toISOString();
const uuid = (n: number) => lowestUuidAt(new Date(start + n));
const hex = `lpad(to_hex(${String(start)} + n), 12, '0')`;

await asAdmin(
  units.adminUrl,
  [
    `insert into webhooks.event (id, book_id, type, object_id, sequence, payload, created_at)
     select (substr(${hex}, 1, 8) || '-' || substr(${hex}, 9) || '-7000-8000-000000000000')::uuid, $1,
       case when n <= 1000 and n % 10 = 0 then 'payment_order.returned' else 'payment_order.completed' end,
       'order ' || n / 4, n % 4, '{}', now()
     from generate_series(1, 100000) n`,
    [book],
  ],
  "vacuum analyze webhooks.event",
);

const every = (step: number, from: number, length = pageRows) =>
  Array.from({ length }, (_, index) => uuid(from - step * index));

it.each<[string, Record<string, unknown>, string[]]>([
  ["nothing", {}, every(1, 100_000)],
  ["a common type", { type: "payment_order.completed" }, every(1, 100_000)],
  ["a rare type", { type: "payment_order.returned" }, every(10, 1_000)],
  ["an unknown type", { type: "payment_order.lost" }, []],
  ["several types", { type: ["payment_order.returned", "payment_order.lost"] }, every(10, 1_000)],
  ["an object", { objectId: "order 10000" }, every(1, 40_003, 4)],
  ["an object after a sequence", { objectId: "order 10000", afterSequence: "1" }, every(1, 40_003, 2)],
  ["an unknown object", { objectId: "order" }, []],
  ["a time", { "createdAt[gte]": timeOf(500), "createdAt[lt]": timeOf(503) }, every(1, 502, 3)],
  ["a type and a time", { type: "payment_order.returned", "createdAt[lt]": timeOf(35) }, every(10, 30, 3)],
])("a list of 100,000 events filtered by %s reads one page", async (_what, filters, expected) => {
  const query = eventQuery.parse(filters);
  const found = await listEvents(units.database.sql, book, query, null);
  expect(found.map(({ id }) => id)).toEqual(expected);
  let reads: Reads = { sequentialScans: ["none was run"], rows: 0 };
  await listEvents(
    async (text, params) => {
      reads = await readsOf(units.database.sql, text, params);
      return [];
    },
    book,
    query,
    null,
  );
  expect(reads.sequentialScans).toEqual([]);
  // The ids of a page of each of two types, and the rows of one page.
  expect(reads.rows).toBeLessThanOrEqual(3 * pageRows);
});

it("a late page reads no more than the first", async () => {
  const found = await listEvents(units.database.sql, book, eventQuery.parse({}), uuid(500));
  expect(found.map(({ id }) => id)).toEqual(every(1, 499));
});
