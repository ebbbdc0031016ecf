/** An attack for each trigger. */
import { newUuid } from "../../../contracts/ids/ids.ts";
import { type Attack, copyOf } from "./attack.ts";
import { pendingIsListed } from "./pending-list.ts";

const parts = [0, 1, 2, 3, 4, 5, 6, 7];
const refusedAs = (refused: string, ...statements: string[]): Attack => ({ statements, refused });
const happens = "nobody refused it";

const appended = [
  "account_chain",
  "bank_line",
  "bank_statement",
  "book",
  "closed_period",
  "command",
  "command_decision",
  "command_retry",
  "entry",
  "freeze_event",
  "journal",
  "journal_note",
  "obligation_event",
  "reconciliation",
  "reconciliation_item",
  "checkpoint",
  "transaction_detail",
];
const derived = [
  "account_chain",
  "account_balance",
  "account_day",
  "book_head",
  "class_day",
  "class_total",
  "checkpoint",
  "dated_entry",
];
const kept = [
  "account",
  "account_balance",
  "account_day",
  "book_head",
  "class_day",
  "class_total",
  "dated_entry",
  "inbound_payment",
  "obligation",
  "virtual_account",
];
const entryTables = ["entry", ...parts.map((part) => `entry_${String(part)}`)];
const neverEmptied = [
  ...new Set([...appended, ...derived, ...kept]),
  "deferred_command",
  ...parts.flatMap((part) => [`entry_${String(part)}`, `journal_${String(part)}`]),
];

const openBook = `insert into book (book_id, tenant_id, mode) values ('${newUuid()}', '${newUuid()}', 'Test')`;
const ofNewest = (table: string) =>
  `select 1 / count(*) from ${table} where book_id = (select book_id from book order by created_at desc limit 1)`;

