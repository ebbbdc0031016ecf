-- The double-entry record: books, accounts, journals and entries, and everything derived from them. Reading order
-- of the migrations: 0001 and 0002 tables, 0003 functions that the service calls, 0004 and 0005 the checks of a
-- batch of journals, 0006 the guards of single rows, 0007 roles.
--
-- Every key starts with book_id (tenant + mode): books share nothing, and a book can move to another cluster whole.
-- A primary key starts with book_id. No other full index does: a plan cached while the table was empty could choose
-- it and read the whole book for each row. Such an index has book_id after another column, inside
-- `greatest(book_id, <lowest uuid>)`, which equals book_id, or not at all. A partial index may start with it.
-- Row-level security uses an index only through leakproof functions: `greatest` of two uuids is one, `uuid_send` is
-- not.

create type ledger.side as enum ('Debit', 'Credit');
create type ledger.overdraft as enum ('Allowed', 'Refused');
create type ledger.account_class as enum (
  'SettlementCash', 'StablecoinWallet', 'Suspense', 'Tenant',
  'FuelTaxExpense', 'OperatorSettlementExpense', 'ObligationLiability', 'ObligationExpense'
);
create type ledger.journal_kind as enum (
  'Hold', 'Settle', 'Release', 'LateReturn', 'Post', 'Reverse', 'Inbound', 'Assign', 'Accrue'
);
create type ledger.layer as enum ('Pending', 'Posted');
create type ledger.entry_role as enum ('Normal', 'Discharge');
create type ledger.book_state as enum ('Open', 'Frozen', 'Releasing');

-- sum(bigint) is numeric in Postgres and several times slower. Cents and counters fit 64 bits, and an overflow
-- raises.
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

-- The only lock point of a book: whoever locks this row decides alone what is appended next. The state is here, so
-- that the writer sees it as of the lock without a lookup of its own.
create table ledger.book_head (
  book_id uuid not null,
  last_seq bigint not null default 0,
  -- The last journal that has entries. The deferred key entry_has_header (below) demands its header at commit.
  entered_seq bigint,
  head_hash bytea not null,
  recorded_at timestamptz not null default '-infinity',
  state ledger.book_state not null default 'Open',
  -- How often an account was changed by anything but a journal. The writer caches accounts between batches
  -- (account-cache.ts): the cache is valid while this and last_seq stay the same.
  account_changes bigint not null default 0,
  constraint book_head_pk primary key (book_id),
  constraint book_head_book_fk foreign key (book_id) references ledger.book,
  constraint book_head_hash_is_sha256 check (octet_length(head_hash) = 32)
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 200,
        autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 10000);
-- A batch never changes `state`, so its updates stay HOT.
create index book_head_not_open on ledger.book_head (book_id) where state <> 'Open';

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
  constraint account_book_fk foreign key (book_id) references ledger.book,
  constraint account_name_length check (char_length(name) between 1 and 100)
);
create unique index account_external_id_unique on ledger.account (external_id, book_id) where external_id is not null;
-- One account of each class that only the service posts to: a second would hide money from the accounting equation.
-- Each obligation has a liability account of its own.
create unique index account_chart_class_unique on ledger.account (book_id, class)
  where class not in ('Tenant', 'ObligationLiability');
create unique index account_name_unique on ledger.account
  (name, greatest(book_id, '00000000-0000-0000-0000-000000000000'));

-- Six counters that only grow. Every balance is a difference of them; ending a hold raises `released`.
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

-- The same counters per class, so that every checkpoint verifies the accounting equation in O(1).
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

-- Journal headers. Hash partitions by book keep indexes small and let a big tenant's vacuum run apart. A foreign
-- key to a partitioned table costs some 50 µs a row (it opens every partition), so references to journals are
-- checked once per batch instead: `resolves_seq` and `reverses_seq` by invalid_journal (0005), and that entries
-- have a header by entry_has_header.
create table ledger.journal (
  book_id uuid not null,
  seq bigint not null,
  transaction_id uuid not null,
  order_id uuid,
  command_id uuid not null,
  resolves_seq bigint,
  reverses_seq bigint,
  effective_at timestamptz not null,
  recorded_at timestamptz not null,
  kind ledger.journal_kind not null,
  line_count smallint not null,
  digest bytea not null,
  constraint journal_pk primary key (book_id, seq),
  constraint journal_seq_positive check (seq > 0),
  constraint journal_resolves_a_hold check ((kind in ('Settle', 'Release')) = (resolves_seq is not null)),
  constraint journal_reverses_a_posting check ((kind in ('LateReturn', 'Reverse')) = (reverses_seq is not null)),
  constraint journal_refers_back check (resolves_seq < seq and reverses_seq < seq),
  constraint journal_line_count check (line_count between 2 and 200),
  constraint journal_digest_is_sha256 check (octet_length(digest) = 32)
) partition by hash (book_id);

