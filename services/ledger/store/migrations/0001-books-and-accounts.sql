-- Books, their accounts and what is derived from entries: balances, class totals, heads, seals.
-- Every key leads with book_id (tenant + mode): books share nothing, and a book can move to another cluster whole.
-- No second index may be matched by `book_id = …` alone: plans are kept, and one made while a table or partition was
-- empty finds all its indexes equally cheap and may take the wrong one for good (it then reads the whole book for every
-- row of a batch). So a primary key begins with book_id, and no other index has it as a plain column that a lookup names.
-- Derived rows (book_head, account_balance, class_total, seal) are written by triggers alone; 0005 refuses any other hand.

create type ledger.side as enum ('Debit', 'Credit');
create type ledger.overdraft as enum ('Allowed', 'Refused');
create type ledger.account_class as enum (
  'SettlementCash', 'StablecoinWallet', 'Suspense', 'Tenant',
  'FuelTaxExpense', 'OperatorSettlementExpense', 'ObligationLiability'
);

-- sum(bigint) is numeric in Postgres and several times dearer; cents and counters fit 64 bits, and overflow raises.
create aggregate ledger.total(bigint) (sfunc = int8pl, stype = bigint, initcond = '0');

create table ledger.book (
  book_id uuid not null,
  tenant_id uuid not null,
  mode text not null,
  created_at timestamptz not null default now(),
  constraint book_pk primary key (book_id),
  constraint book_tenant_mode_unique unique (tenant_id, mode),
  constraint book_mode_known check (mode in ('Test', 'Live'))
);

-- The only lock point of a book: who holds this row decides alone what is appended next.
create table ledger.book_head (
  book_id uuid not null,
  last_seq bigint not null default 0,
  -- The last journal that has entries: 0002 demands at commit that its header came too.
  entered_seq bigint,
  head_hash bytea not null,
  recorded_at timestamptz not null default '-infinity',
  constraint book_head_pk primary key (book_id),
  constraint book_head_book_fk foreign key (book_id) references ledger.book,
  constraint book_head_hash_is_sha256 check (octet_length(head_hash) = 32)
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000);

create table ledger.account (
  book_id uuid not null,
  account_id uuid not null,
  name text not null,
  currency text not null,
  normal_balance ledger.side not null,
  class ledger.account_class not null,
  overdraft ledger.overdraft not null,
  external_id text,
  description text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null default now(),
  closed_at timestamptz,
  constraint account_pk primary key (book_id, account_id),
  -- What an entry refers to: a posting across books or currencies has nothing to point at.
  constraint account_currency_unique unique (book_id, account_id, currency),
  constraint account_book_fk foreign key (book_id) references ledger.book,
  constraint account_name_length check (char_length(name) between 1 and 100)
);
-- `uuid_send` keeps the book in the key and out of the planner's sight (above).
create unique index account_name_unique on ledger.account (name, uuid_send(book_id));
create unique index account_external_id_unique on ledger.account (external_id, book_id) where external_id is not null;

-- Six monotone counters. Every balance is a difference of them; a hold that ends raises `released`, nothing falls.
create table ledger.account_balance (
  book_id uuid not null,
  account_id uuid not null,
  version bigint not null default 0,
  last_seq bigint not null default 0,
  held_debit bigint not null default 0,
  held_credit bigint not null default 0,
  released_debit bigint not null default 0,
  released_credit bigint not null default 0,
  posted_debit bigint not null default 0,
  posted_credit bigint not null default 0,
  constraint account_balance_pk primary key (book_id, account_id),
  constraint account_balance_account_fk foreign key (book_id, account_id) references ledger.account,
  constraint account_balance_released_is_held check (held_debit >= released_debit and held_credit >= released_credit)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0);

-- The same counters per class, so that the equation of money held for others is checked in O(1) on every seal.
create table ledger.class_total (
  book_id uuid not null,
  class ledger.account_class not null,
  normal_balance ledger.side not null,
  currency text not null,
  held_debit bigint not null default 0,
  held_credit bigint not null default 0,
  released_debit bigint not null default 0,
  released_credit bigint not null default 0,
  posted_debit bigint not null default 0,
  posted_credit bigint not null default 0,
  constraint class_total_pk primary key (book_id, class, normal_balance, currency),
  constraint class_total_book_fk foreign key (book_id) references ledger.book
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
        autovacuum_vacuum_cost_delay = 0);

-- A checkpoint of the chain and the trial balance after a batch.
create table ledger.seal (
  book_id uuid not null,
  last_seq bigint not null,
  first_seq bigint not null,
  head_hash bytea not null,
  sealed_at timestamptz not null,
  posted_debit bigint not null,
  posted_credit bigint not null,
  pending_debit bigint not null,
  pending_credit bigint not null,
  constraint seal_pk primary key (book_id, last_seq),
  constraint seal_book_fk foreign key (book_id) references ledger.book,
  constraint seal_range check (first_seq <= last_seq),
  constraint seal_posted_balances check (posted_debit = posted_credit),
  constraint seal_pending_balances check (pending_debit = pending_credit)
);

-- A book begins with a head of its own: the chains of two books never meet.
create function ledger.book_gets_its_head() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  insert into book_head (book_id, head_hash)
  values (new.book_id, sha256(convert_to('quittance.ledger.book.v1' || chr(10) || new.book_id, 'UTF8')));
  return null;
end $$;
create trigger book_gets_its_head after insert on ledger.book
  for each row execute function ledger.book_gets_its_head();

-- An account opens at zero, by the database's hand: the service can't insert a balance.
create function ledger.account_opens_at_zero() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  insert into account_balance (book_id, account_id) values (new.book_id, new.account_id);
  insert into class_total (book_id, class, normal_balance, currency)
  values (new.book_id, new.class, new.normal_balance, new.currency)
  on conflict on constraint class_total_pk do nothing;
  return null;
end $$;
create trigger account_opens_at_zero after insert on ledger.account
  for each row execute function ledger.account_opens_at_zero();