const single: Readonly<Record<string, Attack>> = {
  "account.account_identity": refusedAs("LG001 account_identity", "update account set name = 'Mine'"),
  "account.account_closes_empty": refusedAs(
    "LG012 account_closes_empty",
    "update account set closed_at = now() where class = 'Suspense'",
  ),
  // These triggers create rows that belong to a new row. Without them the count is 0, and dividing by it fails.
  "account.account_opens_at_zero": refusedAs(
    happens,
    copyOf("account", { account_id: newUuid(), name: "New", external_id: null }, "class = 'Tenant'"),
    `select 1 / count(b.*) from account a left join account_balance b using (book_id, account_id) where a.name = 'New'`,
  ),
  "account.account_joins_chain": refusedAs(
    happens,
    copyOf("account", { account_id: newUuid(), name: "Newer", external_id: null }, "class = 'Tenant'"),
    `select 1 / count(c.*) from account a left join account_chain c using (book_id, account_id) where a.name = 'Newer'`,
  ),
  // A change of an account must invalidate the writer's account cache.
  "account.account_change_is_counted": refusedAs(
    happens,
    "update account set description = 'Changed' where class = 'Suspense'",
    "select 1 / count(*) from book_head where account_changes > 0",
  ),
  "book.book_creates_head": refusedAs(happens, openBook, ofNewest("book_head")),
  "book.book_creates_audit": refusedAs(happens, openBook, ofNewest("audit")),
  "book_head.book_is_frozen": refusedAs(
    "LG020 book_is_frozen",
    "alter table book_head disable trigger derived_by_trigger_only",
    "update book_head set state = 'Frozen'",
    "update book_head set last_seq = last_seq + 1",
  ),
  "freeze_event.freeze_event_sets_state": refusedAs(
    "LG021 freeze_in_order",
    copyOf("freeze_event", { number: 9, state: "Open" }),
  ),
  "deferred_command.deferred_command_identity": refusedAs(
    "LG001 deferred_command_identity",
    "update deferred_command set message = '{\"other\":true}'",
  ),
  "inbound_payment.inbound_payment_is_booked": refusedAs(
    "LG017 inbound_payment_is_booked",
    copyOf("inbound_payment", { inbound_payment_id: newUuid(), bank_reference: "other" }),
  ),
  // A checkpoint must have its batch's class totals.
  "checkpoint.checkpoint_copies_class_totals": refusedAs(
    happens,
    "alter table checkpoint disable trigger derived_by_trigger_only",
    copyOf("checkpoint", { last_seq: 9, class_totals: null }),
  ),
  "virtual_account.virtual_account_identity": refusedAs(
    "LG001 virtual_account_identity",
    "update virtual_account set name = 'Mine'",
  ),
  "virtual_account.virtual_account_credits_tenant": refusedAs(
    "LG001 virtual_account_credits_tenant",
    "alter table virtual_account drop constraint virtual_account_number_unique",
    copyOf("virtual_account", {
      virtual_account_id: newUuid(),
      ledger_account_id: newUuid(),
      external_id: null,
    }),
  ),
  "obligation.obligation_agrees_with_liability": refusedAs(
    "LG001 obligation_identity",
    "update obligation set type = 'Other'",
  ),
  // A change that leaves the version to the trigger.
  "obligation.obligation_counts_changes": refusedAs(
    happens,
    "alter table obligation disable trigger obligation_agrees_with_liability",
    "alter table obligation disable trigger obligation_fixed_as_accrued",
    "update obligation set version = 7, updated_at = now() + interval '1 hour'",
    "select 1 / count(*) from obligation where version = 2",
  ),
  "obligation.obligation_fixed_as_accrued": refusedAs(
    "LG040 obligation_fixed_as_accrued",
    "alter table obligation disable trigger obligation_agrees_with_liability",
    "update obligation set fixed_cents = fixed_cents + 1",
  ),
  // A liability account without an obligation.
  "journal.accrual_belongs_to_obligation": refusedAs(
    "LG040 obligation_fixed_as_accrued",
    "alter table entry disable trigger entries_move_balances",
    "alter table journal disable trigger headers_close_batch",
    "alter table journal disable trigger journals_use_their_accounts",
    "alter table account disable trigger user",
    "update account set class = 'ObligationLiability' where class = 'Tenant'",
    copyOf("entry", { seq: 9, account_version: 9 }),
    copyOf(
      "journal",
      { seq: 9, transaction_id: newUuid(), command_id: newUuid(), kind: "Accrue" },
      "kind = 'Post'",
    ),
  ),
};

const forgedEntry = (table: string) =>
  refusedAs(
    "LG003 entry_running_totals",
    copyOf(table, { seq: 9, account_version: 9 }, "account_version = 1"),
  );
/** Its account's next entry in all but that it is closed. */
const onClosedAccount = (table: string) =>
  refusedAs(
    "LG012 entry_account_closed",
    "alter table account disable trigger user",
    "update account set closed_at = now() where class = 'Tenant'",
    copyOf(table, { seq: 9, account_version: 2 }, "account_version = 1"),
  );
const gap = (table: string) =>
  refusedAs(
    "LG006 journal_sequence_gap_free",
    copyOf(table, { seq: 9, transaction_id: newUuid(), command_id: newUuid() }, "kind = 'Post'"),
  );

/**
 * A journal that is effective on another day than it is recorded: its day must get a row, or the count is 0.
 */
const backdated = (journal: string, entry: string): Attack => {
  const inBook = `book_id = (select book_id from ${entry} order by book_id limit 1)`;
  const own = {
    seq: 9,
    transaction_id: newUuid(),
    command_id: newUuid(),
    effective_at: "2020-01-01T12:00:00Z",
  };
  return refusedAs(
    happens,
    `alter table ${entry} disable trigger entries_move_balances`,
    `alter table ${journal} disable trigger headers_close_batch`,
    copyOf(entry, { seq: 9, account_version: 9 }, inBook),
    copyOf(journal, own, `${inBook} and kind = 'Post'`),
    "select 1 / count(*) from account_day where day = '2020-01-01'",
  );
};

