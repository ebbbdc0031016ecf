import type { LedgerAccountJournal } from "../../../../contracts/http/ledger/account-history.ts";
import { idOf } from "../../../../contracts/ids/ids.ts";
import { aboveAllNumbers } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { type Balances, balancesOf, type Side, zeroCounters } from "../../book/account.ts";
import { exactCents } from "../../book/exact-cents.ts";
import type { JournalKind } from "../../book/journal.ts";
import { ownerOf } from "../../book/transaction-owner.ts";
import { type CounterColumns, countersOf } from "../../posting/store/accounts.ts";

/** A journal by its last entry on the account: the counters are those after it. */
interface JournalRow extends CounterColumns {
  account_version: bigint;
  seq: bigint;
  kind: JournalKind;
  transaction_id: string;
  order_id: string | null;
  assigned: string | null;
  liability: string | null;
  effective_at: Date;
  recorded_at: Date;
  description: string | null;
  external_id: string | null;
}

export interface AccountJournalRow extends JournalRow {
  /** The last entry of the journal before; undefined if there is none. */
  readonly before: JournalRow | undefined;
}

/** A journal has at most 200 lines (`entry_line_range`). */
const maxLines = 200;

/**
 * Finds the next older journal by skipping the other lines of the current one, which have the versions right below it.
 * `$1` is the book, `$2` the account, `$3` the version above the page, `$4` the number of journals.
 */
const walked = `
  (
    select x.*, 1 as position
    from entry x
    where x.book_id = $1
      and x.account_id = $2
      and x.account_version < $3
    order by x.account_version desc
    limit 1
  )
  union all
  select e.*, w.position + 1
  from walked w
  cross join lateral (
    select y.*
    from (
      select *
      from entry x
      where x.book_id = w.book_id
        and x.account_id = w.account_id
        and x.account_version < w.account_version
        and x.account_version >= w.account_version - ${String(maxLines)}
      order by x.account_version desc
      offset 0
    ) y
    where y.seq < w.seq
    limit 1
  ) e
  where w.position < $4`;

/** The liability account of an obligation that journal `j` accrues. */
const liabilityOfAccrual = `
  select a.account_id as liability
  from (select * from entry x where x.book_id = j.book_id and x.seq = j.seq offset 0) e
  cross join lateral (
    select * from account x where x.book_id = e.book_id and x.account_id = e.account_id offset 0
  ) a
  where j.kind = 'Accrue'
    and a.class = 'ObligationLiability'
  limit 1`;

/**
 * An account's journals by descending version, `limit + 1` of them, each with the one before it: one row per journal,
 * its newest entry, whose running totals are the balances after the journal. What else is shown is looked up by key.
 */
export async function listAccountJournals(
  sql: Sql,
  book: string,
  account: string,
  page: { readonly after: string | null; readonly limit: number },
): Promise<AccountJournalRow[]> {
  const rows = await sql<JournalRow>(
    `with recursive walked as (${walked})
     select w.account_version, w.seq, w.held_debit, w.held_credit, w.released_debit, w.released_credit, w.posted_debit,
       w.posted_credit, j.kind, j.transaction_id, j.order_id, j.effective_at, j.recorded_at, p.assigned, o.liability,
       coalesce(n.description, d.description) as description, d.external_id
     from walked w
     cross join lateral (select * from journal x where x.book_id = w.book_id and x.seq = w.seq offset 0) j
     left join lateral (
       select * from journal_note x where x.book_id = w.book_id and x.seq = w.seq offset 0
     ) n on true
     left join lateral (
       select * from transaction_detail x where x.book_id = w.book_id and x.transaction_id = j.transaction_id offset 0
     ) d on true
     left join lateral (
       select x.book_id, x.inbound_payment_id as assigned
       from inbound_payment x
       where j.kind = 'Assign'
         and x.assigned_transaction_id = j.transaction_id
       offset 0
     ) p on p.book_id = w.book_id
     left join lateral (${liabilityOfAccrual}) o on true
     order by w.account_version desc`,
    [book, account, page.after ?? aboveAllNumbers, page.limit + 1],
  );
  return rows.map((row, index) => ({ ...row, before: rows[index + 1] }));
}

/** Where the page after this journal begins: below the version that follows the journal before it. */
export const keyOfJournal = ({ before }: AccountJournalRow): string =>
  String((before?.account_version ?? 0n) + 1n);

/** Refusals: `balance_out_of_range`. */
export function toAccountJournal(row: AccountJournalRow, normalBalance: Side): LedgerAccountJournal {
  const after = balancesOf(normalBalance, countersOf(row));
  const before = balancesOf(normalBalance, row.before === undefined ? zeroCounters : countersOf(row.before));
  const change = (balance: keyof Balances) => exactCents(after[balance] - before[balance]);
  return {
    sequence: Number(row.seq),
    kind: row.kind,
    transactionId: idOf("lt", row.transaction_id),
    owner: ownerOf(row),
    description: row.description,
    externalId: row.external_id,
    change: {
      pendingCents: change("pending"),
      pendingInboundCents: change("pendingInbound"),
      postedCents: change("posted"),
      availableCents: change("available"),
    },
    balancesAfter: toFourBalances(after),
    effectiveAt: row.effective_at.toISOString(),
    createdAt: row.recorded_at.toISOString(),
  };
}

/** Refusals: `balance_out_of_range`. */
export const toFourBalances = ({ pending, pendingInbound, posted, available }: Balances) => ({
  pendingBalanceCents: exactCents(pending),
  pendingInboundCents: exactCents(pendingInbound),
  postedBalanceCents: exactCents(posted),
  availableBalanceCents: exactCents(available),
});
