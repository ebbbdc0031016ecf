/** An attack for each check, key and foreign key. */
import { newUuid } from "../../../contracts/ids/ids.ts";
import { alone, type Attack, copyOf } from "./attack.ts";

/** A change of an existing row that a check refuses. */
const breaks = (set: string, where = "true") => ({ set, where });

const checks: Readonly<Record<string, { set: string; where: string }>> = {
  "account.account_name_length": breaks("name = ''"),
  "account_chain.account_chain_head_is_sha256": breaks("head_hash = ''"),
  "account_balance.account_balance_released_is_held": breaks("released_debit = held_debit + 1"),
  "bank_line.bank_line_account_at_bank": breaks("account = 'Tenant'"),
  "bank_line.bank_line_amount_range": breaks("amount_cents = 0"),
  "bank_line.bank_line_side_known": breaks("side = 'Debit'"),
  "bank_statement.bank_statement_hash_is_sha256": breaks("hash = ''"),
  "book.book_mode_known": breaks("mode = 'test'"),
  "book_head.book_head_hash_is_sha256": breaks("head_hash = ''"),
  "closed_period.closed_period_reason_given": breaks("reason = ''"),
  "command.command_one_outcome": breaks("refusal_code = 'no', refusal_detail = 'no'"),
  "command.command_refusal_explained": breaks("seq = null, refusal_code = 'no'"),
  "entry.entry_amount_range": breaks("amount_cents = -5"),
  "entry.entry_discharge_is_pending": breaks("role = 'Discharge'"),
  "entry.entry_line_range": breaks("line = 201"),
  "freeze_event.freeze_event_reason_given": breaks("actor = ''"),
  "command_decision.command_decision_reason_given": breaks("actor = ''"),
  "command_decision.command_decision_kind_known": breaks("kind = 'Kept', message = null"),
  "command_decision.command_decision_keeps_message": breaks("message = null"),
  "command_retry.command_retry_reason_given": breaks("actor = ''"),
  "inbound_payment.inbound_payment_amount_range": breaks("amount_cents = 0"),
  "inbound_payment.inbound_payment_fits_its_status": breaks("seq = null"),
  "inbound_payment.inbound_payment_return_of_no_order": breaks(
    "original_trace = '791'",
    "reason is not null",
  ),
  "inbound_payment.inbound_payment_proposal": breaks("proposed_by = 'maker'"),
  "inbound_payment.inbound_payment_last4": breaks("account_number_last4 = '00012'"),
  "journal.journal_digest_is_sha256": breaks("digest = ''"),
  "journal.journal_digest_version_known": breaks("digest_version = 3"),
  "journal.journal_line_count": breaks("line_count = 1"),
  "journal.journal_refers_back": breaks("resolves_seq = seq", "kind = 'Settle'"),
  "journal.journal_resolves_a_hold": breaks("kind = 'Hold'", "kind = 'Settle'"),
  "journal.journal_reverses_a_posting": breaks("kind = 'Reverse'", "kind = 'Post'"),
  "journal.journal_seq_positive": breaks("seq = 0", "kind = 'Post'"),
  "journal_note.journal_note_description_length": breaks("description = ''"),
  "obligation.obligation_request_has_due_time": breaks("request_due_at = now()"),
  "obligation.obligation_fixed_range": breaks("fixed_cents = -1"),
  "obligation.obligation_open_is_unbooked": breaks("status = 'Open', payment_order_id = null"),
  "obligation.obligation_payable_has_no_order": breaks("status = 'Fixed'"),
  "obligation.obligation_remitting_has_one_order": breaks("status = 'Remitting'"),
  "obligation.obligation_status_known": breaks("status = 'Paid'"),
  "obligation.obligation_type_known": breaks("type = 'Payroll'"),
  "obligation_event.obligation_event_accrues_or_pays": breaks("order_id = null", "kind = 'Held'"),
  "obligation_event.obligation_event_journal": breaks("seq = 1"),
  "obligation_event.obligation_event_kind": breaks("kind = 'Paid'", "kind = 'Held'"),
  "reconciliation.reconciliation_compares_a_statement": breaks("in_transit_cents = null"),
  "reconciliation.reconciliation_reconciled_is_zero": breaks("difference_cents = 1", "status = 'Reconciled'"),
  "reconciliation.reconciliation_status_known": breaks(
    "status = 'Fine', difference_cents = 1",
    "status = 'Reconciled'",
  ),
  "reconciliation_item.reconciliation_item_source_known": breaks("source = 'Book'"),
  "checkpoint.checkpoint_pending_balances": breaks("pending_debit = pending_credit + 1"),
  "checkpoint.checkpoint_posted_balances": breaks("posted_debit = posted_credit + 1"),
  "checkpoint.checkpoint_range": breaks("first_seq = last_seq + 1"),
  "transaction_detail.transaction_detail_basis_known": breaks("basis = 'Guess'"),
  "transaction_detail.transaction_detail_description_length": breaks("description = ''"),
  "virtual_account.virtual_account_hash_is_sha256": breaks("number_hash = ''"),
  "virtual_account.virtual_account_name_length": breaks("name = ''"),
  "virtual_account.virtual_account_status_known": breaks("status = 'Open'"),
};