/** A manual posting from the bank's account. */
const misplaced = (journal: string, entry: string): Attack => {
  // A book with the chart of accounts has a SettlementCash account already, and no second one is allowed.
  const inBook = `book_id = (select e.book_id from ${entry} e where not exists
    (select from account a where a.book_id = e.book_id and a.name <> 'Payroll') order by e.book_id limit 1)`;
  return refusedAs(
    "LG013 journal_accounts_of_its_kind",
    `alter table ${entry} disable trigger entries_move_balances`,
    `alter table ${journal} disable trigger headers_close_batch`,
    "alter table account disable trigger user",
    `update account set class = 'SettlementCash' where ${inBook} and class = 'Tenant'`,
    copyOf(entry, { seq: 9, account_version: 9 }, inBook),
    copyOf(
      journal,
      { seq: 9, transaction_id: newUuid(), command_id: newUuid() },
      `${inBook} and kind = 'Post'`,
    ),
  );
};

/** A manual posting into a period that was closed. */
const intoClosedPeriod = (journal: string, entry: string): Attack => {
  const first = `(select book_id from ${entry} order by book_id limit 1)`;
  const own = {
    seq: 9,
    transaction_id: newUuid(),
    command_id: newUuid(),
    effective_at: "2020-01-01T12:00:00Z",
  };
  return refusedAs(
    "LG014 journal_period_open",
    `alter table ${entry} disable trigger entries_move_balances`,
    `alter table ${journal} disable trigger headers_close_batch`,
    `insert into closed_period (book_id, closed_through, reason) values (${first}, '2020-01-02', 'January')`,
    copyOf(entry, { seq: 9, account_version: 9 }, `book_id = ${first}`),
    copyOf(journal, own, `book_id = ${first} and kind = 'Post'`),
  );
};

/** Rows that nobody updates at all: the attack inserts one. */
const inserted: Readonly<Record<string, object>> = {
  checkpoint: { last_seq: 9 },
  account_chain: { position: 9, account_id: newUuid() },
};

export const triggerAttacks: ReadonlyMap<string, Attack> = new Map<string, Attack>([
  ...Object.entries(single),
  ...derived.map(
    (table) =>
      [
        `${table}.derived_by_trigger_only`,
        table in inserted
          ? refusedAs("LG001 derived_by_trigger_only", copyOf(table, inserted[table] ?? {}))
          : refusedAs("LG001 derived_by_trigger_only", `update ${table} set book_id = book_id`),
      ] as const,
  ),
  ...kept.map(
    (table) => [`${table}.never_deleted`, refusedAs("LG001 append_only", `delete from ${table}`)] as const,
  ),
  // Every referencing table refuses it with the same error; the message names the table.
  ...neverEmptied.map(
    (table) =>
      [
        `${table}.never_truncated`,
        refusedAs(`append-only: truncate on ledger.${table} is refused`, `truncate ${table} cascade`),
      ] as const,
  ),
  ...appended.map(
    (table) =>
      [
        `${table}.append_only`,
        refusedAs("LG001 append_only", `update ${table} set book_id = book_id`),
      ] as const,
  ),
  ...entryTables.map((table) => [`${table}.entries_move_balances`, forgedEntry(table)] as const),
  ["journal.journal_in_open_period", intoClosedPeriod("journal", "entry")],
  ["journal.journal_lists_pending", pendingIsListed],
  ...["journal", ...parts.map((part) => `journal_${String(part)}`)].flatMap((table) => [
    [`${table}.headers_close_batch`, gap(table)] as const,
    [`${table}.journals_use_their_accounts`, misplaced(table, table.replace("journal", "entry"))] as const,
    [`${table}.journals_move_days`, backdated(table, table.replace("journal", "entry"))] as const,
  ]),
]);

/** Further attacks, for guards that check several things or hold in every partition. */
export const furtherAttacks: readonly (readonly [string, Attack])[] = [
  ...entryTables.map((table) => [`${table}.entries_move_balances`, onClosedAccount(table)] as const),
  ...parts.map(
    (part) =>
      ["journal.journal_in_open_period", intoClosedPeriod(`journal_${part}`, `entry_${part}`)] as const,
  ),
];

/** An append-only row is not deleted either. */
export const deletions: readonly string[] = appended;
