/** Each list and look-up of keys uses an index: 100,000 keys of one book, with analyzed tables. */
import { describe, expect, it } from "vitest";
import { type ApiKeyId, idOf, newId, type ProposalId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { readsOf, readsOfKeptPlan, type Reads } from "../../../test/stack/database/plans.ts";
import { asAdmin, connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { hashOf } from "../auth/api-key.ts";
import { filterRevokedWith } from "../audit/store/audit.ts";
import { findKeyByHash } from "../auth/store/known-keys.ts";
import type { TenantMode } from "./store/api-keys.ts";
import { findSimilarPrincipal } from "./store/principals.ts";
import { readKey, listKeys, readUnendedDescendants } from "./store/list-keys.ts";
import {
  countOpenProposals,
  listOpenProposals,
  listProposals,
  readProposal,
} from "./store/list-proposals.ts";

const book: TenantMode = { tenant: newId("ten"), mode: "Test" };
const uuid = (number: number) => `019c0000-0000-7000-8000-${String(number).padStart(12, "0")}`;

const units = await forThisFile(openFreshUnits("gateway"));

const columns = "hash, prefix, last4, name, principal, scopes, ip_allowlist, tenant_id, mode";
const values = (n: string) =>
  `sha256((${n})::text::bytea), 'qt_test_', 'abcd', 'spare', 'person ' || ${n} % 1000, '{orders:read}', '{}', $1, 'Test'`;
const uuidOfNumber = (n: string) => `('019c0000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;

/** Key n of 100,000; every tenth one is a Pending key, as proposal n. */
const keys = `
  insert into gateway.api_key (id, ${columns})
  select ${uuidOfNumber("n")}, ${values("n")} from generate_series(1, 100000) n where n % 10 <> 0`;
const proposals = `
  insert into gateway.key_proposal (id, key_id, ${columns}, reason, proposed_by)
  select ${uuidOfNumber("n")}, ${uuidOfNumber("n")}, ${values("n")}, 'It has orders:approve.', 'ana'
  from generate_series(10, 100000, 10) n`;
/** Key 1 made 2, which made 3, which made 4. */
const makers = `
  update gateway.api_key k
  set created_by_key = ${uuidOfNumber("n - 1")}
  from generate_series(2, 4) n
  where k.id = ${uuidOfNumber("n")}`;

/** Keys 1 to 20,000 ended, the first thousand of them by the revocation of key 1. */
const root = idOf("key", uuid(1));
const logged = Array.from({ length: 20_000 }, (_, index) => idOf("key", uuid(index + 1)));
const entries = `
  insert into gateway.audit (id, tenant_id, mode, actor, action, object_id, details)
  select uuidv7(), $1, 'Test', 'ana', 'ApiKeyRevoked', id,
    case when n <= 1000 then jsonb_build_object('revokedWith', $3::text) else '{}' end
  from unnest($2::text[]) with ordinality k (id, n)`;

const tenant = [uuidOf(book.tenant)];
await asAdmin(
  units.adminUrl,
  ["insert into gateway.tenant (id, name) values ($1, 'Large')", tenant],
  [keys, tenant],
  [proposals, tenant],
  makers,
  [entries, [...tenant, logged, root]],
  "vacuum analyze gateway.api_key, gateway.key_proposal, gateway.audit",
);

/** The plan of the last statement of `read`. */
async function counted(
  read: (sql: Sql) => Promise<unknown>,
  by: (text: string, params: readonly unknown[]) => Promise<Reads> = (text, params) =>
    readsOf(sql, text, params),
): Promise<Reads> {
  let reads: Reads | undefined;
  await read(async (text, params = []) => {
    reads = await by(text, params);
    return [];
  });
  if (reads === undefined) throw new Error("nothing was read");
  return reads;
}

const sql: Sql = (text, params) => units.database.sql(text, params);
const numbersOf = (found: readonly { id: ApiKeyId | ProposalId }[]) =>
  found.map(({ id }) => Number(uuidOf(id).slice(-12)));

describe("a page", () => {
  it.each([
    ["of keys", null, [100_000, 99_999, 99_998, 99_997]],
    ["of keys after many pages", uuid(5_002), [5_001, 5_000, 4_999, 4_998]],
  ])("%s reads what it shows, waiting keys among the others", async (_which, after, shown) => {
    const query = { limit: 3 };
    expect(numbersOf(await listKeys(sql, book, query, after))).toEqual(shown);
    const reads = await counted((counting) => listKeys(counting, book, query, after));
    expect(reads.sequentialScans).toEqual([]);
    expect(reads.rows).toBeLessThan(20);
  });

  it.each<[string, ("Open" | "Denied")[]]>([
    ["proposals", ["Open"]],
    ["proposals of several statuses", ["Denied", "Open"]],
  ])("of %s reads them and their keys", async (_which, status) => {
    const query = { limit: 3, status };
    const shown = await listProposals(sql, book, query, null);
    expect(numbersOf(shown)).toEqual([100_000, 99_990, 99_980, 99_970]);
    const reads = await counted((counting) => listProposals(counting, book, query, null));
    expect(reads.sequentialScans).toEqual([]);
    expect(reads.rows).toBeLessThan(20);
  });
});

describe("the inbox", () => {
  it.each<[string, number, (sql: Sql) => Promise<unknown>]>([
    ["the open proposals", 20, (by) => listOpenProposals(by, book, 3)],
    ["their number", 1_000, (by) => countOpenProposals(by, book, 1_000)],
    ["the number in a book without any", 1, (by) => countOpenProposals(by, { ...book, mode: "Live" }, 1_000)],
  ])("finds %s in at most %i rows", async (_what, rows, read) => {
    const reads = await counted(read);
    expect(reads.sequentialScans).toEqual([]);
    expect(reads.rows).toBeLessThanOrEqual(rows);
  });
});

const client = await forThisFile(connectTo(units.url));
await client.query("set search_path = gateway");

describe("a page with a cached plan", () => {
  it.each<[string, (sql: Sql) => Promise<unknown>]>([
    ["of keys", (by) => listKeys(by, book, { limit: 3 }, uuid(5_002))],
    ["of proposals", (by) => listProposals(by, book, { limit: 3 }, uuid(5_002))],
    ["of open proposals", (by) => listProposals(by, book, { limit: 3, status: ["Open"] }, uuid(5_002))],
  ])("%s far down reads from its cursor on", async (_which, list) => {
    const reads = await counted(list, (text, params) => readsOfKeptPlan(client, text, params));
    expect(reads.sequentialScans).toEqual([]);
    expect(reads.rows).toBeLessThan(20);
  });
});

describe("the keys that a key made", () => {
  it("are found by two index probes for each key on the way", async () => {
    expect(numbersOf(await readUnendedDescendants(sql, book, root))).toEqual([4, 3, 2]);
    const reads = await counted((counting) => readUnendedDescendants(counting, book, root));
    expect(reads.sequentialScans).toEqual([]);
    expect(reads.rows).toBeLessThan(30);
  });
});

describe("the keys that ended with a key", () => {
  it.each([
    [5, 998],
    [5_000, 500],
  ])("are found among %i by one index probe for each", async (among, from) => {
    const keys = logged.slice(from, from + among);
    const ended = await filterRevokedWith(sql, book, keys, root);
    expect(ended.toSorted((a, b) => a.localeCompare(b))).toEqual(logged.slice(from, 1_000));
    const reads = await counted((counting) => filterRevokedWith(counting, book, keys, root));
    expect(reads.sequentialScans).toEqual([]);
    // Twice, because Postgres rounds up the rows that the filter removes for each key.
    expect(reads.rows).toBeLessThanOrEqual(2 * among);
  });
});

describe("a look-up", () => {
  it.each<[string, (sql: Sql) => Promise<unknown>]>([
    ["of a key", (by) => readKey(by, book, idOf("key", uuid(4_711)))],
    ["of a pending key", (by) => readKey(by, book, idOf("key", uuid(4_710)))],
    ["of a proposal", (by) => readProposal(by, book, idOf("prop", uuid(4_710)))],
    ["by hash", (by) => findKeyByHash(by, hashOf("4711"))],
    ["by hash of a key that waits", (by) => findKeyByHash(by, hashOf("4710"))],
  ])("%s reads a row or two", async (_what, look) => {
    expect(await look(sql)).toBeDefined();
    const reads = await counted(look);
    expect(reads.sequentialScans.filter((table) => table !== "tenant")).toEqual([]);
    expect(reads.rows).toBeLessThan(6);
  });

  it("of a principal steps down an index once for each principal", async () => {
    expect(await findSimilarPrincipal(sql, book.tenant, "PERSON 777")).toEqual({
      name: "person 777",
      known: true,
    });
    const reads = await counted((by) => findSimilarPrincipal(by, book.tenant, "PERSON 777"));
    expect(reads.sequentialScans).toEqual([]);
    // 1,000 principals have 90,000 keys; 100 have 10,000 proposals.
    expect(reads.rows).toBeLessThan(9_000);
  });
});
