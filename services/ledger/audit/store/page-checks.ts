import {
  type BookId,
  bookIdOf,
  idOf,
  type LedgerAccountId,
  type Mode,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import { planEachTime, type Sql } from "../../../platform/persistence/sql.ts";
import type { AccountClass, Side } from "../../book/account.ts";
import { zeroCounters } from "../../book/account.ts";
import type { Violation } from "../../book/violation.ts";
import type { ReplayedAccount } from "../domain/replay.ts";
import type { ClassTotal } from "../../book/accounting-equation.ts";
import {
  type CounterColumns,
  countersOf,
  countersOfSums,
  type SumColumns,
} from "../../posting/store/accounts.ts";
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";
import { wrongInboundPayments } from "./book-checks.ts";
import { checksOfEach, liabilitiesWithoutObligation, liabilityCheck } from "./obligation-checks.ts";
import type { StoredJournal } from "./read-journals.ts";

// The auditor's queries about a range of journals. Each statement is planned for its own values, because a plan that
// was cached for a small book would read the whole of a big one.

const counterColumns = (of: string) =>
  ["held_debit", "held_credit", "released_debit", "released_credit", "posted_debit", "posted_credit"]
    .map((counter) => `${of}.${counter}`)
    .join(", ");

interface JournalRange {
  readonly book: BookId;
  /** The journals after `after`, up to `upTo`. */
  readonly after: number;
  readonly upTo: number;
}

/**
 * The accounts that a page touches, as they were before it: after the entry that precedes their first one on the page.
 */
export async function accountsBefore(
  sql: Sql,
  book: BookId,
  page: readonly StoredJournal[],
): Promise<Map<LedgerAccountId, ReplayedAccount>> {
  const first = new Map<LedgerAccountId, number>();
  for (const { journal } of page) {
    for (const { accountId, version } of journal.entries) {
      if (!first.has(accountId)) first.set(accountId, version);
    }
  }
  const rows = await sql<
    Partial<CounterColumns> & {
      account_id: string;
      class: AccountClass;
      normal_balance: Side;
      currency: string;
      version: bigint | null;
      seq: bigint | null;
    }
  >(
    `${planEachTime} select u.account_id, a.class, a.normal_balance, a.currency, e.account_version as version, e.seq,
       ${counterColumns("e")}
     from unnest($2::uuid[], $3::bigint[]) as u (account_id, version)
     cross join lateral (
       select * from account x where x.book_id = $1 and x.account_id = u.account_id offset 0
     ) a
     left join lateral (
       select *
       from entry x
       where x.book_id = $1 and x.account_id = u.account_id and x.account_version = u.version - 1
       offset 0
     ) e on true`,
    [uuidOf(book), arrayLiteral([...first.keys()].map(uuidOf)), arrayLiteral([...first.values()])],
  );
  return new Map(
    rows.map((row) => [
      idOf("la", row.account_id),
      {
        class: row.class,
        normalBalance: row.normal_balance,
        currency: row.currency,
        version: Number(row.version ?? 0),
        lastSequence: Number(row.seq ?? 0),
        counters: row.version === null ? zeroCounters : countersOf(row as CounterColumns),
      },
    ]),
  );
}

/** Checks of a range of journals: book $1, sequence > $2 and <= $3. Each selects its violations as text. */
const rangeChecks = {
  "every journal has its command, and every posted command its journal": `
    select format('journal %s', j.seq) as violation
    from journal j
    left join lateral (
      select x.seq, x.transaction_id from command x where x.book_id = $1 and x.command_id = j.command_id offset 0
    ) c on true
    where j.book_id = $1 and j.seq > $2 and j.seq <= $3
      and (c.seq, c.transaction_id) is distinct from (j.seq, j.transaction_id)`,
  "a hold ends at most once, a posting is reversed at most once, a transaction opens once": `
    select format('journals %s, %s', j.seq, o.seq) as violation
    from journal j
    cross join lateral (
      select x.seq
      from journal x
      where x.transaction_id = j.transaction_id and x.book_id = $1 and x.seq <> j.seq
        and (x.resolves_seq is null) = (j.resolves_seq is null)
        and (x.reverses_seq is null) = (j.reverses_seq is null)
        and coalesce(x.resolves_seq, x.reverses_seq, 0) = coalesce(j.resolves_seq, j.reverses_seq, 0)
      offset 0
    ) o
    where j.book_id = $1 and j.seq > $2 and j.seq <= $3`,
  "every inbound payment is what its journal booked": wrongInboundPayments("and j.seq > $2 and j.seq <= $3"),
} as const;

/** Checks the balances of accounts $2 of book $1: each must equal the running totals of the account's newest entry. */
const balancesOfAccounts = `
  select format('account %s', u.account_id) as violation
  from unnest($2::uuid[]) as u (account_id)
  left join lateral (
    select * from account_balance x where x.book_id = $1 and x.account_id = u.account_id offset 0
  ) b on true
  left join lateral (
    select *
    from entry x
    where x.book_id = $1 and x.account_id = u.account_id
    order by x.account_version desc
    limit 1
  ) e on true
  where (b.version, b.last_seq, ${counterColumns("b")}) is distinct from
    (coalesce(e.account_version, 0), coalesce(e.seq, 0), coalesce(e.held_debit, 0), coalesce(e.held_credit, 0),
    coalesce(e.released_debit, 0), coalesce(e.released_credit, 0), coalesce(e.posted_debit, 0), coalesce(e.posted_credit, 0))`;

const balanceCheck = "every balance is its last entry's running totals";

/**
 * The violations that only a query can find: in a range of journals, and in the balances of the accounts that it
 * touches.
 */
export async function violationsInRange(
  sql: Sql,
  { book, after, upTo }: JournalRange,
  touched: readonly LedgerAccountId[],
): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const [check, statement] of Object.entries(rangeChecks)) {
    violations.push(...(await violationsBy(sql, check, statement, [uuidOf(book), after, upTo])));
  }
  const accounts = [uuidOf(book), arrayLiteral(touched.map(uuidOf))];
  return [...violations, ...(await violationsBy(sql, balanceCheck, balancesOfAccounts, accounts))];
}

