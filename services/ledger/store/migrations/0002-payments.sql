-- What belongs to the books but is not double entry: virtual accounts, inbound payments, obligations, and the
-- bank's statements with their reconciliations. Money moves in journals alone; these rows say why it moved, and
-- Postgres compares them with the journals (0006).

-- The number is stored encrypted. `number_hash` (HMAC-SHA256 under a key of its own) finds it and keeps it unique
-- over all books. Only the status changes, and the ciphertext when keys are rotated.
create table ledger.virtual_account (
  book_id uuid not null,
  virtual_account_id uuid not null,
  name text not null,
  ledger_account_id uuid not null,
  counterparty_id uuid,
  external_id text,
  metadata jsonb not null default '{}',
  number_hash bytea not null,
  key_id text not null,
  ciphertext text not null,
  status text not null default 'Active',
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint virtual_account_pk primary key (book_id, virtual_account_id),
  constraint virtual_account_ledger_account_fk foreign key (book_id, ledger_account_id) references ledger.account,
  constraint virtual_account_number_unique unique (number_hash),
  constraint virtual_account_hash_is_sha256 check (octet_length(number_hash) = 32),
  constraint virtual_account_name_length check (char_length(name) between 1 and 100),
  constraint virtual_account_status_known check (status in ('Active', 'Disabled', 'Closed'))
);
create unique index virtual_account_external_id_unique on ledger.virtual_account (external_id, book_id)
  where external_id is not null;
create index virtual_account_by_ledger_account on ledger.virtual_account (ledger_account_id, virtual_account_id);

-- One per bank reference. `ledger_account_id` is where the money is: null while it is in Suspense, and if none moved.
-- Only an assignment changes a row, once.
create table ledger.inbound_payment (
  book_id uuid not null,
  inbound_payment_id uuid not null,
  bank_reference text not null,
  rail text not null,
  direction ledger.side not null,
  amount_cents bigint not null,
  currency text not null,
  originator_name text not null,
  account_number_last4 text not null,
  status text not null,
  reason text,
  virtual_account_id uuid,
  ledger_account_id uuid,
  -- The Inbound journal; its transaction has the payment's own uuid.
  seq bigint,
  assigned_seq bigint,
  assigned_transaction_id uuid,
  assigned_by text,
  assigned_at timestamptz,
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  constraint inbound_payment_pk primary key (book_id, inbound_payment_id),
  constraint inbound_payment_book_fk foreign key (book_id) references ledger.book,
  constraint inbound_payment_virtual_account_fk
    foreign key (book_id, virtual_account_id) references ledger.virtual_account,
  constraint inbound_payment_ledger_account_fk
    foreign key (book_id, ledger_account_id) references ledger.account,
  constraint inbound_payment_amount_range check (amount_cents between 1 and 9007199254740991),
  constraint inbound_payment_last4 check (char_length(account_number_last4) <= 4),
  constraint inbound_payment_fits_its_status check (
    case status
      when 'Attributed' then direction = 'Credit' and virtual_account_id is not null and ledger_account_id is not null
        and seq is not null and reason is null and assigned_seq is null
      when 'Suspended' then direction = 'Credit' and ledger_account_id is null
        and seq is not null and reason is not null and assigned_seq is null
      when 'Assigned' then direction = 'Credit' and ledger_account_id is not null and reason is not null
        and seq is not null
        and num_nulls(assigned_seq, assigned_transaction_id, assigned_by, assigned_at) = 0
      when 'Returned' then direction = 'Debit' and ledger_account_id is null
        and seq is null and reason is not null and assigned_seq is null
      else false
    end
  )
);
create unique index inbound_payment_once on ledger.inbound_payment (bank_reference, book_id);
-- The owner of an assignment's transaction. Every other owner's id follows from the transaction's own.
create unique index inbound_payment_by_assignment on ledger.inbound_payment (assigned_transaction_id)
  where assigned_transaction_id is not null;
-- One for each range that a list reads (list-inbound-payments.ts). The plain book_id stands before the id, because
-- the reader's policy (0007) compares book_id: with `greatest`, the planner estimates a hundredth of the rows and
-- scans the whole book instead.
create index inbound_payment_by_status on ledger.inbound_payment (status, book_id, inbound_payment_id);
create index inbound_payment_by_virtual_account
  on ledger.inbound_payment (virtual_account_id, status, book_id, inbound_payment_id) where virtual_account_id is not null;
