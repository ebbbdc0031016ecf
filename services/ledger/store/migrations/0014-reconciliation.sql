-- The bank's statements as they came, and the runs that compared them with the ledger. Append-only, all of it.
-- Statements and runs are numbered per book, so two instances can't both write the next one; who takes a statement also
-- holds `pg_advisory_xact_lock` of the book (store/bank-statements.ts), before the head.

-- Parts of statements that are not whole yet, or whose predecessor has not come. The one table here that is emptied.
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

create table ledger.reconciliation (
  book_id uuid not null,
  run int not null,
  reconciliation_id uuid not null,
  banking_date date not null,
  status text not null,
  reasons text[] not null,
  -- None: the day's statement had not come.
  statement_number int,
  ledger_cash_cents bigint not null,
  sub_ledger_cents bigint not null,
  cutoff_seq bigint not null,
  -- How far the two accounts were read: the next run goes on there.
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
  -- What was not compared has no difference; least of all zero.
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
-- One run per statement, and a day is missed once.
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

do $$
declare
  target text;
begin
  foreach target in array array['bank_statement', 'bank_line', 'reconciliation', 'reconciliation_item'] loop
    execute format('create trigger append_only before update or delete on ledger.%I
      for each row execute function ledger.refuse_change()', target);
    execute format('create trigger never_truncated before truncate on ledger.%I
      for each statement execute function ledger.refuse_change()', target);
    execute format('grant select, insert on ledger.%I to ledger', target);
  end loop;
end $$;
grant select, insert, delete on ledger.statement_part to ledger;