const otherHash = `\\x${"5a".repeat(32)}`;

/** A copy of an existing row with other values in the named columns, which a key refuses. */
const twin = (changed: object, where = "true") => ({ changed, where });

const keys: Readonly<Record<string, { changed: object; where: string }>> = {
  "account_chain.account_chain_pk": twin({ account_id: newUuid() }),
  "account_chain.account_chain_account_once": twin({ position: 9 }),
  "account.account_pk": twin({ name: "Other", external_id: null }, "class = 'Tenant'"),
  "account.account_chart_class_unique": twin({ account_id: newUuid(), name: "Other" }, "class = 'Suspense'"),
  "account.account_external_id_unique": twin(
    { account_id: newUuid(), name: "Other" },
    "external_id is not null",
  ),
  "account.account_name_unique": twin({ account_id: newUuid(), external_id: null }, "class = 'Tenant'"),
  "account_balance.account_balance_pk": twin({}),
  "account_day.account_day_pk": twin({}),
  "dated_entry.dated_entry_pk": twin({}),
  "audit.audit_pk": twin({}),
  "bank_line.bank_line_pk": twin({}),
  "bank_statement.bank_statement_pk": twin({ statement_id: newUuid() }),
  "bank_statement.bank_statement_by_id": twin({ number: 2 }),
  "book.book_pk": twin({ tenant_id: newUuid() }),
  "book.book_tenant_mode_unique": twin({ book_id: newUuid() }),
  "book_head.book_head_pk": twin({}),
  "class_day.class_day_pk": twin({}),
  "class_total.class_total_pk": twin({}),
  "closed_period.closed_period_pk": twin({}),
  "command.command_pk": twin({}),
  "entry.entry_pk": twin({ account_version: 2 }),
  "freeze_event.freeze_event_pk": twin({}),
  "command_decision.command_decision_pk": twin({ kind: "LeftOut", message: null }),
  "command_decision.command_decision_dropped_once": twin({ number: 2 }),
  "command_retry.command_retry_pk": twin({}),
  "deferred_command.deferred_command_pk": twin({ command_id: newUuid() }),
  "deferred_command.deferred_command_unique": twin({ position: 2 }),
  "inbound_payment.inbound_payment_pk": twin({ bank_reference: "other" }),
  "inbound_payment.inbound_payment_once_per_code": twin({ inbound_payment_id: newUuid() }),
  "inbound_payment.inbound_payment_by_assignment": twin(
    { inbound_payment_id: newUuid(), bank_reference: "another" },
    "assigned_transaction_id is not null",
  ),
  "journal.journal_pk": twin({ transaction_id: newUuid() }, "kind = 'Post'"),
  "journal.journal_one_opening": twin({ seq: 9 }, "kind = 'Post'"),
  "journal.journal_one_resolution": twin({ seq: 9 }, "kind = 'Settle'"),
  "journal.journal_one_reversal": twin({ seq: 9 }, "kind = 'LateReturn'"),
  "journal_note.journal_note_pk": twin({}),
  "transaction_policy.transaction_policy_pk": twin({}),
  "obligation.obligation_pk": twin({ payment_order_id: null }),
  "obligation.obligation_one_order": twin({ obligation_id: newUuid() }),
  "obligation_event.obligation_event_pk": twin({}),
  "reconciliation.reconciliation_pk": twin(
    { reconciliation_id: newUuid(), banking_date: "2026-03-09" },
    "statement_number is null",
  ),
  "reconciliation.reconciliation_by_id": twin(
    { run: 9, banking_date: "2026-03-09" },
    "statement_number is null",
  ),
  "reconciliation.reconciliation_by_statement": twin(
    { run: 9, reconciliation_id: newUuid() },
    "statement_number is not null",
  ),
  "reconciliation.reconciliation_missing": twin(
    { run: 9, reconciliation_id: newUuid() },
    "statement_number is null",
  ),
  "reconciliation_item.reconciliation_item_pk": twin({}),
  "checkpoint.checkpoint_pk": twin({}),
  "statement_part.statement_part_pk": twin({}),
  "transaction_detail.transaction_detail_pk": twin({ external_id: null }),
  "transaction_detail.transaction_external_id_unique": twin({ transaction_id: newUuid() }),
  "pending_transaction.pending_transaction_pk": twin({}),
  "virtual_account.virtual_account_pk": twin({ number_hash: otherHash, external_id: null }),
  "virtual_account.virtual_account_number_unique": twin({ virtual_account_id: newUuid(), external_id: null }),
  "virtual_account.virtual_account_external_id_unique": twin({
    virtual_account_id: newUuid(),
    number_hash: otherHash,
  }),
};

