/** Each list reads a bounded number of rows by an index: 100,000 deliveries of one book. */
import { beforeAll, describe, expect, it } from "vitest";
import { idOf, newUuid } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { type Reads, readsOf } from "../../../test/stack/database/plans.ts";
import { asAdmin } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { listEndpoints } from "../endpoints/store/endpoints.ts";
import { listDeliveries, listDeliveriesOfObject } from "./store/list-deliveries.ts";

type DeliveryQuery = Parameters<typeof listDeliveries>[2];
const book = newUuid();
const pageRows = 26;
const units = await forThisFile(openFreshUnits("webhooks"));

const uuid = (n: number) => `019c0000-0000-7000-8000-${String(n).padStart(12, "0")}`;

/** The time of the id `uuid(n)`. All ids of this file begin with the same millisecond. */
const idsBegan = new Date(0x019c00000000);
const soonAfter = new Date(0x019c00000001);

const numbered = (n: string) => `('019c0000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;

/** Delivery n of 100,000 has the id n. A hundred of the oldest thousand have a rare type, status and endpoint. */
const deliveries = `
  insert into webhooks.delivery (id, book_id, event_id, endpoint_id, event_type, api_version, status, attempt_count,
    attempts_allowed, created_at)
  select ${numbered("n")}, $1, ${numbered("200000 + n")}, ${numbered("case when rare then 7 else 1 end")},
    case when rare then 'payment_order.returned' else 'payment_order.completed' end, 'v1',
    case when rare then 'DeadLettered' else 'Delivered' end, 1, 3, now()
  from (select n, n <= 1000 and n % 10 = 0 as rare from generate_series(1, 100000) n) made`;
const endpoints = `
  insert into webhooks.endpoint (id, book_id, mode, url, event_types, metadata, api_version, status, created_at)
  select ${numbered("n")}, case when n % 20 = 0 then $1::uuid else gen_random_uuid() end,
    'Test', 'https://example.com', '{}', '{}', 'v1', 'Enabled', now()
  from generate_series(1, 20000) n`;

/** Twenty events of one object, and the events of many others; each has the delivery of its number. */
const events = `
  insert into webhooks.event (id, book_id, type, object_id, sequence, payload, created_at)
  select ${numbered("200000 + n")}, $1, 'payment_order.completed',
    case when n between 50001 and 50020 then 'po_many' else 'po_' || n end, n, '{}', now()
  from generate_series(1, 100000) n`;

await asAdmin(
  units.adminUrl,
  [events, [book]],
  [deliveries, [book]],
  [endpoints, [book]],
  "vacuum analyze webhooks.event, webhooks.delivery, webhooks.endpoint",
);

const every = (step: number, from: number) =>
  Array.from({ length: pageRows }, (_, index) => from - step * index);

async function reads(list: (sql: typeof units.database.sql) => Promise<unknown>): Promise<Reads> {
  let seen: Reads | undefined;
  await list(async (text, params) => {
    seen = await readsOf(units.database.sql, text, params);
    return [];
  });
  if (seen === undefined) throw new Error("the list ran no statement");
  return seen;
}

describe("a list of 100,000 deliveries", () => {
  const rare = every(10, 1_000);
  it.each<[string, Partial<DeliveryQuery>, number[]]>([
    ["nothing", {}, every(1, 100_000)],
    ["a common status", { status: ["Delivered"] }, every(1, 100_000)],
    ["a rare status", { status: ["DeadLettered"] }, rare],
    ["an unused status", { status: ["Retrying"] }, []],
    ["a common type", { eventType: ["payment_order.completed"] }, every(1, 100_000)],
    ["a rare type", { eventType: ["payment_order.returned"] }, rare],
    ["an unknown type", { eventType: ["payment_order.lost"] }, []],
    ["a busy endpoint", { endpointId: [idOf("we", uuid(1))] }, every(1, 100_000)],
    ["a quiet endpoint", { endpointId: [idOf("we", uuid(7))] }, rare],
    ["an endpoint and a status", { endpointId: [idOf("we", uuid(7))], status: ["DeadLettered"] }, rare],
    [
      "an endpoint and a status it does not have",
      { endpointId: [idOf("we", uuid(1))], status: ["DeadLettered"] },
      [],
    ],
    ["a status and a type", { status: ["DeadLettered"], eventType: ["payment_order.returned"] }, rare],
    ["several statuses", { status: ["Retrying", "DeadLettered"] }, rare],
    ["several types", { eventType: ["payment_order.lost", "payment_order.returned"] }, rare],
    [
      "a busy and a quiet endpoint",
      { endpointId: [1, 7].map((n) => idOf("we", uuid(n))) },
      every(1, 100_000),
    ],
    [
      "quiet endpoints",
      { endpointId: [8, 7].map((n) => idOf("we", uuid(n))), status: ["DeadLettered"] },
      rare,
    ],
    ["several events", { eventId: [200_500, 200_700, 9].map((n) => idOf("evt", uuid(n))) }, [700, 500]],
    [
      "a time",
      { "createdAt[gte]": idsBegan.toISOString(), "createdAt[lt]": soonAfter.toISOString() },
      every(1, 100_000),
    ],
    ["an earlier time", { "createdAt[lt]": idsBegan.toISOString() }, []],
    [
      "a status and a later time",
      { status: ["DeadLettered"], "createdAt[gte]": soonAfter.toISOString() },
      [],
    ],
    ["an object", { objectId: "po_700" }, [700]],
    ["an object with many events", { objectId: "po_many" }, every(1, 50_020).slice(0, 20)],
    ["an object and an event of another", { objectId: "po_700", eventId: [idOf("evt", uuid(200_500))] }, []],
    ["an object and a status", { objectId: "po_700", status: ["Delivered"] }, []],
    ["an event", { eventId: [idOf("evt", uuid(200_500))] }, [500]],
    [
      "an event and another endpoint",
      { eventId: [idOf("evt", uuid(200_500))], endpointId: [idOf("we", uuid(1))] },
      [],
    ],
  ])("filtered by %s returns the matching ones newest first, by an index", async (_what, query, expected) => {
    const whole = { ...query, limit: pageRows - 1 };
    const found = await listDeliveries(units.database.sql, book, whole, null);
    const numbers = found.map(({ id }) => Number(id.slice(-12)));
    expect(numbers.slice(0, 5)).toEqual(expected.slice(0, 5));
    expect(numbers.length).toBe(expected.length);
    const { sequentialScans, rows } = await reads((sql) => listDeliveries(sql, book, whole, null));
    expect(sequentialScans).toEqual([]);
    // The ids of a page of each of two ranges, and the rows of one page.
    expect(rows).toBeLessThanOrEqual(3 * pageRows);
  });

  it("reads a late page at the cost of the first", async () => {
    const page = { limit: pageRows - 1 };
    const { rows } = await reads((sql) => listDeliveries(sql, book, page, uuid(500)));
    expect(rows).toBe(pageRows);
  });
});

describe("a list of the deliveries of one event", () => {
  // 60 deliveries of one event, 1 to 60. Five have failed: 5, 10 … 25, older than a page of the others.
  const fanned = newUuid();
  const ofEvent = { eventId: [idOf("evt", uuid(300_000))], limit: 25 };
  const list = async (query: Partial<DeliveryQuery>) => {
    const found = await listDeliveries(units.database.sql, fanned, { ...ofEvent, ...query }, null);
    return found.map(({ id }) => Number(id.slice(-12)) - 300_000);
  };
  beforeAll(() =>
    asAdmin(units.adminUrl, [
      `insert into webhooks.delivery (id, book_id, event_id, endpoint_id, event_type, api_version, status,
         attempt_count, attempts_allowed, created_at)
       select ${numbered("300000 + n")}, $1, ${numbered("300000")}, ${numbered("300000 + n")},
         'payment_order.completed', 'v1',
         case when n % 5 = 0 and n <= 25 then 'DeadLettered' else 'Delivered' end, 1, 3, now()
       from generate_series(1, 60) n`,
      [fanned],
    ]),
  );

  it("has one row more than a page while there are more", async () => {
    expect(await list({})).toEqual(Array.from({ length: 26 }, (_, index) => 60 - index));
  });

  it("finds those with a status, a type or an endpoint beyond the newest page", async () => {
    expect(await list({ status: ["DeadLettered"] })).toEqual([25, 20, 15, 10, 5]);
    expect(await list({ endpointId: [idOf("we", uuid(300_003))] })).toEqual([3]);
    expect(await list({ endpointId: [idOf("we", uuid(300_003))], status: ["DeadLettered"] })).toEqual([]);
    expect(await list({ eventType: ["payment_order.returned"] })).toEqual([]);
  });
});

it("a list of Pending deliveries reads those that are under their first lease, and no others", async () => {
  const leased = Array.from({ length: 30 }, (_, index) => uuid(400_000 + index));
  await asAdmin(
    units.adminUrl,
    [
      `insert into webhooks.delivery (id, book_id, event_id, endpoint_id, event_type, api_version, status,
         attempt_count, attempts_allowed, lease_id, created_at)
       select id, $1, id, ${numbered("1")}, 'payment_order.completed', 'v1', 'Pending', 0, 3, $2, now()
       from unnest($3::uuid[]) as n (id)`,
      [book, uuid(1), leased],
    ],
    [
      "insert into webhooks.lease (book_id, id, ends_at, delivery_ids) values ($1, $2, now(), $3)",
      [book, uuid(1), leased],
    ],
  );
  for (const endpointId of [undefined, [idOf("we", uuid(1))]]) {
    const query = {
      status: ["Pending"],
      limit: pageRows - 1,
      ...(endpointId && { endpointId }),
    } as DeliveryQuery;
    const found = await listDeliveries(units.database.sql, book, query, null);
    expect(found.map(({ id }) => id)).toEqual(leased.toReversed().slice(0, pageRows));
    const { sequentialScans, rows } = await reads((sql) => listDeliveries(sql, book, query, null));
    expect(sequentialScans.filter((table) => table === "delivery")).toEqual([]);
    // The lease, its deliveries, and the rows of one page.
    expect(rows).toBeLessThanOrEqual(1 + 30 + pageRows);
  }
});

it("a list of endpoints reads only its own book, from its cursor on", async () => {
  for (const before of [null, uuid(9_000)]) {
    const { sequentialScans, rows } = await reads((sql) => listEndpoints(sql, book, before, pageRows - 1));
    expect([sequentialScans, rows]).toEqual([[], pageRows]);
  }
});

describe("the deliveries of one object", () => {
  it("are read by its events, however many other deliveries the book has", async () => {
    const list = (sql: typeof units.database.sql) => listDeliveriesOfObject(sql, book, "po_many", 10);
    const found = await list(units.database.sql);
    expect(found.map(({ id }) => Number(id.slice(-12)))).toEqual([
      50_001, 50_002, 50_003, 50_004, 50_005, 50_006, 50_007, 50_008, 50_009, 50_010,
    ]);
    const { sequentialScans, rows } = await reads(list);
    expect(sequentialScans).toEqual([]);
    expect(rows).toBeLessThanOrEqual(50);
  });
});