-- A hold is resolved at most once, a posting reversed at most once, a transaction opened at most once: three indexes
-- instead of a status column, so no interleaving gets past them. A journal opens a transaction if it neither resolves
-- nor reverses another.
create unique index journal_one_resolution on ledger.journal (resolves_seq, book_id) where resolves_seq is not null;
create unique index journal_one_reversal on ledger.journal (reverses_seq, book_id) where reverses_seq is not null;
-- All journals of a transaction. Its id is unique by itself, so this is the one lookup that names no book.
create index journal_by_transaction on ledger.journal (transaction_id);
create unique index journal_one_opening on ledger.journal (transaction_id, book_id)
  where resolves_seq is null and reverses_seq is null;

-- Each entry carries its account's running totals after it. No foreign key to the account: checked row by row, it
-- cost 10 µs of a transfer's 157. An account is never deleted and never changes its book or currency, so
-- entries_move_balances (0004) checks it once, at the insert: LG011 entry_account_currency.
create table ledger.entry (
  book_id uuid not null,
  account_id uuid not null,
  seq bigint not null,
  amount_cents bigint not null,
  account_version bigint not null,
  held_debit bigint not null,
  held_credit bigint not null,
  released_debit bigint not null,
  released_credit bigint not null,
  posted_debit bigint not null,
  posted_credit bigint not null,
  layer ledger.layer not null,
  role ledger.entry_role not null,
  direction ledger.side not null,
  line smallint not null,
  currency text not null,
  constraint entry_pk primary key (book_id, seq, line),
  constraint entry_amount_range check (amount_cents between 1 and 9007199254740991),
  constraint entry_line_range check (line between 1 and 200),
  constraint entry_discharge_is_pending check (role = 'Normal' or layer = 'Pending')
) partition by hash (book_id);

-- Entries are inserted before their headers. At commit the last entered journal must have its header; since headers
-- are gap-free and complete (0005), all others then have theirs.
alter table ledger.book_head add constraint entry_has_header
  foreign key (book_id, entered_seq) references ledger.journal deferrable initially deferred;

do $$
declare
  part_index record;
