/** A balance of the past costs a few probes, in a book of 1,000 journals as in one of 100,000, by any plan. */
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newUuid } from "../../../contracts/ids/ids.ts";
import { createDatabase, type TestDatabase } from "../../../test/stack/servers/database.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import type { AsOf } from "../book/as-of.ts";
import { findAccountAsOf } from "./store/accounts.ts";
import { waitUntilRecorded } from "../posting/store/as-of.ts";
import { readBalances } from "./store/balances.ts";
import { guardsOff } from "../../../test/stack/database/guards-off.ts";

// A journal a minute from January on, between two busy accounts among 30; ten journals per checkpoint. One journal in a
// hundred is effective three days before.
const [small, big] = [newUuid(), newUuid()];
const journals = { [small]: 1_000, [big]: 100_000 };
const begins = "2026-01-01T05:00:00Z";
const account = (n: string) => `('019b0000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;
const busy = {
  [small]: "019b0000-0000-7000-8000-000000001001",
  [big]: "019b0000-0000-7000-8000-000000002001",
};
const minute = (n: string) => `'${begins}'::timestamptz + (${n}) * interval '1 minute'`;

const loads = (book: string, base: number, count: number) =>
  [
    "insert into book (book_id, tenant_id, mode) values (:book, gen_random_uuid(), 'Test')",
    "insert into book_head (book_id, last_seq, head_hash, recorded_at) values (:book, :count, sha256(''), :last)",
    `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft, created_at)
     select :book, ${account(":base + n")}, 'Account ' || n, 'USD', 'Credit', 'Tenant', 'Allowed', '${begins}'
     from generate_series(1, 30) n`,
    `insert into class_total (book_id, class, normal_balance, currency, posted_debit, posted_credit)
     values (:book, 'Tenant', 'Credit', 'USD', :count, :count)`,
    `insert into account_balance (book_id, account_id, version, last_seq, posted_debit, posted_credit)
     select :book, ${account(":base + n")}, case when n < 3 then :count else 0 end, case when n < 3 then :count else 0 end,
       case n when 1 then :count else 0 end, case n when 2 then :count else 0 end
     from generate_series(1, 30) n`,
    `insert into journal (book_id, seq, transaction_id, command_id, effective_at, recorded_at, kind, line_count, digest)
     select :book, n, gen_random_uuid(), gen_random_uuid(),
       ${minute("n")} - case when n % 100 = 0 then interval '3 days' else '0' end, ${minute("n")}, 'Post', 2, sha256('')
     from generate_series(1, :count) n`,
    `insert into entry (book_id, account_id, seq, amount_cents, account_version, held_debit, held_credit, released_debit,
       released_credit, posted_debit, posted_credit, layer, role, direction, line, currency)
     select :book, ${account(":base + side")}, n, 1, n, 0, 0, 0, 0, case side when 1 then n else 0 end,
       case side when 2 then n else 0 end, 'Posted', 'Normal', case side when 1 then 'Debit' else 'Credit' end::side,
       side, 'USD'
     from generate_series(1, :count) n, generate_series(1, 2) side`,
    `insert into checkpoint (book_id, first_seq, last_seq, head_hash, recorded_at, posted_debit, posted_credit, pending_debit,
       pending_credit, class_totals)
     select :book, n - 9, n, sha256(''), ${minute("n")}, n, n, 0, 0,
       array[('Tenant', 'Credit', 'USD', 0, 0, 0, 0, n, n)::class_counters]
     from generate_series(10, :count, 10) n`,
    `insert into account_day
     select :book, ${account(":base + side")}, day, 0, 0, 0, 0, case side when 1 then cents else 0 end,
       case side when 2 then cents else 0 end
     from generate_series(1, 2) side, lateral (
       select v.day, sum(v.sign) as cents
       from (
         select (effective_at at time zone 'America/New_York')::date as effective_on,
           ((${minute("ceil(seq / 10.0) * 10")}) at time zone 'America/New_York')::date as checkpoint_on
         from journal
         where book_id = :book
       ) j
       cross join lateral (values (effective_on, 1), (checkpoint_on, -1)) v (day, sign)
       where effective_on <> checkpoint_on
       group by v.day
     ) d`,
    `insert into class_day
     select :book, 'Tenant', 'Credit', 'USD', day, 0, 0, 0, 0, sum(posted_debit), sum(posted_credit)
     from account_day where book_id = :book group by day`,
  ].map((statement) =>
    statement
      .replaceAll(":book", `'${book}'::uuid`)
      .replaceAll(":base", String(base))
      .replaceAll(":count", String(count))
      .replaceAll(":last", minute(String(count))),
  );

let database: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  database = await createDatabase("ledger");
  client = new pg.Client(database.urlOf("ledger"));
  await client.connect();
  // The connection keeps plans of the functions that it made while every table was empty.
  for (const book of [small, big]) for (const read of reads) await read.by(query, book);
  const admin = new pg.Client(database.adminUrl);
  await admin.connect();
  await admin.query(guardsOff("ledger"));
  await admin.query("set search_path = ledger");
  for (const statement of [...loads(small, 1_000, 1_000), ...loads(big, 2_000, 100_000)]) {
    await admin.query(statement).catch((error: unknown) => {
      throw new Error(statement, { cause: error });
    });
  }
  await admin.end();
});
afterAll(async () => {
  await client.end();
  await database.drop();
});

const query: Sql = async (text, params = []) => (await client.query(text, [...params])).rows as never;

/** Pages of 8 kB that a statement touches, those of the functions that it calls too. */
async function pagesOf(read: (sql: Sql) => Promise<unknown>): Promise<number> {
  let pages = 0;
  const counting: Sql = async (text, params) => {
    const explained = `explain (analyze, buffers, timing off, format json) ${text}`;
    const [row] = await query<{ "QUERY PLAN": [{ Plan: Record<string, number> }] }>(explained, params);
    const plan = row!["QUERY PLAN"][0].Plan;
    pages += (plan["Shared Hit Blocks"] ?? 0) + (plan["Shared Read Blocks"] ?? 0);
    return [];
  };
  // Twice: the first run also reads the catalogue, and must not be counted.
  await read(counting).catch(() => undefined);
  pages = 0;
  await read(counting).catch(() => undefined);
  return pages;
}

/** `then` is in the middle of the small book and near the start of the big one; `late` is far into the big one. */
const then: AsOf = { kind: "Recorded", asOfMs: Date.parse(begins) + 505 * 60_000 };
const late: AsOf = { kind: "Recorded", asOfMs: Date.parse(begins) + 60_005 * 60_000 };
const day: AsOf = { kind: "Effective", day: "2026-01-01" };
const lateDay: AsOf = { kind: "Effective", day: "2026-02-20" };
const page = { after: null, limit: 25 };
const readsOfTenants = [then, late, day, lateDay].flatMap((moment) => [
  {
    what: `an account, ${JSON.stringify(moment)}`,
    by: (sql: Sql, book: string) => findAccountAsOf(sql, book, busy[book]!, moment),
    pages: 200,
  },
  {
    what: `a page of balances with totals, ${JSON.stringify(moment)}`,
    by: (sql: Sql, book: string) => readBalances(sql, book, page, moment),
    pages: 600,
  },
]);
const reads = [
  ...readsOfTenants,
  {
    what: "whether a time is over",
    by: (sql: Sql, book: string) => waitUntilRecorded(sql, book, Date.parse(begins)),
    pages: 10,
  },
];

describe("what a read of the past touches", () => {
  /** The books in which it touches more than it may, with how much that is. */
  const tooMany = async ({ by, pages }: (typeof reads)[number]) => {
    const touched = [];
    for (const book of [small, big]) {
      touched.push({ journals: journals[book], pages: await pagesOf((sql) => by(sql, book)) });
    }
    return touched.filter((one) => one.pages > pages);
  };

  it.each(reads)("$what: about the same in a book a hundred times as long", async (read) => {
    expect(await tooMany(read)).toEqual([]);
  });

  it("is the same for a tenant's read, with the policies of its role", async () => {
    for (const { what, by, pages } of readsOfTenants) {
      for (const book of [small, big]) {
        await client.query("begin");
        await client.query("set local role ledger_reader");
        await client.query(`set local ledger.book = '${book}'`);
        const touched = await pagesOf((sql) => by(sql, book));
        await client.query("rollback");
        expect(touched, what).toBeGreaterThan(0);
        expect(touched, what).toBeLessThanOrEqual(pages);
      }
    }
  });

  it("is the same after the tables were analyzed", async () => {
    const admin = new pg.Client(database.adminUrl);
    await admin.connect();
    await admin.query("vacuum analyze");
    await admin.end();
    for (const read of reads) expect(await tooMany(read), read.what).toEqual([]);
  });

  it.each<[string, AsOf, bigint]>([
    ["by record time, before the batch that was under way", then, 500n],
    ["by record time, deep inside", late, 60_000n],
    // The 1,439 minutes of that day, nine of them in a checkpoint of the next, and 43 of the three days after it.
    ["by effective day", day, 1_482n],
  ])("gives the right balance %s", async (_which, moment, cents) => {
    const found = await findAccountAsOf(query, big, busy[big]!, moment);
    expect(BigInt(String(found!.posted_debit))).toBe(cents);
  });
});