/** Runs a check and returns at most ten violations, which are enough for an operator. */
export async function violationsBy(
  sql: Sql,
  check: string,
  statement: string,
  params: readonly unknown[],
): Promise<Violation[]> {
  const rows = await sql<{ violation: string }>(`${planEachTime} ${statement} limit 10`, params);
  return rows.map(({ violation }) => ({ check, detail: violation }));
}

/** Entries after the head, which belong to no journal. */
export const entriesAfterHead = `
  select format('entries of journal %s', seq) as violation from entry where book_id = $1 and seq > $2`;

/** A book's id is made from its tenant and mode, so a row with others was changed. */
export async function violationsOfOwner(sql: Sql, book: BookId): Promise<Violation[]> {
  const rows = await sql<{ tenant_id: string; mode: Mode }>(
    "select tenant_id, mode from book where book_id = $1",
    [uuidOf(book)],
  );
  return rows
    .map(({ tenant_id, mode }) => ({ tenant: idOf("ten", tenant_id), mode }))
    .filter(({ tenant, mode }) => bookIdOf(tenant, mode) !== book)
    .map(({ tenant, mode }) => ({
      check: "the book has the tenant and mode of its id",
      detail: `it is the ${mode} book of ${tenant}`,
    }));
}

/** The stored class totals of a book. */
export async function storedClassTotals(sql: Sql, book: BookId): Promise<ClassTotal[]> {
  const rows = await sql<SumColumns & { class: AccountClass; normal_balance: Side; currency: string }>(
    `select class, normal_balance, currency, ${counterColumns("t")} from class_total t where book_id = $1`,
    [uuidOf(book)],
  );
  return rows.map((row) => ({
    class: row.class,
    normalBalance: row.normal_balance,
    currency: row.currency,
    counters: countersOfSums(row),
  }));
}

const liabilitiesOfAccounts = liabilitiesWithoutObligation("and a.account_id = any($2::uuid[])");

/**
 * Verifies the next `count` accounts after `after`: their balances, and that each liability has its obligation. `next`
 * is the last id, or null after the last account.
 */
export async function verifyAccounts(
  sql: Sql,
  book: BookId,
  after: string,
  count: number,
): Promise<{ readonly next: string | null; readonly violations: Violation[] }> {
  const rows = await sql<{ account_id: string }>(
    "select account_id from account where book_id = $1 and account_id > $2 order by account_id limit $3",
    [uuidOf(book), after, count],
  );
  const ids = rows.map(({ account_id }) => account_id);
  const accounts = [uuidOf(book), arrayLiteral(ids)];
  const violations = [
    ...(await violationsBy(sql, balanceCheck, balancesOfAccounts, accounts)),
    ...(await violationsBy(sql, liabilityCheck, liabilitiesOfAccounts, accounts)),
  ];
  return { next: rows.length < count ? null : (ids.at(-1) ?? null), violations };
}

const obligationChecks = Object.entries(checksOfEach("and o.obligation_id = any($2::uuid[])"));

/** Verifies the next `count` obligations after `after`. `next` is the last id, or null after the last obligation. */
export async function verifyObligations(
  sql: Sql,
  book: BookId,
  after: string,
  count: number,
): Promise<{ readonly next: string | null; readonly violations: Violation[] }> {
  const rows = await sql<{ obligation_id: string }>(
    "select obligation_id from obligation where book_id = $1 and obligation_id > $2 order by obligation_id limit $3",
    [uuidOf(book), after, count],
  );
  const ids = rows.map(({ obligation_id }) => obligation_id);
  const violations: Violation[] = [];
  for (const [check, statement] of obligationChecks) {
    violations.push(...(await violationsBy(sql, check, statement, [uuidOf(book), arrayLiteral(ids)])));
  }
  return { next: rows.length < count ? null : (ids.at(-1) ?? null), violations };
}

/** Verifies that each posted command among the next `count` after `after` has its journal. `next` as above. */
export async function verifyCommands(
  sql: Sql,
  book: BookId,
  after: string,
  count: number,
): Promise<{ readonly next: string | null; readonly violations: Violation[] }> {
  const [row] = await sql<{ next: string | null; rows: bigint; orphans: string | null }>(
    `${planEachTime} select max(c.command_id::text) as next, count(*) as rows,
       string_agg(c.seq::text, ', ') filter (where c.seq is not null and j.seq is null) as orphans
     from (
       select * from command x where x.book_id = $1 and x.command_id > $2 order by x.command_id limit $3
     ) c
     left join lateral (
       select x.seq
       from journal x
       where x.book_id = $1 and x.seq = c.seq and x.command_id = c.command_id and x.transaction_id = c.transaction_id
       offset 0
     ) j on true`,
    [uuidOf(book), after, count],
  );
  const check = "every journal has its command, and every posted command its journal";
  const orphans = row?.orphans ?? null;
  return {
    next: row === undefined || Number(row.rows) < count ? null : row.next,
    violations: orphans === null ? [] : [{ check, detail: `journal ${orphans.slice(0, 200)}` }],
  };
}
