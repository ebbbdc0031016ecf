import { type BookId, idOf, uuidOf } from "../../../contracts/ids/ids.ts";
import type { BookClock } from "../../../contracts/book-clock.ts";
import { type ClockColumns, clockColumns, clockOf, lateralClock } from "../../platform/clock/book-clocks.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { type ApprovalPolicy, policyOf } from "../order/approval-policy.ts";
import type { ApprovalRight } from "../order/approvals.ts";

export interface BookRules {
  readonly suspended: boolean;
  /** The ledger has frozen the book and posts nothing to it. */
  readonly frozen: boolean;
  readonly policy: ApprovalPolicy;
  /** By principal. Only of those whose right to approve ended once, or will end. */
  readonly approvalRights: ReadonlyMap<string, ApprovalRight>;
  /** How many banking days a settled ACH order waits for returns. */
  readonly completesAfterBankingDays: number;
  /** Undefined for a book without a clock of its own. */
  readonly clock: BookClock | undefined;
}

/**
 * The status, policy, approval rights and clock of each book: one statement, with one probe of each key per book, and
 * the book's rows of `approval_right`: principals whose right ended once, or will end.
 */
export async function readBookRules(
  sql: Sql,
  books: readonly BookId[],
): Promise<ReadonlyMap<BookId, BookRules>> {
  const distinct = [...new Set(books)];
  const rows = await sql<RulesRow>(
    `select k.book_id, coalesce(not s.active, false) as suspended, coalesce(s.frozen, false) as frozen, p.policy,
       s.completes_after_banking_days, ${clockColumns},
       (select jsonb_object_agg(r.principal, jsonb_build_object('until', r.held_until, 'since', r.held_since))
        from approval_right r
        where r.book_id = k.book_id
          and (r.held_until is not null or r.held_since is not null)) as rights
     from unnest($1::uuid[]) as k (book_id)
     left join lateral (
       select active, frozen, completes_after_banking_days from book_status b
       where b.book_id = k.book_id
       offset 0
     ) s on true
     left join lateral (
       select policy from approval_policy a
       where a.book_id = k.book_id
       order by version desc
       limit 1
     ) p on true
     ${lateralClock("k.book_id")}`,
    [distinct.map(uuidOf)],
  );
  return new Map(rows.map((row) => [idOf("book", row.book_id), rulesOf(row)]));
}

interface RulesRow extends ClockColumns {
  book_id: string;
  suspended: boolean;
  frozen: boolean;
  policy: ApprovalPolicy | null;
  rights: StoredRights | null;
  completes_after_banking_days: number | null;
}

const defaultCompletionDelay = 2;

function rulesOf(row: RulesRow): BookRules {
  const { suspended, frozen, policy, rights } = row;
  return {
    suspended,
    frozen,
    policy: policyOf(policy),
    approvalRights: rightsOf(rights),
    completesAfterBankingDays: row.completes_after_banking_days ?? defaultCompletionDelay,
    clock: clockOf(row),
  };
}

type StoredRights = Readonly<
  Record<string, { readonly until: string | null; readonly since: string | null }>
>;

const noneLimited: ReadonlyMap<string, ApprovalRight> = new Map();

function rightsOf(rights: StoredRights | null): ReadonlyMap<string, ApprovalRight> {
  if (rights === null) return noneLimited;
  const timeOf = (text: string | null) => (text === null ? null : new Date(text));
  return new Map(
    Object.entries(rights).map(([principal, { until, since }]) => [
      principal,
      { since: timeOf(since), until: timeOf(until) },
    ]),
  );
}

/** The operator's status of a tenant, after a change. */
interface TenantStatus {
  readonly active: boolean;
  /** Counts the changes; 0 if a gateway of the previous release sent it, which had no versions. */
  readonly version: number;
  readonly since: string;
}

/**
 * Records the operator's status of a book. Returns false, and changes nothing, if this change or a later one is
 * recorded already. The version decides which is later, or else the time.
 */
export async function upsertTenantStatus(
  sql: Sql,
  book: BookId,
  { active, version, since }: TenantStatus,
): Promise<boolean> {
  const rows = await sql(
    `insert into book_status (book_id, active, since, status_version)
     values ($1, $2, $3, $4)
     on conflict on constraint book_status_pkey do update
       set active = excluded.active,
           since = excluded.since,
           status_version = excluded.status_version
       where book_status.status_version < excluded.status_version
         or book_status.status_version = 0
           and excluded.status_version = 0
           and book_status.since < excluded.since
     returning 1`,
    [uuidOf(book), active, since, version],
  );
  return rows.length > 0;
}

/**
 * Records whether the ledger has frozen a book. `version` counts the freezes and unfreezes. Returns false, and changes
 * nothing, if this version or a later one is recorded already.
 */
export async function upsertFrozen(
  sql: Sql,
  book: BookId,
  frozen: boolean,
  version: number,
): Promise<boolean> {
  const rows = await sql(
    `insert into book_status (book_id, active, since, frozen, frozen_version)
     values ($1, true, '-infinity', $2, $3)
     on conflict on constraint book_status_pkey do update
       set frozen = excluded.frozen,
           frozen_version = excluded.frozen_version
       where book_status.frozen_version < excluded.frozen_version
     returning 1`,
    [uuidOf(book), frozen, version],
  );
  return rows.length > 0;
}

/** Sets how many banking days a settled ACH order of a book waits for returns. */
export async function upsertCompletionDelay(sql: Sql, book: BookId, bankingDays: number): Promise<void> {
  await sql(
    `insert into book_status (book_id, active, since, completes_after_banking_days)
     values ($1, true, '-infinity', $2)
     on conflict on constraint book_status_pkey do update
       set completes_after_banking_days = excluded.completes_after_banking_days`,
    [uuidOf(book), bankingDays],
  );
}