create index inbound_payment_by_ledger_account
  on ledger.inbound_payment (ledger_account_id, status, book_id, inbound_payment_id) where ledger_account_id is not null;

-- Liabilities with a fixed amount, each paid by an order that the ledger chose. The row is the current state, its
-- events are the history. The outstanding amount is no column: it is the balance of the liability account, and a
-- trigger compares both at every change.
-- Locks: the book's head first (lock_books), then the row, so no obligation changes while journals of its book are
-- written.
create table ledger.obligation (
  book_id uuid not null,
  obligation_id uuid not null,
  type text not null,
  status text not null,
  reference text not null,
  jurisdiction text,
  period text,
  payee_counterparty_id uuid,
  lines jsonb not null,
  fixed_cents bigint not null,
  -- The order that pays it, and what that order may move.
  payment_order_id uuid,
  remittance_cents bigint,
  remittance_rail text,
  funding_account_id uuid,
  -- Who requested the remittance, until its hold is decided, and when the orders service is asked again.
  requested_by jsonb,
  request_due_at timestamptz,
  event_count int not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint obligation_pk primary key (book_id, obligation_id),
  constraint obligation_book_fk foreign key (book_id) references ledger.book,
  constraint obligation_type_known check (type in ('FuelTaxReturn', 'OperatorSettlement', 'Other')),
  constraint obligation_status_known check (status in ('Open', 'Fixed', 'Remitting', 'Relieved')),
  constraint obligation_fixed_range check (fixed_cents between 0 and 999999999999),
  constraint obligation_open_is_unbooked check (status <> 'Open' or fixed_cents = 0 and event_count = 0),
  constraint obligation_remitting_has_one_order check (
    num_nulls(payment_order_id, remittance_cents, remittance_rail, funding_account_id) = 0 and status = 'Remitting'
    or num_nonnulls(remittance_cents, remittance_rail, funding_account_id, requested_by) = 0 and status <> 'Remitting'
  ),
  constraint obligation_payable_has_no_order check (status not in ('Open', 'Fixed') or payment_order_id is null),
  constraint obligation_request_has_due_time check ((requested_by is null) = (request_due_at is null))
) with (fillfactor = 80);
create unique index obligation_one_order on ledger.obligation (payment_order_id) where payment_order_id is not null;
create index obligation_by_status on ledger.obligation
  (status, greatest(book_id, '00000000-0000-0000-0000-000000000000'), obligation_id);
create index obligation_by_type on ledger.obligation
  (type, greatest(book_id, '00000000-0000-0000-0000-000000000000'), obligation_id);
create index obligation_by_reference on ledger.obligation
  (reference, greatest(book_id, '00000000-0000-0000-0000-000000000000'), obligation_id);
create index obligation_request_due on ledger.obligation (request_due_at) where request_due_at is not null;

create table ledger.obligation_event (
  book_id uuid not null,
  obligation_id uuid not null,
  position int not null,
  kind text not null,
  order_id uuid,
  amount_cents bigint not null,
  transaction_id uuid,
  seq bigint,
  lines jsonb,
  reason text,
  actor text not null,
  at timestamptz not null,
  constraint obligation_event_pk primary key (book_id, obligation_id, position),
  constraint obligation_event_of_obligation foreign key (book_id, obligation_id) references ledger.obligation,
  constraint obligation_event_kind check (
    kind in ('Fixed', 'Amended', 'Held', 'Refused', 'Cleared', 'Failed', 'Returned', 'Cancelled')
  ),
  constraint obligation_event_accrues_or_pays check ((kind in ('Fixed', 'Amended')) = (order_id is null)),
  constraint obligation_event_journal check ((transaction_id is null) = (seq is null))
);

-- Parts of statements that are incomplete, or whose predecessor has not come. The one table of this file whose rows
-- are deleted. Statements and runs are numbered per book, so two instances can't both write the next one; whoever
-- takes a statement also holds an advisory lock of the book (store/bank-statements.ts), before the head's.
create table ledger.statement_part (
  book_id uuid not null,
  statement_id uuid not null,
  part int not null,
  parts int not null,
  previous_statement_id uuid,
  -- A StatementPart, as it came.
  content jsonb not null,
  received_at timestamptz not null default clock_timestamp(),
  constraint statement_part_pk primary key (book_id, statement_id, part)
);

