-- The bank's statements: printed once from its own book (0002, 0003), numbered per book, each opening with the closing of
-- the one before. Append-only: what was printed stays printed; a mistake is put right on a later statement.
-- Who issues holds `pg_advisory_xact_lock` of the book (issue-statement.ts); the keys below hold without it too.

create table rails.bank_statement (
  book_id uuid not null,
  number int not null,
  statement_id uuid not null,
  banking_date date not null,
  -- Movements before it that were on no statement yet.
  ends_at timestamptz not null,
  opening_cents bigint not null,
  closing_cents bigint not null,
  line_count int not null,
  hash text not null,
  issued_at timestamptz not null default clock_timestamp(),
  constraint bank_statement_pkey primary key (book_id, number),
  constraint bank_statement_numbered_from_one check (number >= 1),
  constraint bank_statement_hash_is_sha256 check (hash ~ '^[0-9a-f]{64}$')
);
create unique index bank_statement_by_id on rails.bank_statement (statement_id);

create table rails.bank_statement_line (
  book_id uuid not null,
  number int not null,
  line int not null,
  account text not null,
  side text not null,
  amount_cents bigint not null,
  reference text not null,
  customer_reference text,
  kind text not null,
  occurred_at timestamptz not null,
  -- The movement that it prints (store/unstated-movements.ts); none for what the bank made up.
  source text,
  constraint bank_statement_line_pkey primary key (book_id, number, line),
  constraint bank_statement_line_of_statement foreign key (book_id, number) references rails.bank_statement,
  constraint bank_statement_line_account_known check (account in ('SettlementCash', 'StablecoinWallet')),
  constraint bank_statement_line_side_known check (side in ('In', 'Out')),
  constraint bank_statement_line_kind_known check (kind in ('Settlement', 'Return', 'Inbound', 'Adjustment')),
  constraint bank_statement_line_amount_positive check (amount_cents > 0)
);
-- A movement is printed once.
create unique index bank_statement_line_once on rails.bank_statement_line (source, book_id) where source is not null;

do $$
declare
  target text;
begin
  foreach target in array array['bank_statement', 'bank_statement_line'] loop
    execute format('create trigger append_only before update or delete on rails.%I
      for each row execute function rails.refuse_change()', target);
    execute format('create trigger never_truncated before truncate on rails.%I
      for each statement execute function rails.refuse_change()', target);
    execute format('grant select, insert on rails.%I to rails', target);
  end loop;
end $$;

-- What QA lets the bank do wrong: waiting, then printed on a statement, then told to correct, then corrected on another.
create table rails.bank_statement_fault (
  book_id uuid not null,
  fault_id uuid not null,
  kind text not null,
  order_id uuid,
  reference text,
  amount_cents bigint,
  side text,
  created_at timestamptz not null default clock_timestamp(),
  printed_on int,
  correct boolean not null default false,
  corrected_on int,
  -- The movement that was left out or misprinted; its true line, and the false one that was printed.
  source text,
  withheld jsonb,
  printed jsonb,
  constraint bank_statement_fault_pkey primary key (book_id, fault_id),
  constraint bank_statement_fault_kind_known check (kind in ('LineMissing', 'LineAdded', 'AmountChanged', 'WrongHash'))
) with (fillfactor = 80);
-- A movement stands on no statement while a fault holds it back.
create unique index bank_statement_fault_source on rails.bank_statement_fault (source, book_id) where source is not null;
create index bank_statement_fault_open on rails.bank_statement_fault (fault_id, book_id) where corrected_on is null;
grant select, insert, update on rails.bank_statement_fault to rails;

