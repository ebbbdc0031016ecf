import { afterAll, beforeAll, expect, it } from "vitest";
import { counterpartyQuery } from "../../../contracts/http/payments/counterparties.ts";
import { idOf } from "../../../contracts/ids/ids.ts";
import { createDatabase, type TestDatabase } from "../../../test/stack/servers/database.ts";
import { readsOf, statementsOf } from "../../../test/stack/database/plans.ts";
import { openUnits, type TestUnits } from "../../../test/stack/database/units.ts";
import { entities } from "../entities.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { listCounterparties } from "./store/counterparties.ts";
import { findByNamePrefix } from "./store/names.ts";

const bookUuid = "019c0000-0000-7000-8000-00000000000b";
const book = idOf("book", bookUuid);
/** Of its counterparties only the oldest thirty are not archived. */
const archivedBookUuid = "019c0000-0000-7000-8000-00000000000d";
const archivedBook = idOf("book", archivedBookUuid);

let rested: TestDatabase;
let units: TestUnits;
/** 100,000 counterparties in our book, a name in 50 and one in a thousand Verified, among as many of two others. */
beforeAll(async () => {
  rested = await createDatabase("orders");
  units = await openUnits(rested.urlOf("orders"), undefined, entities);
  await units.database.sql(
    `insert into counterparty (book_id, id, name, type, external_id, metadata, verification_status, verified_by,
       verified_at, details_entered_by, version, created_by, created_at, updated_at, archived_at, archived_by)
     select b.book, ('019c' || lpad(to_hex(n), 8, '0') || '70008000' || substr(b.book::text, 25))::uuid,
       'Name ' || n % 2000, 'Business', 'vendor-' || n, '{}',
       case when n % 1000 = 0 then 'Verified' else 'Unverified' end,
       case when n % 1000 = 0 then 'checker' end, case when n % 1000 = 0 then now() end,
       array['maker'], 1, 'maker', now(), now(),
       case when b.book = $2 and n > 30 then now() end, case when b.book = $2 and n > 30 then 'maker' end
     from generate_series(1, 100000) n
     cross join (values ($1::uuid), ($2::uuid), ('019c0000-0000-7000-8000-00000000000c'::uuid)) as b (book)`,
    [bookUuid, archivedBookUuid],
  );
  await units.database.sql(
    `insert into counterparty_account (book_id, counterparty_id, rail, position, key_id, ciphertext, last4, routing_number)
     select book_id, id, 'Ach', 0, 'k1', 'c2VhbGVk', '6789', '021000021' from counterparty`,
  );
  // As the owner, because the service's role may not analyze. In production autovacuum does it.
  const owner = await openUnits(rested.adminUrl);
  await owner.database.sql("analyze orders.counterparty, orders.counterparty_account");
  await owner.close();
});
afterAll(async () => {
  await units.close();
  await rested.drop();
});

it.each<[Record<string, string | string[]>, number, typeof book?]>([
  [{}, 25],
  [{}, 25, archivedBook],
  [{ archived: "true" }, 25, archivedBook],
  [{ archived: "true" }, 0],
  [{ verificationStatus: ["Verified", "Failed"] }, 25],
  [{ externalId: ["vendor-777", "vendor-778"] }, 2],
  [{ externalId: "vendor-777" }, 1],
  [{ name: "Name 777" }, 25],
  [{ verificationStatus: "Verified" }, 25],
  [{ verificationStatus: "Unverified" }, 25],
  [{ name: "Name 0", verificationStatus: "Verified" }, 25],
  [{ name: "nobody" }, 0],
])("a page of %j reads by an index, no more than it needs", async (filters, found, of = book) => {
  const query = counterpartyQuery.parse(filters);
  const [rows, statements] = await units.database.readEntities(async (em) => {
    const sent = statementsOf(em);
    return [await listCounterparties(em, of, query, null), sent] as const;
  });
  expect(rows.slice(0, query.limit)).toHaveLength(found);
  expect(rows.every((row) => row.accounts.length === 1)).toBe(true);
  // The ORM writes values into its statements, so Postgres plans each for its values and keeps no plan.
  const reads = await Promise.all(statements.map((text) => readsOf(units.database.sql, text)));
  expect(reads.flatMap(({ sequentialScans }) => sequentialScans)).toEqual([]);
  // Each counterparty is read with its account. Of two filters, the one with fewer matches is walked.
  expect(reads.reduce((sum, { rows: read }) => sum + read, 0)).toBeLessThanOrEqual(250);
});

it("the start of a name reads as many counterparties as it finds, along an index", async () => {
  const sent: [string, readonly unknown[]][] = [];
  const sql: Sql = (text, params = []) => {
    sent.push([text, params]);
    return units.database.sql(text, params);
  };
  const found = await findByNamePrefix(sql, book, "nAmE 77", 8);
  expect(found.map(({ name }) => name)).toEqual(Array.from({ length: 8 }, () => "Name 77"));
  expect(await findByNamePrefix(sql, book, "name", 8)).toHaveLength(8);
  expect(await findByNamePrefix(sql, archivedBook, "Nobody", 8)).toEqual([]);
  for (const [text, params] of sent) {
    const { sequentialScans, rows } = await readsOf(units.database.sql, text, params);
    expect(sequentialScans).toEqual([]);
    // Each counterparty with its account.
    expect(rows).toBeLessThanOrEqual(16);
  }
});