create table ledger.bank_statement (
  book_id uuid not null,
  number int not null,
  statement_id uuid not null,
  banking_date date not null,
  ends_at timestamptz not null,
  opening_cents bigint not null,
  closing_cents bigint not null,
  line_count int not null,
  hash bytea not null,
  recorded_at timestamptz not null default clock_timestamp(),
  constraint bank_statement_pk primary key (book_id, number),
  constraint bank_statement_book_fk foreign key (book_id) references ledger.book,
  constraint bank_statement_hash_is_sha256 check (octet_length(hash) = 32)
);
create unique index bank_statement_by_id on ledger.bank_statement (statement_id, book_id);

create table ledger.bank_line (
  book_id uuid not null,
  number int not null,
  line int not null,
  account ledger.account_class not null,
  side text not null,
  amount_cents bigint not null,
  reference text not null,
  customer_reference text,
  kind text not null,
  occurred_at timestamptz not null,
  constraint bank_line_pk primary key (book_id, number, line),
  constraint bank_line_of_statement foreign key (book_id, number) references ledger.bank_statement,
  constraint bank_line_account_at_bank check (account in ('SettlementCash', 'StablecoinWallet')),
  constraint bank_line_side_known check (side in ('In', 'Out')),
  constraint bank_line_amount_range check (amount_cents between 1 and 9007199254740991)
);

-- One comparison of the ledger with a statement.
create table ledger.reconciliation (
  book_id uuid not null,
  run int not null,
  reconciliation_id uuid not null,
  banking_date date not null,
  status text not null,
  reasons text[] not null,
  -- Null: the day's statement had not come.
  statement_number int,
  ledger_cash_cents bigint not null,
  sub_ledger_cents bigint not null,
  cutoff_seq bigint not null,
  -- How far the two accounts were read: the next run continues there.
  cash_version bigint not null,
  wallet_version bigint not null,
  in_transit_cents bigint,
  difference_cents bigint,
  matched_count int not null,
  in_transit_count int not null,
  unmatched_bank_count int not null,
  unmatched_ledger_count int not null,
  as_of timestamptz not null,
  constraint reconciliation_pk primary key (book_id, run),
  constraint reconciliation_book_fk foreign key (book_id) references ledger.book,
  constraint reconciliation_of_statement foreign key (book_id, statement_number) references ledger.bank_statement,
  constraint reconciliation_status_known check (status in ('Reconciled', 'Broken', 'NotReconciled')),
  -- Without a comparison there is no difference, not even zero.
  constraint reconciliation_compares_a_statement check (
    (statement_number is null) = (status = 'NotReconciled')
    and num_nulls(statement_number, in_transit_cents, difference_cents) in (0, 3)
  ),
  constraint reconciliation_reconciled_is_zero check (
    (status = 'Reconciled') = (coalesce(difference_cents, 1) = 0
      and unmatched_bank_count = 0 and unmatched_ledger_count = 0 and cardinality(reasons) = 0)
  )
);
create unique index reconciliation_by_id on ledger.reconciliation (reconciliation_id, book_id);
-- One run per statement, and a day's missing statement is reported once.
create unique index reconciliation_by_statement on ledger.reconciliation (statement_number, book_id)
  where statement_number is not null;
create unique index reconciliation_missing on ledger.reconciliation (banking_date, book_id) where statement_number is null;
create index reconciliation_by_date on ledger.reconciliation (banking_date, run, book_id);
create index reconciliation_by_status on ledger.reconciliation (status, run, book_id);

-- What a run left open: a bank line (its statement's number and line) or a ledger entry (its sequence and line).
create table ledger.reconciliation_item (
  book_id uuid not null,
  run int not null,
  item int not null,
  in_transit boolean not null,
  source text not null,
  reason text not null,
  number bigint not null,
  line int not null,
  account ledger.account_class not null,
  side text not null,
  amount_cents bigint not null,
  match_key text not null,
  reference text,
  order_id uuid,
  transaction_id uuid,
  kind text not null,
  occurred_at timestamptz not null,
  first_seen date not null,
  age_banking_days int not null,
  constraint reconciliation_item_pk primary key (book_id, run, item),
  constraint reconciliation_item_of_run foreign key (book_id, run) references ledger.reconciliation,
  constraint reconciliation_item_source_known check (source in ('BankLine', 'LedgerEntry'))
);
-- The earliest movement that a run's statement did not have yet: the search for missing statements asks it of every
-- book, and a run may have thousands of items.
create index reconciliation_item_not_yet_at_bank on ledger.reconciliation_item (book_id, run, occurred_at)
  where reason = 'NotYetAtBank';
