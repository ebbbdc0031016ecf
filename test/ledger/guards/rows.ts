/** A row of each table to attack the guards with, and a book in each partition. */

const uuid = (n: number) => `'019c0000-0000-7000-8000-${String(n).padStart(12, "0")}'::uuid`;
export const book = uuid(1);

/**
 * Run them without triggers (`guardsOff`). In every column that a guard reads, rows are as the
 * service would write them. With 200 books, a partition stays empty once in 10^11 runs.
 */
export const rows = [
  `insert into book (book_id, tenant_id, mode)
   select b, gen_random_uuid(), 'Test' from (select ${book} as b union all select gen_random_uuid() from generate_series(1, 200)) x`,
  "insert into book_head (book_id, last_seq, entered_seq, head_hash) select book_id, 3, 1, sha256('') from book on conflict do nothing",
  "insert into audit (book_id) select book_id from book on conflict do nothing",
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   select book_id, gen_random_uuid(), 'Payroll', 'USD', 'Credit', 'Tenant', 'Allowed' from book`,
  "update account set external_id = 'own' where book_id = " + book,
  `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
   values (${book}, ${uuid(2)}, 'Suspense', 'USD', 'Credit', 'Suspense', 'Allowed')`,
  "insert into account_chain select book_id, 1, account_id, sha256('') from account where name = 'Payroll' on conflict do nothing",
  "insert into account_balance (book_id, account_id, version, last_seq) select book_id, account_id, 1, 1 from account on conflict do nothing",
  `insert into class_total (book_id, class, normal_balance, currency, posted_debit)
   select distinct book_id, class, normal_balance, currency, 5 from account on conflict do nothing`,
  ...["Post", "Settle", "LateReturn"].map(
    (kind, index) =>
      `insert into journal (book_id, seq, transaction_id, command_id, resolves_seq, reverses_seq, effective_at,
         recorded_at, kind, line_count, digest)
       select book_id, ${3 - index}, gen_random_uuid(), gen_random_uuid(), ${kind === "Settle" ? 1 : "null"},
         ${kind === "LateReturn" ? 0 : "null"}, now(), now(), '${kind}', 2, sha256('') from book`,
  ),
  `insert into entry (book_id, account_id, seq, amount_cents, account_version, held_debit, held_credit, released_debit,
     released_credit, posted_debit, posted_credit, layer, role, direction, line, currency)
   select book_id, account_id, 1, 5, 1, 0, 0, 0, 0, 0, 5, 'Posted', 'Normal', 'Credit', 1, 'USD'
   from account where class = 'Tenant'`,
  `insert into command (book_id, command_id, request_hash, transaction_id, seq)
   values (${book}, ${uuid(3)}, sha256(''), ${uuid(3)}, 1)`,
  `insert into checkpoint (book_id, last_seq, first_seq, head_hash, recorded_at, posted_debit, posted_credit, pending_debit,
     pending_credit, class_totals) values (${book}, 1, 1, sha256(''), now(), 5, 5, 0, 0, '{}')`,
  `insert into account_day
   select book_id, account_id, '2026-03-02', 0, 0, 0, 0, 0, 5 from account where book_id = ${book} and class = 'Tenant'`,
  `insert into dated_entry
   select book_id, account_id, '2026-03-02', 1, 'Posted' from account where book_id = ${book} and class = 'Tenant'`,
  `insert into class_day values (${book}, 'Tenant', 'Credit', 'USD', '2026-03-02', 0, 0, 0, 0, 0, 5)`,
  `insert into transaction_detail (book_id, transaction_id, description, basis, external_id)
   values (${book}, ${uuid(3)}, 'Payroll', 'Actual', 'own')`,
  `insert into transaction_policy (book_id, version, approval_required, threshold_cents) values (${book}, 1, true, 5)`,
  `insert into journal_note (book_id, seq, description) values (${book}, 1, 'Typo')`,
  `insert into pending_transaction (book_id, seq) values (${book}, 7)`,
  `insert into closed_period (book_id, closed_through, reason) values (${book}, '2019-12-31', 'December')`,
  `insert into freeze_event (book_id, number, state, reason, actor) values (${book}, 1, 'Open', 'why', 'who')`,
  `insert into command_retry (book_id, position, number, command_id, message_type, actor, reason)
   values (${book}, 1, 1, ${uuid(3)}, 'ledger.settle-hold.v1', 'who', 'why')`,
  `insert into command_decision (book_id, position, number, kind, command_id, message_type, actor, reason, message)
   values (${book}, 1, 1, 'Dropped', ${uuid(3)}, 'ledger.settle-hold.v1', 'who', 'why', '{}')`,
  `insert into deferred_command (book_id, command_id, request_hash, message) values (${book}, ${uuid(3)}, sha256(''), '{}')`,
  `insert into virtual_account (book_id, virtual_account_id, name, ledger_account_id, external_id, number_hash, key_id,
     ciphertext)
   select ${book}, ${uuid(7)}, 'Rent', account_id, 'own', sha256(''), 'key', 'ciphertext'
   from account where book_id = ${book} and class = 'Tenant'`,
  `insert into inbound_payment (book_id, inbound_payment_id, bank_reference, rail, direction, amount_cents, currency,
     originator_name, account_number_last4, status, virtual_account_id, ledger_account_id, seq, occurred_at, created_at)
   select ${book}, ${uuid(8)}, 'ref', 'Ach', 'Credit', 5, 'USD', 'Ada', '6789', 'Attributed', ${uuid(7)}, account_id, 1, now(),
     now()
   from account where book_id = ${book} and class = 'Tenant'`,
  `insert into inbound_payment (book_id, inbound_payment_id, bank_reference, rail, direction, amount_cents, currency,
     originator_name, account_number_last4, status, reason, ledger_account_id, seq, assigned_seq, assigned_transaction_id,
     assigned_by, assigned_at, occurred_at, created_at)
   select book_id, gen_random_uuid(), 'assigned', rail, direction, 5, 'USD', 'Ada', '6789', 'Assigned', 'NoSuchNumber',
     ledger_account_id, 1, 2, ${uuid(9)}, 'maker', now(), now(), now()
   from inbound_payment`,
  ...obligations(),
  ...reconciliations(),
];

function obligations(): string[] {
  const steps = ["Fixed", "Held"].map(
    (
      kind,
      index,
    ) => `insert into obligation_event (book_id, obligation_id, position, kind, order_id, amount_cents, actor, at)
       values (${book}, ${uuid(4)}, ${index + 1}, '${kind}', ${kind === "Held" ? uuid(5) : "null"}, 5, 'maker', now())`,
  );
  return [
    `insert into obligation (book_id, obligation_id, type, status, reference, lines, fixed_cents, payment_order_id, event_count,
       created_by, created_at, updated_at)
     values (${book}, ${uuid(4)}, 'FuelTaxReturn', 'Relieved', 'IFTA', '[]', 5, ${uuid(5)}, 2, 'maker', now(), now())`,
    ...steps,
  ];
}

function reconciliations(): string[] {
  const run = (number: number, day: number, status: string, statement: string, difference: string) =>
    `insert into reconciliation (book_id, run, reconciliation_id, banking_date, status, reasons, statement_number,
       ledger_cash_cents, sub_ledger_cents, cutoff_seq, cash_version, wallet_version, in_transit_cents, difference_cents,
       matched_count, in_transit_count, unmatched_bank_count, unmatched_ledger_count, as_of)
     values (${book}, ${number}, gen_random_uuid(), '2026-03-0${day}', '${status}', '{}', ${statement}, 5, 5, 1, 1, 1,
       ${difference}, ${difference}, 1, 0, 0, 0, now())`;
  return [
    `insert into statement_part (book_id, statement_id, part, parts, content) values (${book}, ${uuid(6)}, 1, 2, '{}')`,
    `insert into bank_statement (book_id, number, statement_id, banking_date, ends_at, opening_cents, closing_cents,
       line_count, hash) values (${book}, 1, ${uuid(6)}, '2026-03-02', now(), 0, 5, 1, sha256(''))`,
    `insert into bank_line (book_id, number, line, account, side, amount_cents, reference, kind, occurred_at)
     values (${book}, 1, 1, 'SettlementCash', 'In', 5, 'ref', 'Settlement', now())`,
    run(1, 2, "Reconciled", "1", "0"),
    run(2, 3, "NotReconciled", "null", "null"),
    `insert into reconciliation_item (book_id, run, item, in_transit, source, reason, number, line, account, side,
       amount_cents, match_key, kind, occurred_at, first_seen, age_banking_days)
     values (${book}, 1, 1, true, 'BankLine', 'InTransit', 1, 1, 'SettlementCash', 'In', 5, 'key', 'Settlement', now(),
       '2026-03-02', 0)`,
  ];
}