begin
  for part in 0..7 loop
    execute format('create table ledger.journal_%s partition of ledger.journal
      for values with (modulus 8, remainder %s)', part, part);
    execute format('create table ledger.entry_%s partition of ledger.entry
      for values with (modulus 8, remainder %s)', part, part);
    -- On the partitions, where it needs no book_id: an account belongs to one book, and a book to one partition.
    execute format('create unique index entry_account_version_%s on ledger.entry_%s (account_id, account_version)',
      part, part);
  end loop;
  -- An error names the partition's index: name it after the parent's, so that it says which rule was broken.
  for part_index in
    select child.relname as child, parent.relname || '_' || substring(child.relname from '^[a-z]+_([0-9]+)_') as name
    from pg_inherits i
    join pg_class child on child.oid = i.inhrelid
    join pg_class parent on parent.oid = i.inhparent
    where parent.relkind = 'I' and parent.relnamespace = 'ledger'::regnamespace
      and parent.relname ~ '^(journal|entry)_'
  loop
    execute format('alter index ledger.%I rename to %I', part_index.child, part_index.name);
  end loop;
end $$;

-- Every command with its outcome: a repeated command is answered from here. A refusal is a row here and nothing else.
create table ledger.command (
  book_id uuid not null,
  command_id uuid not null,
  request_hash bytea not null,
  transaction_id uuid not null,
  seq bigint,
  refusal_code text,
  refusal_detail text,
  recorded_at timestamptz not null default now(),
  constraint command_pk primary key (book_id, command_id),
  constraint command_one_outcome check ((seq is null) = (refusal_code is not null)),
  constraint command_refusal_explained check ((refusal_code is null) = (refusal_detail is null))
);

-- The counters of one class. An array of these in a checkpoint holds only the two or three classes that are not zero.
create type ledger.class_counters as (
  class ledger.account_class,
  normal_balance ledger.side,
  currency text,
  held_debit bigint,
  held_credit bigint,
  released_debit bigint,
  released_credit bigint,
  posted_debit bigint,
  posted_credit bigint
);

-- The head of the hash chain, the trial balance and the class totals after each batch.
create table ledger.checkpoint (
  book_id uuid not null,
  last_seq bigint not null,
  first_seq bigint not null,
  head_hash bytea not null,
  recorded_at timestamptz not null,
  posted_debit bigint not null,
  posted_credit bigint not null,
  pending_debit bigint not null,
  pending_credit bigint not null,
  class_totals ledger.class_counters[] not null,
  constraint checkpoint_pk primary key (book_id, last_seq),
  constraint checkpoint_book_fk foreign key (book_id) references ledger.book,
  constraint checkpoint_range check (first_seq <= last_seq),
  constraint checkpoint_posted_balances check (posted_debit = posted_credit),
  constraint checkpoint_pending_balances check (pending_debit = pending_credit)
);

-- Balances by effective day differ from balances by record time only where a journal's effective day (New York) is
-- not the day of its checkpoint. Such a journal adds its counters on its effective day and subtracts them on the
-- day of its checkpoint, so the sum over all days up to D is the difference at the end of D. At most one row per
-- account or class and day, however many entries; most journals add none.
create table ledger.account_day (
  book_id uuid not null,
  account_id uuid not null,
  day date not null,
  held_debit bigint not null,
  held_credit bigint not null,
  released_debit bigint not null,
  released_credit bigint not null,
  posted_debit bigint not null,
  posted_credit bigint not null,
  constraint account_day_pk primary key (book_id, account_id, day),
  constraint account_day_account_fk foreign key (book_id, account_id) references ledger.account
);
create table ledger.class_day (
  book_id uuid not null,
  class ledger.account_class not null,
  normal_balance ledger.side not null,
  currency text not null,
  day date not null,
  held_debit bigint not null,
  held_credit bigint not null,
  released_debit bigint not null,
  released_credit bigint not null,
  posted_debit bigint not null,
  posted_credit bigint not null,
  constraint class_day_pk primary key (book_id, class, normal_balance, currency, day),
  constraint class_day_book_fk foreign key (book_id) references ledger.book
);

-- What the caller of a manual transaction sent besides its entries. A transaction of an order, an inbound payment
-- or an obligation has no row here: its owner's row describes it.
create table ledger.transaction_detail (
  book_id uuid not null,
  transaction_id uuid not null,
  description text not null,
  basis text not null,
  external_id text,
  metadata jsonb not null default '{}',
  constraint transaction_detail_pk primary key (book_id, transaction_id),
  constraint transaction_detail_book_fk foreign key (book_id) references ledger.book,
  constraint transaction_detail_description_length check (char_length(description) between 1 and 255),
  constraint transaction_detail_basis_known check (basis in ('Actual', 'Demo', 'Missing'))
);
create unique index transaction_external_id_unique on ledger.transaction_detail
  (external_id, greatest(book_id, '00000000-0000-0000-0000-000000000000'))
  where external_id is not null;

-- Why a later journal of a transaction was posted (a reversal's description).
create table ledger.journal_note (
  book_id uuid not null,
  seq bigint not null,
  description text not null,
  constraint journal_note_pk primary key (book_id, seq),
  constraint journal_note_book_fk foreign key (book_id) references ledger.book,
  constraint journal_note_description_length check (char_length(description) between 1 and 255)
);

-- No manual transaction takes effect at or before the newest `closed_through` of its book (journal_in_open_period,
-- 0005).
create table ledger.closed_period (
  book_id uuid not null,
  closed_through timestamptz not null,
  reason text not null,
  recorded_at timestamptz not null default clock_timestamp(),
  constraint closed_period_pk primary key (book_id, closed_through),
  constraint closed_period_book_fk foreign key (book_id) references ledger.book,
  constraint closed_period_reason_given check (reason <> '')
);

-- The log of a book's state; the newest event is in force. A book that fails its proof is frozen, alone: nothing is
-- appended to it until an operator has it proven and released.
create table ledger.freeze_event (
  book_id uuid not null,
  number int not null,
  state ledger.book_state not null,
  reason text not null,
  actor text not null,
  -- What the auditor found: [{ check, detail }].
  violations jsonb not null default '[]',
  recorded_at timestamptz not null default clock_timestamp(),
  constraint freeze_event_pk primary key (book_id, number),
  constraint freeze_event_book_fk foreign key (book_id) references ledger.book,
  constraint freeze_event_reason_given check (reason <> '' and actor <> '')
);

-- Messages that arrived for a frozen book, whole, once per command. `position` is assigned under the head's lock,
-- so it is the order of arrival. A different request under a known command id is stored too: replaying it reports
-- the conflict.
create table ledger.deferred_command (
  book_id uuid not null,
  position bigint not null generated always as identity,
  command_id uuid not null,
  request_hash bytea not null,
  message text not null,
  deferred_at timestamptz not null default clock_timestamp(),
  -- Why it could not be replayed. An operator looks at it; the others go on.
  failure text,
  constraint deferred_command_pk primary key (book_id, position),
  constraint deferred_command_unique unique (command_id, request_hash, book_id)
);

-- The auditor's progress in a book, as audit-progress.ts stores it: in new journals (`tail`; null before the first
-- page), and in the daily scan from the first journal (`scan`; null while no scan is under way).
create table ledger.audit (
  book_id uuid not null,
  audited_seq bigint not null default 0,
  audited_at timestamptz,
  scanned_at timestamptz,
  tail jsonb,
  scan jsonb,
  constraint audit_pk primary key (book_id),
  constraint audit_book_fk foreign key (book_id) references ledger.book
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