/** A row that refers to a book, or to something in it, that does not exist. */
const stranger = { book_id: newUuid() };
const pointers: Readonly<Record<string, { changed: object; where: string }>> = {
  "account.account_book_fk": twin(stranger),
  "account_chain.account_chain_book_fk": twin(stranger),
  "account_balance.account_balance_account_fk": twin({ account_id: newUuid() }),
  "account_day.account_day_account_fk": twin({ account_id: newUuid() }),
  "audit.audit_book_fk": twin(stranger),
  "bank_line.bank_line_of_statement": twin({ number: 9 }),
  "bank_statement.bank_statement_book_fk": twin(stranger),
  "book_head.book_head_book_fk": twin({ ...stranger, entered_seq: null }),
  "class_day.class_day_book_fk": twin(stranger),
  "class_total.class_total_book_fk": twin(stranger),
  "closed_period.closed_period_book_fk": twin(stranger),
  "freeze_event.freeze_event_book_fk": twin(stranger),
  "command_decision.command_decision_book_fk": twin(stranger),
  "command_retry.command_retry_book_fk": twin(stranger),
  "inbound_payment.inbound_payment_book_fk": twin({
    ...stranger,
    status: "Suspended",
    reason: "NoSuchNumber",
    virtual_account_id: null,
    ledger_account_id: null,
  }),
  "inbound_payment.inbound_payment_ledger_account_fk": twin({
    inbound_payment_id: newUuid(),
    bank_reference: "other",
    ledger_account_id: newUuid(),
  }),
  "inbound_payment.inbound_payment_proposed_account_fk": twin({
    inbound_payment_id: newUuid(),
    bank_reference: "other",
    status: "Suspended",
    reason: "NoSuchNumber",
    virtual_account_id: null,
    ledger_account_id: null,
    proposed_account_id: newUuid(),
    proposed_by: "maker",
    proposed_at: "2026-03-02",
  }),
  "inbound_payment.inbound_payment_virtual_account_fk": twin({
    inbound_payment_id: newUuid(),
    bank_reference: "other",
    virtual_account_id: newUuid(),
  }),
  "journal_note.journal_note_book_fk": twin(stranger),
  "obligation.obligation_book_fk": twin({ ...stranger, payment_order_id: null }),
  "obligation_event.obligation_event_of_obligation": twin({ obligation_id: newUuid() }),
  "reconciliation.reconciliation_book_fk": twin(stranger, "statement_number is null"),
  "reconciliation.reconciliation_of_statement": twin(
    { run: 9, reconciliation_id: newUuid(), statement_number: 9 },
    "statement_number is not null",
  ),
  "reconciliation_item.reconciliation_item_of_run": twin({ run: 9 }),
  "checkpoint.checkpoint_book_fk": twin(stranger),
  "transaction_detail.transaction_detail_book_fk": twin(stranger),
  "virtual_account.virtual_account_ledger_account_fk": twin({
    virtual_account_id: newUuid(),
    ledger_account_id: newUuid(),
    number_hash: otherHash,
    external_id: null,
  }),
};

const tableOf = (key: string) => key.slice(0, key.indexOf("."));
const nameOf = (key: string) => key.slice(key.indexOf(".") + 1);
const each = <T>(of: Readonly<Record<string, T>>, make: (key: string, value: T) => Attack) =>
  Object.entries(of).map(([key, value]) => [key, make(key, value)] as const);

export const constraintAttacks: ReadonlyMap<string, Attack> = new Map<string, Attack>([
  ...each(checks, (key, { set, where }) => ({
    statements: [
      alone,
      `update ${tableOf(key)} set ${set} where ctid = (select ctid from ${tableOf(key)} where ${where} limit 1)`,
    ],
    refused: `23514 ${nameOf(key)}`,
  })),
  ...each(keys, (key, { changed, where }) => ({
    statements: [alone, copyOf(tableOf(key), changed, where)],
    refused: `23505 ${nameOf(key)}`,
  })),
  ...each(pointers, (key, { changed, where }) => ({
    statements: [`alter table ${tableOf(key)} disable trigger user`, copyOf(tableOf(key), changed, where)],
    refused: `23503 ${nameOf(key)}`,
  })),
  [
    "book_head.entry_has_header",
    {
      statements: ["alter table book_head disable trigger user", "update book_head set entered_seq = 9"],
      refused: "23503 entry_has_header",
    },
  ],
  // Each partition has its own: an account's entries are numbered without a fork.
  ...Array.from({ length: 8 }, (_, part) => {
    const name = `entry_account_version_${String(part)}`;
    const table = `entry_${String(part)}`;
    const attack: Attack = { statements: [alone, copyOf(table, { seq: 9 })], refused: `23505 ${name}` };
    return [`${table}.${name}`, attack] as const;
  }),
]);
