-- What the migrations of this service come to. Written by `make schema`; never edit it by hand.
-- Not shown: partitions by day, and the table of applied migrations.

create schema ledger;
set search_path = ledger;
grant usage on schema ledger to ledger;
grant usage on schema ledger to ledger_reader;

create type account_class as enum ('SettlementCash', 'StablecoinWallet', 'Suspense', 'Tenant', 'FuelTaxExpense', 'OperatorSettlementExpense', 'ObligationLiability', 'ObligationExpense');
create type book_state as enum ('Open', 'Frozen', 'Releasing');
create type class_counters as (class account_class, normal_balance side, currency text, held_debit numeric, held_credit numeric, released_debit numeric, released_credit numeric, posted_debit numeric, posted_credit numeric);
create type entry_role as enum ('Normal', 'Discharge');
create type journal_kind as enum ('Hold', 'Settle', 'Release', 'LateReturn', 'Post', 'Reverse', 'Inbound', 'Assign', 'Accrue', 'UnmatchedReturn');
create type layer as enum ('Pending', 'Posted');
create type overdraft as enum ('Allowed', 'Refused');
create type side as enum ('Debit', 'Credit');

create table account (
  book_id uuid not null,
  account_id uuid not null,
  name text not null,
  currency text not null,
  normal_balance side not null,
  class account_class not null,
  overdraft overdraft not null,
  external_id text,
  description text,
  metadata jsonb not null default '{}'::jsonb,
  created_at timestamp with time zone not null default now(),
  closed_at timestamp with time zone,
  updated_at timestamp with time zone,
  constraint account_pk primary key (book_id, account_id),
  constraint account_book_fk foreign key (book_id) references book(book_id),
  constraint account_name_length check (char_length(name) >= 1 and char_length(name) <= 100)
);
create index account_by_name_key on account using btree (name_key(name), greatest(book_id, '00000000-0000-0000-0000-000000000000'::uuid));
create index account_by_name_prefix on account using btree (book_id, name_key(name) collate "C", account_id) where class = 'Tenant'::account_class;
create index account_system on account using btree (book_id, account_id) where class <> 'Tenant'::account_class;
create unique index account_chart_class_unique on account using btree (book_id, class) where class <> all (array['Tenant'::account_class, 'ObligationLiability'::account_class]);
create unique index account_external_id_unique on account using btree (external_id, book_id) where external_id is not null;
create unique index account_name_unique on account using btree (name, greatest(book_id, '00000000-0000-0000-0000-000000000000'::uuid));
create trigger account_change_is_counted after update on account for each row execute function account_change_is_counted();
alter table account enable always trigger account_change_is_counted;
create trigger account_closes_empty before update on account for each row when (new.closed_at is distinct from old.closed_at) execute function account_closes_empty();
alter table account enable always trigger account_closes_empty;
create trigger account_identity before update on account for each row execute function refuse_new_identity();
alter table account enable always trigger account_identity;
create trigger account_joins_chain after insert on account for each row execute function account_joins_chain();
alter table account enable always trigger account_joins_chain;
create trigger account_opens_at_zero after insert on account for each row execute function account_opens_at_zero();
alter table account enable always trigger account_opens_at_zero;
create trigger never_deleted before delete on account for each row execute function refuse_change();
alter table account enable always trigger never_deleted;
create trigger never_truncated before truncate on account for each statement execute function refuse_change();
alter table account enable always trigger never_truncated;
alter table account enable row level security;
create policy own_book on account as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on account to ledger;
grant select on account to ledger_reader;
grant update (description), update (metadata), update (updated_at) on account to ledger;

create table account_balance (
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
  constraint account_balance_account_fk foreign key (book_id, account_id) references account(book_id, account_id),
  constraint account_balance_released_is_held check (held_debit >= released_debit and held_credit >= released_credit)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_delay=0);
create trigger derived_by_trigger_only before insert or update on account_balance for each row when (pg_trigger_depth() = 0) execute function refuse_direct_write();
alter table account_balance enable always trigger derived_by_trigger_only;
create trigger never_deleted before delete on account_balance for each row execute function refuse_change();
alter table account_balance enable always trigger never_deleted;
create trigger never_truncated before truncate on account_balance for each statement execute function refuse_change();
alter table account_balance enable always trigger never_truncated;
alter table account_balance enable row level security;
create policy own_book on account_balance as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant select on account_balance to ledger;
grant select on account_balance to ledger_reader;

create table account_chain (
  book_id uuid not null,
  "position" integer not null,
  account_id uuid not null,
  head_hash bytea not null,
  constraint account_chain_pk primary key (book_id, "position"),
  constraint account_chain_account_once unique (account_id, book_id),
  constraint account_chain_book_fk foreign key (book_id) references book(book_id),
  constraint account_chain_head_is_sha256 check (octet_length(head_hash) = 32)
);
create trigger append_only before delete or update on account_chain for each row execute function refuse_change();
alter table account_chain enable always trigger append_only;
create trigger derived_by_trigger_only before insert on account_chain for each row when (pg_trigger_depth() = 0) execute function refuse_direct_write();
alter table account_chain enable always trigger derived_by_trigger_only;
create trigger never_truncated before truncate on account_chain for each statement execute function refuse_change();
alter table account_chain enable always trigger never_truncated;
alter table account_chain enable row level security;
create policy own_book on account_chain as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant select on account_chain to ledger;
grant select on account_chain to ledger_reader;

create table account_day (
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
  constraint account_day_account_fk foreign key (book_id, account_id) references account(book_id, account_id)
);
create trigger derived_by_trigger_only before insert or update on account_day for each row when (pg_trigger_depth() = 0) execute function refuse_direct_write();
alter table account_day enable always trigger derived_by_trigger_only;
create trigger never_deleted before delete on account_day for each row execute function refuse_change();
alter table account_day enable always trigger never_deleted;
create trigger never_truncated before truncate on account_day for each statement execute function refuse_change();
alter table account_day enable always trigger never_truncated;
alter table account_day enable row level security;
create policy own_book on account_day as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant select on account_day to ledger;
grant select on account_day to ledger_reader;

create table audit (
  book_id uuid not null,
  audited_seq bigint not null default 0,
  audited_at timestamp with time zone,
  scanned_at timestamp with time zone,
  tail jsonb,
  scan jsonb,
  published_seq bigint not null default 0,
  published_at timestamp with time zone,
  constraint audit_pk primary key (book_id),
  constraint audit_book_fk foreign key (book_id) references book(book_id)
) with (fillfactor=50, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500);
alter table audit enable row level security;
create policy own_book on audit as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant select on audit to ledger_reader;
grant select, update on audit to ledger;

create table bank_line (
  book_id uuid not null,
  number integer not null,
  line integer not null,
  account account_class not null,
  side text not null,
  amount_cents bigint not null,
  reference text not null,
  customer_reference text,
  kind text not null,
  occurred_at timestamp with time zone not null,
  constraint bank_line_pk primary key (book_id, number, line),
  constraint bank_line_of_statement foreign key (book_id, number) references bank_statement(book_id, number),
  constraint bank_line_account_at_bank check (account = any (array['SettlementCash'::account_class, 'StablecoinWallet'::account_class])),
  constraint bank_line_amount_range check (amount_cents >= 1 and amount_cents <= '9007199254740991'::bigint),
  constraint bank_line_side_known check (side = any (array['In'::text, 'Out'::text]))
);
create trigger append_only before delete or update on bank_line for each row execute function refuse_change();
alter table bank_line enable always trigger append_only;
create trigger never_truncated before truncate on bank_line for each statement execute function refuse_change();
alter table bank_line enable always trigger never_truncated;
alter table bank_line enable row level security;
create policy own_book on bank_line as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on bank_line to ledger;
grant select on bank_line to ledger_reader;

create table bank_statement (
  book_id uuid not null,
  number integer not null,
  statement_id uuid not null,
  banking_date date not null,
  ends_at timestamp with time zone not null,
  opening_cents bigint not null,
  closing_cents bigint not null,
  line_count integer not null,
  hash bytea not null,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  constraint bank_statement_pk primary key (book_id, number),
  constraint bank_statement_book_fk foreign key (book_id) references book(book_id),
  constraint bank_statement_hash_is_sha256 check (octet_length(hash) = 32)
);
create unique index bank_statement_by_id on bank_statement using btree (statement_id, book_id);
create trigger append_only before delete or update on bank_statement for each row execute function refuse_change();
alter table bank_statement enable always trigger append_only;
create trigger never_truncated before truncate on bank_statement for each statement execute function refuse_change();
alter table bank_statement enable always trigger never_truncated;
alter table bank_statement enable row level security;
create policy own_book on bank_statement as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on bank_statement to ledger;
grant select on bank_statement to ledger_reader;

create table book (
  book_id uuid not null,
  tenant_id uuid not null,
  mode text not null,
  created_at timestamp with time zone not null default now(),
  constraint book_pk primary key (book_id),
  constraint book_tenant_mode_unique unique (tenant_id, mode),
  constraint book_mode_known check (mode = any (array['Test'::text, 'Live'::text]))
);
create trigger append_only before delete or update on book for each row execute function refuse_change();
alter table book enable always trigger append_only;
create trigger book_creates_audit after insert on book for each row execute function book_creates_audit();
alter table book enable always trigger book_creates_audit;
create trigger book_creates_head after insert on book for each row execute function book_creates_head();
alter table book enable always trigger book_creates_head;
create trigger never_truncated before truncate on book for each statement execute function refuse_change();
alter table book enable always trigger never_truncated;
alter table book enable row level security;
create policy own_book on book as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on book to ledger;
grant select on book to ledger_reader;

create table book_clock (
  book_id uuid not null,
  sequence integer not null,
  mode text not null,
  lead_ms bigint not null,
  stands_at timestamp with time zone,
  constraint book_clock_pkey primary key (book_id),
  constraint book_clock_manual_stands check ((stands_at is not null) = (mode = 'Manual'::text)),
  constraint book_clock_mode_known check (mode = any (array['Instant'::text, 'Real'::text, 'Manual'::text])),
  constraint book_clock_never_behind check (lead_ms >= 0)
);
create trigger forward_only before update on book_clock for each row execute function refuse_clock_back();
alter table book_clock enable always trigger forward_only;
create trigger never_truncated before truncate on book_clock for each statement execute function refuse_change();
alter table book_clock enable always trigger never_truncated;
alter table book_clock enable row level security;
create policy own_book on book_clock as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select, update on book_clock to ledger;
grant select on book_clock to ledger_reader;

create table book_head (
  book_id uuid not null,
  last_seq bigint not null default 0,
  entered_seq bigint,
  head_hash bytea not null,
  recorded_at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  state book_state not null default 'Open'::book_state,
  account_changes bigint not null default 0,
  constraint book_head_pk primary key (book_id),
  constraint book_head_book_fk foreign key (book_id) references book(book_id),
  constraint entry_has_header foreign key (book_id, entered_seq) references journal(book_id, seq) deferrable initially deferred,
  constraint book_head_hash_is_sha256 check (octet_length(head_hash) = 32)
) with (fillfactor=20, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=200, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=10000);
create index book_head_not_open on book_head using btree (book_id) where state <> 'Open'::book_state;
create trigger book_is_frozen before update on book_head for each row when (old.state = 'Frozen'::book_state and new.last_seq is distinct from old.last_seq) execute function refuse_frozen();
alter table book_head enable always trigger book_is_frozen;
create trigger derived_by_trigger_only before insert or update on book_head for each row when (pg_trigger_depth() = 0) execute function refuse_direct_write();
alter table book_head enable always trigger derived_by_trigger_only;
create trigger never_deleted before delete on book_head for each row execute function refuse_change();
alter table book_head enable always trigger never_deleted;
create trigger never_truncated before truncate on book_head for each statement execute function refuse_change();
alter table book_head enable always trigger never_truncated;
alter table book_head enable row level security;
create policy own_book on book_head as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant select on book_head to ledger;
grant select on book_head to ledger_reader;

create table checkpoint (
  book_id uuid not null,
  last_seq bigint not null,
  first_seq bigint not null,
  head_hash bytea not null,
  recorded_at timestamp with time zone not null,
  posted_debit numeric not null,
  posted_credit numeric not null,
  pending_debit numeric not null,
  pending_credit numeric not null,
  class_totals class_counters[] not null,
  constraint checkpoint_pk primary key (book_id, last_seq),
  constraint checkpoint_book_fk foreign key (book_id) references book(book_id),
  constraint checkpoint_pending_balances check (pending_debit = pending_credit),
  constraint checkpoint_posted_balances check (posted_debit = posted_credit),
  constraint checkpoint_range check (first_seq <= last_seq)
);
create trigger append_only before delete or update on checkpoint for each row execute function refuse_change();
alter table checkpoint enable always trigger append_only;
create trigger checkpoint_copies_class_totals before insert on checkpoint for each row execute function checkpoint_copies_class_totals();
alter table checkpoint enable always trigger checkpoint_copies_class_totals;
create trigger derived_by_trigger_only before insert or update on checkpoint for each row when (pg_trigger_depth() = 0) execute function refuse_direct_write();
alter table checkpoint enable always trigger derived_by_trigger_only;
create trigger never_truncated before truncate on checkpoint for each statement execute function refuse_change();
alter table checkpoint enable always trigger never_truncated;
alter table checkpoint enable row level security;
create policy own_book on checkpoint as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant select on checkpoint to ledger;
grant select on checkpoint to ledger_reader;

create table class_day (
  book_id uuid not null,
  class account_class not null,
  normal_balance side not null,
  currency text not null,
  day date not null,
  held_debit numeric not null,
  held_credit numeric not null,
  released_debit numeric not null,
  released_credit numeric not null,
  posted_debit numeric not null,
  posted_credit numeric not null,
  constraint class_day_pk primary key (book_id, class, normal_balance, currency, day),
  constraint class_day_book_fk foreign key (book_id) references book(book_id)
);
create trigger derived_by_trigger_only before insert or update on class_day for each row when (pg_trigger_depth() = 0) execute function refuse_direct_write();
alter table class_day enable always trigger derived_by_trigger_only;
create trigger never_deleted before delete on class_day for each row execute function refuse_change();
alter table class_day enable always trigger never_deleted;
create trigger never_truncated before truncate on class_day for each statement execute function refuse_change();
alter table class_day enable always trigger never_truncated;
alter table class_day enable row level security;
create policy own_book on class_day as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant select on class_day to ledger;
grant select on class_day to ledger_reader;

create table class_total (
  book_id uuid not null,
  class account_class not null,
  normal_balance side not null,
  currency text not null,
  held_debit numeric not null default 0,
  held_credit numeric not null default 0,
  released_debit numeric not null default 0,
  released_credit numeric not null default 0,
  posted_debit numeric not null default 0,
  posted_credit numeric not null default 0,
  constraint class_total_pk primary key (book_id, class, normal_balance, currency),
  constraint class_total_book_fk foreign key (book_id) references book(book_id)
) with (fillfactor=20, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=500, autovacuum_vacuum_cost_delay=0);
create trigger derived_by_trigger_only before insert or update on class_total for each row when (pg_trigger_depth() = 0) execute function refuse_direct_write();
alter table class_total enable always trigger derived_by_trigger_only;
create trigger never_deleted before delete on class_total for each row execute function refuse_change();
alter table class_total enable always trigger never_deleted;
create trigger never_truncated before truncate on class_total for each statement execute function refuse_change();
alter table class_total enable always trigger never_truncated;
alter table class_total enable row level security;
create policy own_book on class_total as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant select on class_total to ledger;
grant select on class_total to ledger_reader;

create table closed_period (
  book_id uuid not null,
  closed_through timestamp with time zone not null,
  reason text not null,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  constraint closed_period_pk primary key (book_id, closed_through),
  constraint closed_period_book_fk foreign key (book_id) references book(book_id),
  constraint closed_period_reason_given check (reason <> ''::text)
);
create trigger append_only before delete or update on closed_period for each row execute function refuse_change();
alter table closed_period enable always trigger append_only;
create trigger never_truncated before truncate on closed_period for each statement execute function refuse_change();
alter table closed_period enable always trigger never_truncated;
alter table closed_period enable row level security;
create policy own_book on closed_period as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on closed_period to ledger;
grant select on closed_period to ledger_reader;

create table command (
  book_id uuid not null,
  command_id uuid not null,
  request_hash bytea not null,
  transaction_id uuid not null,
  seq bigint,
  refusal_code text,
  refusal_detail text,
  recorded_at timestamp with time zone not null default now(),
  constraint command_pk primary key (book_id, command_id),
  constraint command_one_outcome check ((seq is null) = (refusal_code is not null)),
  constraint command_refusal_explained check ((refusal_code is null) = (refusal_detail is null))
);
create trigger append_only before delete or update on command for each row execute function refuse_change();
alter table command enable always trigger append_only;
create trigger never_truncated before truncate on command for each statement execute function refuse_change();
alter table command enable always trigger never_truncated;
alter table command enable row level security;
create policy own_book on command as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on command to ledger;
grant select on command to ledger_reader;

create table command_decision (
  book_id uuid not null,
  "position" bigint not null,
  number integer not null,
  kind text not null,
  command_id uuid not null,
  message_type text not null,
  actor text not null,
  reason text not null,
  failure text,
  message text,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  constraint command_decision_pk primary key (book_id, "position", number),
  constraint command_decision_book_fk foreign key (book_id) references book(book_id),
  constraint command_decision_keeps_message check ((kind = 'Dropped'::text) = (message is not null)),
  constraint command_decision_kind_known check (kind = any (array['LeftOut'::text, 'DropProposed'::text, 'Dropped'::text])),
  constraint command_decision_reason_given check (reason <> ''::text and actor <> ''::text)
);
create unique index command_decision_dropped_once on command_decision using btree (book_id, "position") where kind = 'Dropped'::text;
create trigger append_only before delete or update on command_decision for each row execute function refuse_change();
alter table command_decision enable always trigger append_only;
create trigger never_truncated before truncate on command_decision for each statement execute function refuse_change();
alter table command_decision enable always trigger never_truncated;
grant insert, select on command_decision to ledger;

create table command_retry (
  book_id uuid not null,
  "position" bigint not null,
  number integer not null,
  command_id uuid not null,
  message_type text not null,
  actor text not null,
  reason text not null,
  failure text,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  constraint command_retry_pk primary key (book_id, "position", number),
  constraint command_retry_book_fk foreign key (book_id) references book(book_id),
  constraint command_retry_reason_given check (reason <> ''::text and actor <> ''::text)
);
create trigger append_only before delete or update on command_retry for each row execute function refuse_change();
alter table command_retry enable always trigger append_only;
create trigger never_truncated before truncate on command_retry for each statement execute function refuse_change();
alter table command_retry enable always trigger never_truncated;
grant insert, select on command_retry to ledger;

create table dated_entry (
  book_id uuid not null,
  account_id uuid not null,
  effective_on date not null,
  account_version bigint not null,
  layer layer not null,
  constraint dated_entry_pk primary key (book_id, account_id, effective_on, account_version)
);
create trigger derived_by_trigger_only before insert or update on dated_entry for each row when (pg_trigger_depth() = 0) execute function refuse_direct_write();
alter table dated_entry enable always trigger derived_by_trigger_only;
create trigger never_deleted before delete on dated_entry for each row execute function refuse_change();
alter table dated_entry enable always trigger never_deleted;
create trigger never_truncated before truncate on dated_entry for each statement execute function refuse_change();
alter table dated_entry enable always trigger never_truncated;
alter table dated_entry enable row level security;
create policy own_book on dated_entry as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant select on dated_entry to ledger;
grant select on dated_entry to ledger_reader;

create table deferred_command (
  book_id uuid not null,
  "position" bigint not null generated always as identity,
  command_id uuid not null,
  request_hash bytea not null,
  message text not null,
  deferred_at timestamp with time zone not null default clock_timestamp(),
  failure text,
  failure_code text,
  constraint deferred_command_pk primary key (book_id, "position"),
  constraint deferred_command_unique unique (command_id, request_hash, book_id)
);
create index deferred_command_quarantined on deferred_command using btree (book_id, "position") where failure is not null;
create trigger deferred_command_identity before update on deferred_command for each row when (new.book_id is distinct from old.book_id or new."position" is distinct from old."position" or new.command_id is distinct from old.command_id or new.request_hash is distinct from old.request_hash or new.message is distinct from old.message or new.deferred_at is distinct from old.deferred_at) execute function refuse_other_command();
alter table deferred_command enable always trigger deferred_command_identity;
create trigger never_truncated before truncate on deferred_command for each statement execute function refuse_change();
alter table deferred_command enable always trigger never_truncated;
grant delete, insert, select on deferred_command to ledger;
grant update (failure), update (failure_code) on deferred_command to ledger;

create table entry (
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
  layer layer not null,
  role entry_role not null,
  direction side not null,
  line smallint not null,
  currency text not null,
  constraint entry_pk primary key (book_id, seq, line),
  constraint entry_amount_range check (amount_cents >= 1 and amount_cents <= '9007199254740991'::bigint),
  constraint entry_discharge_is_pending check (role = 'Normal'::entry_role or layer = 'Pending'::layer),
  constraint entry_line_range check (line >= 1 and line <= 200)
) partition by hash (book_id);
create table entry_0 partition of entry for values with (modulus 8, remainder 0);
create table entry_1 partition of entry for values with (modulus 8, remainder 1);
create table entry_2 partition of entry for values with (modulus 8, remainder 2);
create table entry_3 partition of entry for values with (modulus 8, remainder 3);
create table entry_4 partition of entry for values with (modulus 8, remainder 4);
create table entry_5 partition of entry for values with (modulus 8, remainder 5);
create table entry_6 partition of entry for values with (modulus 8, remainder 6);
create table entry_7 partition of entry for values with (modulus 8, remainder 7);
create trigger append_only before delete or update on entry for each row execute function refuse_change();
alter table entry enable always trigger append_only;
create trigger entries_move_balances after insert on entry referencing new table as new_entry for each statement execute function entries_move_balances();
alter table entry enable always trigger entries_move_balances;
create trigger never_truncated before truncate on entry for each statement execute function refuse_change();
alter table entry enable always trigger never_truncated;
alter table entry enable row level security;
create policy own_book on entry as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on entry to ledger;
grant select on entry to ledger_reader;

create table failed_message (
  message_id uuid not null,
  type text not null,
  failures integer not null,
  last_error text not null,
  last_failed_at timestamp with time zone not null default now(),
  dead_lettered_at timestamp with time zone,
  constraint failed_message_pkey primary key (message_id)
);
grant insert, select, update on failed_message to ledger;

create table freeze_event (
  book_id uuid not null,
  number integer not null,
  state book_state not null,
  reason text not null,
  actor text not null,
  violations jsonb not null default '[]'::jsonb,
  recorded_at timestamp with time zone not null default clock_timestamp(),
  constraint freeze_event_pk primary key (book_id, number),
  constraint freeze_event_book_fk foreign key (book_id) references book(book_id),
  constraint freeze_event_reason_given check (reason <> ''::text and actor <> ''::text)
);
create trigger append_only before delete or update on freeze_event for each row execute function refuse_change();
alter table freeze_event enable always trigger append_only;
create trigger freeze_event_sets_state after insert on freeze_event for each row execute function freeze_event_sets_state();
alter table freeze_event enable always trigger freeze_event_sets_state;
create trigger never_truncated before truncate on freeze_event for each statement execute function refuse_change();
alter table freeze_event enable always trigger never_truncated;
alter table freeze_event enable row level security;
create policy own_book on freeze_event as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on freeze_event to ledger;
grant select on freeze_event to ledger_reader;

create table idempotency (
  book_id uuid not null,
  key text not null,
  fingerprint text not null,
  operation text not null,
  resource_id text not null,
  response jsonb not null,
  created_at timestamp with time zone not null default now(),
  resource text not null generated always as (idempotency_resource(operation)) stored,
  constraint idempotency_pkey primary key (book_id, key, resource)
);
create index idempotency_expiring on idempotency using btree (created_at) where resource <> 'payment-orders'::text;
grant delete, insert, select on idempotency to ledger;

create table inbound_payment (
  book_id uuid not null,
  inbound_payment_id uuid not null,
  bank_reference text not null,
  rail text not null,
  direction side not null,
  amount_cents bigint not null,
  currency text not null,
  originator_name text not null,
  account_number_last4 text not null,
  status text not null,
  reason text,
  virtual_account_id uuid,
  ledger_account_id uuid,
  seq bigint,
  assigned_seq bigint,
  assigned_transaction_id uuid,
  assigned_by text,
  assigned_at timestamp with time zone,
  occurred_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  returns_order_id uuid,
  return_code text,
  original_trace text,
  proposed_account_id uuid,
  proposed_by text,
  proposed_at timestamp with time zone,
  constraint inbound_payment_pk primary key (book_id, inbound_payment_id),
  constraint inbound_payment_book_fk foreign key (book_id) references book(book_id),
  constraint inbound_payment_ledger_account_fk foreign key (book_id, ledger_account_id) references account(book_id, account_id),
  constraint inbound_payment_proposed_account_fk foreign key (book_id, proposed_account_id) references account(book_id, account_id),
  constraint inbound_payment_virtual_account_fk foreign key (book_id, virtual_account_id) references virtual_account(book_id, virtual_account_id),
  constraint inbound_payment_amount_range check (amount_cents >= 1 and amount_cents <= '9007199254740991'::bigint),
  constraint inbound_payment_fits_its_status check (
case status
    when 'Attributed'::text then direction = 'Credit'::side and num_nonnulls(virtual_account_id, returns_order_id) = 1 and ledger_account_id is not null and seq is not null and reason is null and assigned_seq is null
    when 'Suspended'::text then (direction = 'Credit'::side or return_code is not null) and ledger_account_id is null and seq is not null and reason is not null and assigned_seq is null
    when 'Assigned'::text then (direction = 'Credit'::side or return_code is not null) and ledger_account_id is not null and reason is not null and seq is not null and num_nulls(assigned_seq, assigned_transaction_id, assigned_by, assigned_at) = 0
    when 'Offset'::text then reason = 'ReturnOfPayment'::text and returns_order_id is not null and ledger_account_id is null and seq is not null and assigned_seq is null
    when 'Returned'::text then direction = 'Debit'::side and ledger_account_id is null and seq is null and reason is not null and assigned_seq is null
    else false
end),
  constraint inbound_payment_last4 check (char_length(account_number_last4) <= 4),
  constraint inbound_payment_proposal check (
case
    when num_nonnulls(proposed_account_id, proposed_by, proposed_at) = 0 then true
    when num_nulls(proposed_account_id, proposed_by, proposed_at) > 0 then false
    when status = 'Assigned'::text then ledger_account_id = proposed_account_id and assigned_by <> proposed_by
    else status = 'Suspended'::text
end),
  constraint inbound_payment_return_of_no_order check (
case
    when return_code is null then original_trace is null and (returns_order_id is null or direction = 'Credit'::side)
    else original_trace is not null and reason = 'UnmatchedReturn'::text and (status = any (array['Suspended'::text, 'Assigned'::text])) and num_nonnulls(virtual_account_id, returns_order_id) = 0
end)
);
create index inbound_payment_by_amount on inbound_payment using btree (amount_cents, book_id, inbound_payment_id);
create index inbound_payment_by_ledger_account on inbound_payment using btree (ledger_account_id, status, book_id, inbound_payment_id) where ledger_account_id is not null;
create index inbound_payment_by_order on inbound_payment using btree (returns_order_id, book_id) where returns_order_id is not null;
create index inbound_payment_by_status on inbound_payment using btree (status, book_id, inbound_payment_id);
create index inbound_payment_by_virtual_account on inbound_payment using btree (virtual_account_id, status, book_id, inbound_payment_id) where virtual_account_id is not null;
create index inbound_payment_proposed on inbound_payment using btree (book_id, inbound_payment_id) where status = 'Suspended'::text and proposed_by is not null;
create unique index inbound_payment_by_assignment on inbound_payment using btree (assigned_transaction_id) where assigned_transaction_id is not null;
create unique index inbound_payment_once_per_code on inbound_payment using btree (bank_reference, book_id, coalesce(return_code, ''::text));
create trigger inbound_payment_is_booked before insert or update on inbound_payment for each row execute function inbound_payment_is_booked();
alter table inbound_payment enable always trigger inbound_payment_is_booked;
create trigger never_deleted before delete on inbound_payment for each row execute function refuse_change();
alter table inbound_payment enable always trigger never_deleted;
create trigger never_truncated before truncate on inbound_payment for each statement execute function refuse_change();
alter table inbound_payment enable always trigger never_truncated;
alter table inbound_payment enable row level security;
create policy own_book on inbound_payment as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on inbound_payment to ledger;
grant select on inbound_payment to ledger_reader;
grant update (assigned_at), update (assigned_by), update (assigned_seq), update (assigned_transaction_id), update (ledger_account_id), update (proposed_account_id), update (proposed_at), update (proposed_by), update (status) on inbound_payment to ledger;

create table inbox (
  message_id uuid not null,
  constraint inbox_pkey primary key (message_id)
) with (autovacuum_vacuum_scale_factor=0.02);
grant delete, insert, select on inbox to ledger;

create table journal (
  book_id uuid not null,
  seq bigint not null,
  transaction_id uuid not null,
  order_id uuid,
  command_id uuid not null,
  resolves_seq bigint,
  reverses_seq bigint,
  effective_at timestamp with time zone not null,
  recorded_at timestamp with time zone not null,
  kind journal_kind not null,
  line_count smallint not null,
  digest bytea not null,
  digest_version smallint not null default 1,
  constraint journal_pk primary key (book_id, seq),
  constraint journal_digest_is_sha256 check (octet_length(digest) = 32),
  constraint journal_digest_version_known check (digest_version = any (array[1, 2])),
  constraint journal_line_count check (line_count >= 2 and line_count <= 200),
  constraint journal_refers_back check (resolves_seq < seq and reverses_seq < seq),
  constraint journal_resolves_a_hold check ((kind = any (array['Settle'::journal_kind, 'Release'::journal_kind])) = (resolves_seq is not null)),
  constraint journal_reverses_a_posting check ((kind = any (array['LateReturn'::journal_kind, 'Reverse'::journal_kind])) = (reverses_seq is not null)),
  constraint journal_seq_positive check (seq > 0)
) partition by hash (book_id);
create table journal_0 partition of journal for values with (modulus 8, remainder 0);
create table journal_1 partition of journal for values with (modulus 8, remainder 1);
create table journal_2 partition of journal for values with (modulus 8, remainder 2);
create table journal_3 partition of journal for values with (modulus 8, remainder 3);
create table journal_4 partition of journal for values with (modulus 8, remainder 4);
create table journal_5 partition of journal for values with (modulus 8, remainder 5);
create table journal_6 partition of journal for values with (modulus 8, remainder 6);
create table journal_7 partition of journal for values with (modulus 8, remainder 7);
create index journal_by_transaction on only journal using btree (transaction_id);
create unique index journal_one_opening on only journal using btree (transaction_id, book_id) where resolves_seq is null and reverses_seq is null;
create unique index journal_one_resolution on only journal using btree (resolves_seq, book_id) where resolves_seq is not null;
create unique index journal_one_reversal on only journal using btree (reverses_seq, book_id) where reverses_seq is not null;
create constraint trigger accrual_belongs_to_obligation after insert on journal deferrable initially deferred for each row when (new.kind = 'Accrue'::journal_kind) execute function accrual_belongs_to_obligation();
alter table journal enable always trigger accrual_belongs_to_obligation;
create trigger append_only before delete or update on journal for each row execute function refuse_change();
alter table journal enable always trigger append_only;
create trigger headers_close_batch after insert on journal referencing new table as new_journal for each statement execute function headers_close_batch();
alter table journal enable always trigger headers_close_batch;
create trigger journal_in_open_period after insert on journal for each row when (new.order_id is null and (new.kind = any (array['Post'::journal_kind, 'Hold'::journal_kind, 'Settle'::journal_kind]))) execute function journal_in_open_period();
alter table journal enable always trigger journal_in_open_period;
create trigger journal_lists_pending after insert on journal for each row when (new.order_id is null and (new.kind = any (array['Hold'::journal_kind, 'Settle'::journal_kind, 'Release'::journal_kind]))) execute function journal_lists_pending();
alter table journal enable always trigger journal_lists_pending;
create trigger journals_move_days after insert on journal referencing new table as new_journal for each statement execute function journals_move_days();
alter table journal enable always trigger journals_move_days;
create trigger journals_use_their_accounts after insert on journal referencing new table as new_journal for each statement execute function journals_use_their_accounts();
alter table journal enable always trigger journals_use_their_accounts;
create trigger never_truncated before truncate on journal for each statement execute function refuse_change();
alter table journal enable always trigger never_truncated;
alter table journal enable row level security;
create policy own_book on journal as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on journal to ledger;
grant select on journal to ledger_reader;

create table journal_note (
  book_id uuid not null,
  seq bigint not null,
  description text not null,
  constraint journal_note_pk primary key (book_id, seq),
  constraint journal_note_book_fk foreign key (book_id) references book(book_id),
  constraint journal_note_description_length check (char_length(description) >= 1 and char_length(description) <= 255)
);
create trigger append_only before delete or update on journal_note for each row execute function refuse_change();
alter table journal_note enable always trigger append_only;
create trigger never_truncated before truncate on journal_note for each statement execute function refuse_change();
alter table journal_note enable always trigger never_truncated;
alter table journal_note enable row level security;
create policy own_book on journal_note as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on journal_note to ledger;
grant select on journal_note to ledger_reader;

create table obligation (
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
  payment_order_id uuid,
  remittance_cents bigint,
  remittance_rail text,
  funding_account_id uuid,
  requested_by jsonb,
  request_due_at timestamp with time zone,
  event_count integer not null,
  created_by text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  makers text[] not null default '{}'::text[],
  version integer not null default 1,
  constraint obligation_pk primary key (book_id, obligation_id),
  constraint obligation_book_fk foreign key (book_id) references book(book_id),
  constraint obligation_fixed_range check (fixed_cents >= 0 and fixed_cents <= '999999999999'::bigint),
  constraint obligation_open_is_unbooked check (status <> 'Open'::text or fixed_cents = 0 and event_count = 0),
  constraint obligation_payable_has_no_order check ((status <> all (array['Open'::text, 'Fixed'::text])) or payment_order_id is null),
  constraint obligation_remitting_has_one_order check (num_nulls(payment_order_id, remittance_cents, remittance_rail, funding_account_id) = 0 and status = 'Remitting'::text or num_nonnulls(remittance_cents, remittance_rail, funding_account_id, requested_by) = 0 and status <> 'Remitting'::text),
  constraint obligation_request_has_due_time check ((requested_by is null) = (request_due_at is null)),
  constraint obligation_status_known check (status = any (array['Open'::text, 'Fixed'::text, 'Remitting'::text, 'Relieved'::text])),
  constraint obligation_type_known check (type = any (array['FuelTaxReturn'::text, 'OperatorSettlement'::text, 'Other'::text]))
) with (fillfactor=80);
create index obligation_by_reference on obligation using btree (reference, greatest(book_id, '00000000-0000-0000-0000-000000000000'::uuid), obligation_id);
create index obligation_by_status on obligation using btree (status, greatest(book_id, '00000000-0000-0000-0000-000000000000'::uuid), obligation_id);
create index obligation_by_type on obligation using btree (type, greatest(book_id, '00000000-0000-0000-0000-000000000000'::uuid), obligation_id);
create index obligation_request_due on obligation using btree (request_due_at) where request_due_at is not null;
create unique index obligation_one_order on obligation using btree (payment_order_id) where payment_order_id is not null;
create trigger never_deleted before delete on obligation for each row execute function refuse_change();
alter table obligation enable always trigger never_deleted;
create trigger never_truncated before truncate on obligation for each statement execute function refuse_change();
alter table obligation enable always trigger never_truncated;
create trigger obligation_agrees_with_liability after insert or update on obligation for each row execute function obligation_agrees_with_liability();
alter table obligation enable always trigger obligation_agrees_with_liability;
create trigger obligation_counts_changes before update on obligation for each row execute function obligation_counts_changes();
alter table obligation enable always trigger obligation_counts_changes;
create trigger obligation_fixed_as_accrued after insert or update on obligation for each row execute function obligation_fixed_as_accrued();
alter table obligation enable always trigger obligation_fixed_as_accrued;
alter table obligation enable row level security;
create policy own_book on obligation as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on obligation to ledger;
grant select on obligation to ledger_reader;
grant update (event_count), update (fixed_cents), update (funding_account_id), update (jurisdiction), update (lines), update (makers), update (payee_counterparty_id), update (payment_order_id), update (period), update (reference), update (remittance_cents), update (remittance_rail), update (request_due_at), update (requested_by), update (status), update (updated_at), update (version) on obligation to ledger;

create table obligation_event (
  book_id uuid not null,
  obligation_id uuid not null,
  "position" integer not null,
  kind text not null,
  order_id uuid,
  amount_cents bigint not null,
  transaction_id uuid,
  seq bigint,
  lines jsonb,
  reason text,
  actor text not null,
  at timestamp with time zone not null,
  constraint obligation_event_pk primary key (book_id, obligation_id, "position"),
  constraint obligation_event_of_obligation foreign key (book_id, obligation_id) references obligation(book_id, obligation_id),
  constraint obligation_event_accrues_or_pays check ((kind = any (array['Fixed'::text, 'Amended'::text])) = (order_id is null)),
  constraint obligation_event_journal check ((transaction_id is null) = (seq is null)),
  constraint obligation_event_kind check (kind = any (array['Fixed'::text, 'Amended'::text, 'Held'::text, 'Refused'::text, 'Cleared'::text, 'Failed'::text, 'Returned'::text, 'Cancelled'::text]))
);
create trigger append_only before delete or update on obligation_event for each row execute function refuse_change();
alter table obligation_event enable always trigger append_only;
create trigger never_truncated before truncate on obligation_event for each statement execute function refuse_change();
alter table obligation_event enable always trigger never_truncated;
alter table obligation_event enable row level security;
create policy own_book on obligation_event as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on obligation_event to ledger;
grant select on obligation_event to ledger_reader;

create table outbox (
  day date not null default CURRENT_DATE,
  message_id uuid not null,
  subject text not null,
  book_id uuid not null,
  message text not null,
  message_count smallint not null default 1,
  created_at timestamp with time zone not null default clock_timestamp(),
  published_at timestamp with time zone,
  constraint outbox_pkey primary key (day, message_id)
) partition by range (day);
create index outbox_unpublished on only outbox using btree ("left"(subject, 3), created_at) where published_at is null;
grant insert, select, update on outbox to ledger;

create table pending_transaction (
  book_id uuid not null,
  seq bigint not null,
  constraint pending_transaction_pk primary key (book_id, seq)
);
alter table pending_transaction enable row level security;
create policy own_book on pending_transaction as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant select on pending_transaction to ledger;
grant select on pending_transaction to ledger_reader;

create table reconciliation (
  book_id uuid not null,
  run integer not null,
  reconciliation_id uuid not null,
  banking_date date not null,
  status text not null,
  reasons text[] not null,
  statement_number integer,
  ledger_cash_cents bigint not null,
  sub_ledger_cents bigint not null,
  cutoff_seq bigint not null,
  cash_version bigint not null,
  wallet_version bigint not null,
  in_transit_cents bigint,
  difference_cents bigint,
  matched_count integer not null,
  in_transit_count integer not null,
  unmatched_bank_count integer not null,
  unmatched_ledger_count integer not null,
  as_of timestamp with time zone not null,
  constraint reconciliation_pk primary key (book_id, run),
  constraint reconciliation_book_fk foreign key (book_id) references book(book_id),
  constraint reconciliation_of_statement foreign key (book_id, statement_number) references bank_statement(book_id, number),
  constraint reconciliation_compares_a_statement check ((statement_number is null) = (status = 'NotReconciled'::text) and (num_nulls(statement_number, in_transit_cents, difference_cents) = any (array[0, 3]))),
  constraint reconciliation_reconciled_is_zero check ((status = 'Reconciled'::text) = (coalesce(difference_cents, 1::bigint) = 0 and unmatched_bank_count = 0 and unmatched_ledger_count = 0 and cardinality(reasons) = 0)),
  constraint reconciliation_status_known check (status = any (array['Reconciled'::text, 'Broken'::text, 'NotReconciled'::text]))
);
create index reconciliation_by_date on reconciliation using btree (banking_date, book_id, run);
create index reconciliation_by_status on reconciliation using btree (status, book_id, run);
create unique index reconciliation_by_id on reconciliation using btree (reconciliation_id, book_id);
create unique index reconciliation_by_statement on reconciliation using btree (statement_number, book_id) where statement_number is not null;
create unique index reconciliation_missing on reconciliation using btree (banking_date, book_id) where statement_number is null;
create trigger append_only before delete or update on reconciliation for each row execute function refuse_change();
alter table reconciliation enable always trigger append_only;
create trigger never_truncated before truncate on reconciliation for each statement execute function refuse_change();
alter table reconciliation enable always trigger never_truncated;
alter table reconciliation enable row level security;
create policy own_book on reconciliation as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on reconciliation to ledger;
grant select on reconciliation to ledger_reader;

create table reconciliation_item (
  book_id uuid not null,
  run integer not null,
  item integer not null,
  in_transit boolean not null,
  source text not null,
  reason text not null,
  number bigint not null,
  line integer not null,
  account account_class not null,
  side text not null,
  amount_cents bigint not null,
  match_key text not null,
  reference text,
  order_id uuid,
  transaction_id uuid,
  kind text not null,
  occurred_at timestamp with time zone not null,
  first_seen date not null,
  age_banking_days integer not null,
  constraint reconciliation_item_pk primary key (book_id, run, item),
  constraint reconciliation_item_of_run foreign key (book_id, run) references reconciliation(book_id, run),
  constraint reconciliation_item_source_known check (source = any (array['BankLine'::text, 'LedgerEntry'::text]))
);
create index reconciliation_item_not_yet_at_bank on reconciliation_item using btree (book_id, run, occurred_at) where reason = 'NotYetAtBank'::text;
create trigger append_only before delete or update on reconciliation_item for each row execute function refuse_change();
alter table reconciliation_item enable always trigger append_only;
create trigger never_truncated before truncate on reconciliation_item for each statement execute function refuse_change();
alter table reconciliation_item enable always trigger never_truncated;
alter table reconciliation_item enable row level security;
create policy own_book on reconciliation_item as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on reconciliation_item to ledger;
grant select on reconciliation_item to ledger_reader;

create table set_aside_book (
  stream text not null,
  book_id uuid not null,
  state text not null default 'Aside'::text,
  reason text not null,
  since timestamp with time zone not null default now(),
  constraint set_aside_book_pkey primary key (book_id, stream),
  constraint set_aside_book_state_known check (state = any (array['Aside'::text, 'Releasing'::text]))
);
grant delete, insert, select, update on set_aside_book to ledger;

create table set_aside_event (
  number bigint not null generated always as identity,
  stream text not null,
  book_id uuid not null,
  kind text not null,
  actor text not null,
  reason text not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint set_aside_event_pkey primary key (number),
  constraint set_aside_event_kind_known check (kind = any (array['SetAside'::text, 'Released'::text, 'LeftOut'::text, 'Resumed'::text]))
);
grant insert on set_aside_event to ledger;

create table set_aside_message (
  stream text not null,
  message_id uuid not null,
  book_id uuid not null,
  stream_sequence bigint not null,
  part smallint not null,
  subject text not null,
  message text not null,
  stored_at timestamp with time zone not null default now(),
  command_hash bytea,
  constraint set_aside_message_pkey primary key (stream, message_id),
  constraint set_aside_message_of_book foreign key (book_id, stream) references set_aside_book(book_id, stream)
);
create index set_aside_message_in_order on set_aside_message using btree (book_id, stream, stream_sequence, part);
create unique index set_aside_message_command on set_aside_message using btree (book_id, stream, command_hash) where command_hash is not null;
grant delete, insert, select on set_aside_message to ledger;

create table statement_part (
  book_id uuid not null,
  statement_id uuid not null,
  part integer not null,
  parts integer not null,
  previous_statement_id uuid,
  content jsonb not null,
  received_at timestamp with time zone not null default clock_timestamp(),
  constraint statement_part_pk primary key (book_id, statement_id, part)
);
grant delete, insert, select on statement_part to ledger;

create table transaction_detail (
  book_id uuid not null,
  transaction_id uuid not null,
  description text not null,
  basis text not null,
  external_id text,
  metadata jsonb not null default '{}'::jsonb,
  created_by text,
  constraint transaction_detail_pk primary key (book_id, transaction_id),
  constraint transaction_detail_book_fk foreign key (book_id) references book(book_id),
  constraint transaction_detail_basis_known check (basis = any (array['Actual'::text, 'Demo'::text, 'Missing'::text])),
  constraint transaction_detail_description_length check (char_length(description) >= 1 and char_length(description) <= 255)
);
create unique index transaction_external_id_unique on transaction_detail using btree (external_id, greatest(book_id, '00000000-0000-0000-0000-000000000000'::uuid)) where external_id is not null;
create trigger append_only before delete or update on transaction_detail for each row execute function refuse_change();
alter table transaction_detail enable always trigger append_only;
create trigger never_truncated before truncate on transaction_detail for each statement execute function refuse_change();
alter table transaction_detail enable always trigger never_truncated;
alter table transaction_detail enable row level security;
create policy own_book on transaction_detail as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on transaction_detail to ledger;
grant select on transaction_detail to ledger_reader;

create table transaction_policy (
  book_id uuid not null,
  version integer not null,
  approval_required boolean not null,
  threshold_cents bigint not null,
  constraint transaction_policy_pk primary key (book_id)
);
grant insert, select, update on transaction_policy to ledger;

create table unconfirmed_message (
  book_id uuid not null,
  message_id uuid not null,
  consumer text not null,
  type text not null,
  constraint unconfirmed_message_pkey primary key (book_id, message_id, consumer)
);
create trigger never_truncated before truncate on unconfirmed_message for each statement execute function refuse_change();
alter table unconfirmed_message enable always trigger never_truncated;
alter table unconfirmed_message enable row level security;
create policy own_book on unconfirmed_message as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant delete, insert, select on unconfirmed_message to ledger;
grant select on unconfirmed_message to ledger_reader;

create table virtual_account (
  book_id uuid not null,
  virtual_account_id uuid not null,
  name text not null,
  ledger_account_id uuid not null,
  counterparty_id uuid,
  external_id text,
  metadata jsonb not null default '{}'::jsonb,
  number_hash bytea not null,
  key_id text not null,
  ciphertext text not null,
  status text not null default 'Active'::text,
  created_at timestamp with time zone not null default clock_timestamp(),
  updated_at timestamp with time zone not null default clock_timestamp(),
  description text,
  constraint virtual_account_pk primary key (book_id, virtual_account_id),
  constraint virtual_account_number_unique unique (number_hash),
  constraint virtual_account_ledger_account_fk foreign key (book_id, ledger_account_id) references account(book_id, account_id),
  constraint virtual_account_hash_is_sha256 check (octet_length(number_hash) = 32),
  constraint virtual_account_name_length check (char_length(name) >= 1 and char_length(name) <= 100),
  constraint virtual_account_status_known check (status = any (array['Active'::text, 'Disabled'::text, 'Closed'::text]))
);
create index virtual_account_by_ledger_account on virtual_account using btree (ledger_account_id, virtual_account_id);
create index virtual_account_by_name_prefix on virtual_account using btree (greatest(book_id, '00000000-0000-0000-0000-000000000000'::uuid), name_key(name) collate "C", virtual_account_id);
create unique index virtual_account_external_id_unique on virtual_account using btree (external_id, book_id) where external_id is not null;
create trigger never_deleted before delete on virtual_account for each row execute function refuse_change();
alter table virtual_account enable always trigger never_deleted;
create trigger never_truncated before truncate on virtual_account for each statement execute function refuse_change();
alter table virtual_account enable always trigger never_truncated;
create trigger virtual_account_credits_tenant before insert on virtual_account for each row execute function virtual_account_credits_tenant();
alter table virtual_account enable always trigger virtual_account_credits_tenant;
create trigger virtual_account_identity before update on virtual_account for each row execute function refuse_other_virtual_account();
alter table virtual_account enable always trigger virtual_account_identity;
alter table virtual_account enable row level security;
create policy own_book on virtual_account as permissive for select to ledger_reader
  using ((book_id = ( select (current_setting('ledger.book'::text))::uuid as current_setting)));
grant insert, select on virtual_account to ledger;
grant select on virtual_account to ledger_reader;
grant update (ciphertext), update (description), update (key_id), update (metadata), update (status), update (updated_at) on virtual_account to ledger;

create function account_as_of(in_book uuid, in_account uuid, in_seq bigint, in_day date, OUT last_seq bigint, OUT held_debit bigint, OUT held_credit bigint, OUT released_debit bigint, OUT released_credit bigint, OUT posted_debit bigint, OUT posted_credit bigint) returns record
language plpgsql stable
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
as $body$
declare
  newest bigint;
  found_version bigint;
  difference record;
begin
  select b.last_seq, b.held_debit, b.held_credit, b.released_debit, b.released_credit, b.posted_debit, b.posted_credit
  into last_seq, held_debit, held_credit, released_debit, released_credit, posted_debit, posted_credit
  from account_balance b
  where b.book_id = in_book and b.account_id = in_account;
  newest := last_seq;
  if last_seq > in_seq then
    found_version := first_version_at(in_book, in_account, in_seq + 1) - 1;
    select e.seq, e.held_debit, e.held_credit, e.released_debit, e.released_credit, e.posted_debit, e.posted_credit
    into last_seq, held_debit, held_credit, released_debit, released_credit, posted_debit, posted_credit
    from entry e
    where e.book_id = in_book and e.account_id = in_account
      and e.account_version = found_version;
    if not found then
      select 0, 0, 0, 0, 0, 0, 0
      into last_seq, held_debit, held_credit, released_debit, released_credit, posted_debit, posted_credit;
    end if;
  end if;
  if in_day is not null then
    select total(d.held_debit) as held_debit, total(d.held_credit) as held_credit,
      total(d.released_debit) as released_debit, total(d.released_credit) as released_credit,
      total(d.posted_debit) as posted_debit, total(d.posted_credit) as posted_credit
    into difference
    from account_day d
    where d.book_id = in_book and d.account_id = in_account and d.day <= in_day;
    held_debit := held_debit + difference.held_debit;
    held_credit := held_credit + difference.held_credit;
    released_debit := released_debit + difference.released_debit;
    released_credit := released_credit + difference.released_credit;
    posted_debit := posted_debit + difference.posted_debit;
    posted_credit := posted_credit + difference.posted_credit;
    -- The days hold everything recorded until now, whatever `in_seq` is.
    last_seq := newest;
  end if;
end $body$;
grant execute on function account_as_of(uuid,uuid,bigint,date) to ledger;
grant execute on function account_as_of(uuid,uuid,bigint,date) to public;

create function account_chain_head(before bytea, number integer, of_account account) returns bytea
language sql immutable
as $body$
  select sha256(before || sha256(convert_to(concat_ws(chr(10), 'quittance.ledger.account.v1', of_account.book_id,
    number, of_account.account_id, of_account.currency, of_account.normal_balance, of_account.class, of_account.name), 'UTF8')))
$body$;
grant execute on function account_chain_head(bytea,integer,account) to public;

create function account_change_is_counted() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
as $body$
begin
  update book_head h set account_changes = h.account_changes + 1 where h.book_id = new.book_id;
  return null;
end $body$;

create function account_closes_empty() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
as $body$
begin
  perform from book_head h where h.book_id = new.book_id for update;
  if old.closed_at is not null then
    raise exception 'account % was closed at %, for good', old.account_id, old.closed_at
      using errcode = 'LG001', constraint = 'account_identity';
  end if;
  if new.class <> 'Tenant' or not exists (
    select
    from account_balance b
    where b.book_id = new.book_id and b.account_id = new.account_id
      and b.held_debit = b.released_debit and b.held_credit = b.released_credit and b.posted_debit = b.posted_credit
  ) then
    raise exception 'account % is a system account or not empty', new.account_id
      using errcode = 'LG012', constraint = 'account_closes_empty';
  end if;
  return new;
end $body$;

create function account_joins_chain() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
as $body$
declare
  last account_chain%rowtype;
begin
  perform from book_head h where h.book_id = new.book_id for update;
  select * into last from account_chain c where c.book_id = new.book_id order by c.position desc limit 1;
  insert into account_chain (book_id, position, account_id, head_hash)
  values (new.book_id, coalesce(last.position, 0) + 1, new.account_id, account_chain_head(
    coalesce(last.head_hash, sha256(convert_to('quittance.ledger.accounts.v1' || chr(10) || new.book_id, 'UTF8'))),
    coalesce(last.position, 0) + 1, new));
  return null;
end $body$;

create function account_opens_at_zero() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
as $body$
begin
  insert into account_balance (book_id, account_id) values (new.book_id, new.account_id);
  insert into class_total (book_id, class, normal_balance, currency)
  values (new.book_id, new.class, new.normal_balance, new.currency)
  on conflict on constraint class_total_pk do nothing;
  return null;
end $body$;

create function accrual_belongs_to_obligation() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
as $body$
begin
  perform refuse_unless_accrued(new.book_id, e.account_id)
  from entry e
  cross join lateral (
    select from account x
    where x.book_id = e.book_id and x.account_id = e.account_id and x.class = 'ObligationLiability'
    offset 0
  ) a
  where e.book_id = new.book_id and e.seq = new.seq;
  return null;
end $body$;

create function book_creates_audit() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
as $body$
begin
  insert into audit (book_id) values (new.book_id);
  return null;
end $body$;

create function book_creates_head() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
as $body$
begin
  insert into book_head (book_id, head_hash)
  values (new.book_id, sha256(convert_to('quittance.ledger.book.v1' || chr(10) || new.book_id, 'UTF8')));
  return null;
end $body$;

create function checkpoint_before(in_book uuid, in_end timestamp with time zone) returns bigint
language plpgsql stable
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
as $body$
declare
  next_seq bigint := first_journal_at(in_book, in_end);
begin
  return coalesce(
    (select c.last_seq
    from checkpoint c
    where c.book_id = in_book and c.last_seq < next_seq
    order by c.last_seq desc
    limit 1), 0);
end $body$;
grant execute on function checkpoint_before(uuid,timestamp with time zone) to ledger;
grant execute on function checkpoint_before(uuid,timestamp with time zone) to public;

create function checkpoint_copies_class_totals() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
as $body$
begin
  select array_agg((t.class, t.normal_balance, t.currency, t.held_debit, t.held_credit, t.released_debit,
    t.released_credit, t.posted_debit, t.posted_credit)::class_counters)
  into new.class_totals
  from class_total t
  where t.book_id = new.book_id
    and t.held_debit + t.held_credit + t.posted_debit + t.posted_credit > 0;
  return new;
end $body$;

create function classes_as_of(in_book uuid, in_seq bigint, in_day date) returns SETOF class_counters
language plpgsql stable
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
as $body$
begin
  return query
  select c.class, c.normal_balance, c.currency, total(c.held_debit), total(c.held_credit), total(c.released_debit),
    total(c.released_credit), total(c.posted_debit), total(c.posted_credit)
  from (
    select k.*
    from checkpoint s
    cross join lateral unnest(s.class_totals) k
    where s.book_id = in_book and s.last_seq = in_seq
    union all
    select d.class, d.normal_balance, d.currency, d.held_debit, d.held_credit, d.released_debit, d.released_credit,
      d.posted_debit, d.posted_credit
    from class_day d
    where d.book_id = in_book and d.day <= in_day
    union all
    -- A class without entries is zero, not missing.
    select t.class, t.normal_balance, t.currency, 0, 0, 0, 0, 0, 0 from class_total t where t.book_id = in_book
  ) c
  group by c.class, c.normal_balance, c.currency;
end $body$;
grant execute on function classes_as_of(uuid,bigint,date) to ledger;
grant execute on function classes_as_of(uuid,bigint,date) to public;

create function close_account(in_book uuid, in_account uuid) returns void
language sql security definer
set search_path = ledger, pg_temp
as $body$
  update account a set closed_at = clock_timestamp() where a.book_id = in_book and a.account_id = in_account
$body$;
grant execute on function close_account(uuid,uuid) to ledger;

create function entries_move_balances() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $body$
declare
  late record;
  wrong record;
begin
  for late in
    select h.last_seq, n.first_seq, h.book_id
    from (select book_id, min(seq) as first_seq from new_entry group by book_id) n
    join book_head h on h.book_id = n.book_id
    order by h.book_id
    for update of h
  loop
    if late.first_seq <= late.last_seq then
      raise exception 'entries of journal % are late: the journals of book % are complete up to %',
        late.first_seq, late.book_id, late.last_seq
        using errcode = 'LG002', constraint = 'entry_before_header';
    end if;
  end loop;

  -- Each row minus its own amount must equal the account's row before it; the first one, the stored balance. Accounts
  -- are looked up one by one (lateral, offset 0): a join would let the planner scan the whole table.
  with step as (
    select n.*,
      lag(n.account_version) over lines as p_version,
      lag(n.seq * 1000 + n.line) over lines as p_position,
      lag(n.held_debit) over lines as p_held_debit,
      lag(n.held_credit) over lines as p_held_credit,
      lag(n.released_debit) over lines as p_released_debit,
      lag(n.released_credit) over lines as p_released_credit,
      lag(n.posted_debit) over lines as p_posted_debit,
      lag(n.posted_credit) over lines as p_posted_credit,
      lead(n.account_version) over lines is null as last
    from new_entry n
    window lines as (partition by n.book_id, n.account_id order by n.account_version)
  ), looked_up as materialized (
    select s.*,
      a.currency as a_currency, a.class, a.normal_balance, a.closed_at is not null as a_closed,
      coalesce(s.p_version, b.version) as b_version,
      coalesce(s.p_position, b.last_seq * 1000 + 999) as b_position,
      coalesce(s.p_held_debit, b.held_debit) as b_held_debit,
      coalesce(s.p_held_credit, b.held_credit) as b_held_credit,
      coalesce(s.p_released_debit, b.released_debit) as b_released_debit,
      coalesce(s.p_released_credit, b.released_credit) as b_released_credit,
      coalesce(s.p_posted_debit, b.posted_debit) as b_posted_debit,
      coalesce(s.p_posted_credit, b.posted_credit) as b_posted_credit
    from step s
    left join lateral (
      select x.*
      from account_balance x
      where s.p_version is null and x.book_id = s.book_id and x.account_id = s.account_id
      offset 0
    ) b on true
    left join lateral (
      select x.currency, x.class, x.normal_balance, x.closed_at
      from account x
      where x.book_id = s.book_id and x.account_id = s.account_id
      offset 0
    ) a on true
  ), moved as (
    select l.book_id, l.class, l.normal_balance, l.a_currency,
      total(l.held_debit - l.b_held_debit) as held_debit,
      total(l.held_credit - l.b_held_credit) as held_credit,
      total(l.released_debit - l.b_released_debit) as released_debit,
      total(l.released_credit - l.b_released_credit) as released_credit,
      total(l.posted_debit - l.b_posted_debit) as posted_debit,
      total(l.posted_credit - l.b_posted_credit) as posted_credit
    from looked_up l
    group by l.book_id, l.class, l.normal_balance, l.a_currency
  ), balances as (
    update account_balance b
    set version = l.account_version, last_seq = l.seq,
      held_debit = l.held_debit, held_credit = l.held_credit,
      released_debit = l.released_debit, released_credit = l.released_credit,
      posted_debit = l.posted_debit, posted_credit = l.posted_credit
    from looked_up l
    where l.last and b.book_id = l.book_id and b.account_id = l.account_id
  ), totals as (
    update class_total t
    set held_debit = t.held_debit + m.held_debit, held_credit = t.held_credit + m.held_credit,
      released_debit = t.released_debit + m.released_debit, released_credit = t.released_credit + m.released_credit,
      posted_debit = t.posted_debit + m.posted_debit, posted_credit = t.posted_credit + m.posted_credit
    from moved m
    where t.book_id = m.book_id and t.class = m.class
      and t.normal_balance = m.normal_balance and t.currency = m.a_currency
  )
  select l.account_id, l.seq, l.line, l.a_currency is not distinct from l.currency as belongs, l.a_closed as closed
  into wrong
  from looked_up l
  where l.a_currency is distinct from l.currency
    or l.a_closed
    or l.account_version - 1 is distinct from l.b_version
    or l.b_position >= l.seq * 1000 + l.line
    or l.held_debit - l.b_held_debit is distinct from
      case when l.layer = 'Pending' and l.role = 'Normal' and l.direction = 'Debit' then l.amount_cents else 0 end
    or l.held_credit - l.b_held_credit is distinct from
      case when l.layer = 'Pending' and l.role = 'Normal' and l.direction = 'Credit' then l.amount_cents else 0 end
    or l.released_debit - l.b_released_debit is distinct from
      case when l.role = 'Discharge' and l.direction = 'Credit' then l.amount_cents else 0 end
    or l.released_credit - l.b_released_credit is distinct from
      case when l.role = 'Discharge' and l.direction = 'Debit' then l.amount_cents else 0 end
    or l.posted_debit - l.b_posted_debit is distinct from
      case when l.layer = 'Posted' and l.direction = 'Debit' then l.amount_cents else 0 end
    or l.posted_credit - l.b_posted_credit is distinct from
      case when l.layer = 'Posted' and l.direction = 'Credit' then l.amount_cents else 0 end
  limit 1;
  if found and not wrong.belongs then
    raise exception 'journal % line %: book has no account % in that currency', wrong.seq, wrong.line, wrong.account_id
      using errcode = 'LG011', constraint = 'entry_account_currency';
  elsif found and wrong.closed then
    raise exception 'journal % line %: account % is closed', wrong.seq, wrong.line, wrong.account_id
      using errcode = 'LG012', constraint = 'entry_account_closed';
  elsif found then
    raise exception 'running totals of account % differ at journal % line %', wrong.account_id, wrong.seq, wrong.line
      using errcode = 'LG003', constraint = 'entry_running_totals';
  end if;

  update book_head h
  set entered_seq = n.last_seq
  from (select book_id, max(seq) as last_seq from new_entry group by book_id) n
  where h.book_id = n.book_id;
  return null;
end $body$;

create function first_journal_at(in_book uuid, in_time timestamp with time zone) returns bigint
language plpgsql stable
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $body$
begin
  return coalesce((
    with recursive search (low, high) as (
      select 1::bigint, h.last_seq + 1 from book_head h where h.book_id = in_book
      union all
      select
        case when j.recorded_at < in_time then m.middle + 1 else s.low end,
        case when j.recorded_at < in_time then s.high else m.middle end
      from search s
      cross join lateral (select s.low + (s.high - s.low) / 2 as middle) m
      left join lateral (
        select x.recorded_at from journal x where x.book_id = in_book and x.seq = m.middle offset 0
      ) j on true
      where s.low < s.high
    )
    select s.low from search s where s.low >= s.high
  ), 1);
end $body$;
grant execute on function first_journal_at(uuid,timestamp with time zone) to ledger;
grant execute on function first_journal_at(uuid,timestamp with time zone) to public;

create function first_version_at(in_book uuid, in_account uuid, in_seq bigint) returns bigint
language plpgsql stable
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $body$
begin
  return coalesce((
    with recursive search (low, high) as (
      select 1::bigint, b.version + 1
      from account_balance b
      where b.book_id = in_book and b.account_id = in_account
      union all
      select
        case when e.seq < in_seq then m.middle + 1 else s.low end,
        case when e.seq < in_seq then s.high else m.middle end
      from search s
      cross join lateral (select s.low + (s.high - s.low) / 2 as middle) m
      left join lateral (
        select x.seq
        from entry x
        where x.book_id = in_book and x.account_id = in_account and x.account_version = m.middle
        offset 0
      ) e on true
      where s.low < s.high
    )
    select s.low from search s where s.low >= s.high
  ), 1);
end $body$;
grant execute on function first_version_at(uuid,uuid,bigint) to ledger;
grant execute on function first_version_at(uuid,uuid,bigint) to public;

create function freeze_event_sets_state() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
as $body$
declare
  head book_head%rowtype;
  last_number int;
begin
  select * into strict head from book_head h where h.book_id = new.book_id for update;
  select coalesce(max(f.number), 0) into last_number
  from freeze_event f
  where f.book_id = new.book_id and f.number <> new.number;
  if new.number <> last_number + 1
    or (head.state, new.state) not in (('Open', 'Frozen'), ('Frozen', 'Releasing'), ('Releasing', 'Open'), ('Releasing', 'Frozen'))
  then
    raise exception 'book % is % since event %: event % can''t make it %',
      new.book_id, head.state, last_number, new.number, new.state
      using errcode = 'LG021', constraint = 'freeze_in_order';
  end if;
  if new.state = 'Open' and exists (
    select from deferred_command c where c.book_id = new.book_id and c.failure is null
  ) then
    raise exception 'book % has deferred commands to replay', new.book_id
      using errcode = 'LG022', constraint = 'deferred_commands_first';
  end if;
  update book_head h set state = new.state where h.book_id = new.book_id;
  return null;
end $body$;

create function headers_close_batch() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_nestloop = off
set enable_mergejoin = off
set jit = off
as $body$
declare
  batch record;
  head book_head%rowtype;
  violation record;
  digest bytea;
begin
  for batch in
    select n.book_id, min(n.seq) as first_seq, max(n.seq) as last_seq, count(*) as journals,
      max(n.recorded_at) as recorded_at, array_agg(n.digest order by n.seq) as digests
    from new_journal n
    group by n.book_id
    order by n.book_id
  loop
    select * into strict head from book_head h where h.book_id = batch.book_id for update;
    if batch.first_seq <> head.last_seq + 1 or batch.last_seq - batch.first_seq + 1 <> batch.journals then
      raise exception 'the last journal of book % is %: journals % to % leave a gap',
        batch.book_id, head.last_seq, batch.first_seq, batch.last_seq
        using errcode = 'LG006', constraint = 'journal_sequence_gap_free';
    end if;

    select j.seq into violation
    from (
      select n.seq, n.recorded_at, lag(n.recorded_at, 1, head.recorded_at) over (order by n.seq) as before
      from new_journal n
      where n.book_id = batch.book_id
    ) j
    where j.recorded_at <= j.before
    limit 1;
    if found then
      raise exception 'journal % of book % was recorded before its predecessor', violation.seq, batch.book_id
        using errcode = 'LG009', constraint = 'journal_recorded_at_rises';
    end if;

    select * into violation from invalid_journal(batch.book_id, batch.first_seq, batch.last_seq);
    if violation.seq is not null and not violation.complete then
      raise exception 'journal % of book % lacks lines', violation.seq, batch.book_id
        using errcode = 'LG007', constraint = 'journal_lines_complete';
    elsif violation.seq is not null and not violation.balanced then
      raise exception 'journal % of book % does not balance', violation.seq, batch.book_id
        using errcode = 'LG005', constraint = 'journal_balances';
    elsif violation.seq is not null then
      raise exception 'journal % of book % does not have the lines that its kind demands', violation.seq, batch.book_id
        using errcode = 'LG008', constraint = 'journal_resolution_exact';
    end if;

    select * into violation from journal_below_floor(batch.book_id, batch.first_seq, batch.last_seq);
    if violation.seq is not null then
      raise exception 'journal % of book % takes account % below its floor',
        violation.seq, batch.book_id, violation.account_id
        using errcode = 'LG004', constraint = 'account_floor';
    end if;

    foreach digest in array batch.digests loop
      head.head_hash := sha256(head.head_hash || digest);
    end loop;
    update book_head h
    set last_seq = batch.last_seq, head_hash = head.head_hash, recorded_at = batch.recorded_at
    where h.book_id = batch.book_id;
    perform write_checkpoint(batch.book_id, batch.first_seq);
  end loop;
  return null;
end $body$;

create function idempotency_resource(operation text) returns text
language sql immutable parallel safe
RETURN CASE WHEN (operation ~~ '%-order'::text) THEN 'payment-orders'::text WHEN (operation ~~ '%-transaction'::text) THEN 'ledger-transactions'::text WHEN (operation ~~ '%-virtual-account'::text) THEN 'virtual-accounts'::text WHEN (operation ~~ '%-account'::text) THEN 'ledger-accounts'::text WHEN (operation ~~ '%-obligation'::text) THEN 'obligations'::text WHEN (operation ~~ '%-inbound-payment'::text) THEN 'inbound-payments'::text WHEN (operation ~~ '%-reconciliation'::text) THEN 'reconciliations'::text WHEN (operation ~~ '%-counterparty'::text) THEN 'counterparties'::text WHEN (operation ~~ '%-policy%'::text) THEN 'approval-policy'::text WHEN (operation ~~ '%-api-key'::text) THEN 'api-keys'::text WHEN (operation ~~ '%-endpoint'::text) THEN 'webhook-endpoints'::text WHEN (operation ~~ '%-delivery'::text) THEN 'webhooks'::text WHEN (operation ~~ '%-test-sink'::text) THEN 'test-sinks'::text WHEN ((operation ~~ 'simulate-%'::text) OR (operation ~~ '%-statement%'::text)) THEN 'simulations'::text ELSE operation END;
grant execute on function idempotency_resource(text) to ledger;
grant execute on function idempotency_resource(text) to public;

create function inbound_payment_is_booked() returns trigger
language plpgsql
set search_path = ledger, pg_temp
as $body$
declare
  booked boolean;
begin
  if tg_op = 'UPDATE' and (
    old.status <> 'Suspended' or new.status not in ('Suspended', 'Assigned')
    or (new.status = 'Suspended' and num_nonnulls(new.assigned_transaction_id, new.assigned_by, new.assigned_at) > 0)
    or (new.book_id, new.inbound_payment_id, new.bank_reference, new.rail, new.direction, new.amount_cents, new.currency,
        new.originator_name, new.account_number_last4, new.reason, new.virtual_account_id, new.seq, new.occurred_at,
        new.created_at, new.returns_order_id, new.return_code, new.original_trace)
      is distinct from (old.book_id, old.inbound_payment_id, old.bank_reference, old.rail, old.direction,
        old.amount_cents, old.currency, old.originator_name, old.account_number_last4, old.reason,
        old.virtual_account_id, old.seq, old.occurred_at, old.created_at, old.returns_order_id, old.return_code,
        old.original_trace)
  ) then
    raise exception 'inbound payment % is assigned out of Suspense, once; nothing else of it changes', old.inbound_payment_id
      using errcode = 'LG001', constraint = 'inbound_payment_identity';
  end if;
  -- A proposal moves nothing.
  if new.status = 'Returned' or (tg_op = 'UPDATE' and new.status = 'Suspended') then return new; end if;
  select count(*) = 1 into booked
  from journal j
  join entry debit on debit.book_id = j.book_id and debit.seq = j.seq and debit.line = 1
  join entry credit on credit.book_id = j.book_id and credit.seq = j.seq and credit.line = 2
  join account source on source.book_id = j.book_id
    and source.account_id = case new.direction when 'Credit' then debit.account_id else credit.account_id end
  join account target on target.book_id = j.book_id
    and target.account_id = case new.direction when 'Credit' then credit.account_id else debit.account_id end
  where j.book_id = new.book_id
    and j.seq = case when tg_op = 'INSERT' then new.seq else new.assigned_seq end
    and j.kind::text = case
      when tg_op = 'UPDATE' then 'Assign'
      when new.return_code is null then 'Inbound'
      else 'UnmatchedReturn'
    end
    and j.transaction_id = case when tg_op = 'INSERT' then new.inbound_payment_id else new.assigned_transaction_id end
    and j.line_count = 2
    and debit.direction = 'Debit' and debit.amount_cents = new.amount_cents and debit.currency = new.currency
    and case
      when tg_op = 'UPDATE' then source.class = 'Suspense'
      when new.rail = 'Usdc' then source.class = 'StablecoinWallet'
      else source.class = 'SettlementCash'
    end
    and case
      when new.ledger_account_id is null then target.class = 'Suspense'
      else target.account_id = new.ledger_account_id and target.class = 'Tenant'
    end;
  if not booked then
    raise exception 'inbound payment % does not agree with its journal', new.inbound_payment_id
      using errcode = 'LG017', constraint = 'inbound_payment_is_booked';
  end if;
  return new;
end $body$;
grant execute on function inbound_payment_is_booked() to public;

create function invalid_journal(in_book uuid, in_first bigint, in_last bigint, OUT seq bigint, OUT complete boolean, OUT balanced boolean) returns record
language plpgsql stable
as $body$
begin
  with header as materialized (
    select j.seq, j.kind, j.line_count, j.resolves_seq, j.reverses_seq,
      coalesce(j.resolves_seq, j.reverses_seq) as origin_seq,
      coalesce(j.resolves_seq, j.reverses_seq) is null or (
        o.transaction_id = j.transaction_id
        and o.order_id is not distinct from j.order_id
        and case j.kind
          when 'Settle' then o.kind = 'Hold' and j.line_count = o.line_count * 2
          when 'Release' then o.kind = 'Hold' and j.line_count = o.line_count
          when 'LateReturn' then o.kind = 'Settle' and o.order_id is not null and j.line_count * 2 = o.line_count
          when 'Reverse' then o.order_id is null and case o.kind
            when 'Post' then j.line_count = o.line_count
            when 'Settle' then j.line_count * 2 = o.line_count
            else false
          end
          else false
        end
      ) as fits,
      -- A late return or reversal offsets the second half of a settlement: the first half discharged the hold.
      o.kind = 'Settle' as origin_settles
    from journal j
    left join lateral (
      select x.kind, x.transaction_id, x.order_id, x.line_count
      from journal x
      where x.book_id = in_book and x.seq = coalesce(j.resolves_seq, j.reverses_seq)
      offset 0
    ) o on true
    where j.book_id = in_book and j.seq between in_first and in_last
  ), numbered as (
    select e.*, h.kind, h.origin_seq,
      h.kind = 'Settle' and e.line * 2 > h.line_count as posts_hold,
      case h.kind
        when 'Settle' then e.line - case when e.line * 2 > h.line_count then h.line_count / 2 else 0 end
        else e.line + case when h.origin_settles then h.line_count else 0 end
      end as origin_line
    from header h
    join (
      select x.seq, x.line, x.account_id, x.currency, x.layer, x.role, x.direction, x.amount_cents
      from entry x
      where x.book_id = in_book and x.seq between in_first and in_last
    ) e on e.seq = h.seq
  ), part as (
    select e.seq, count(*) as lines, max(e.line) as last_line,
      total(case e.direction when 'Debit' then e.amount_cents else -e.amount_cents end) as cents,
      bool_and(
        case when e.kind = 'Settle' and not e.posts_hold or e.kind = 'Release'
          then e.layer = 'Pending' and e.role = 'Discharge'
          else e.role = 'Normal' and e.layer = (case e.kind when 'Hold' then 'Pending' else 'Posted' end)::layer
        end
        and (e.origin_seq is null or coalesce(
          o.currency = e.currency
          and o.amount_cents = e.amount_cents
          and (o.direction = e.direction) = e.posts_hold
          and (o.account_id = e.account_id or e.layer = 'Posted' and e.kind <> 'Reverse' and exists (
            select
            from account a
            join account s on s.book_id = a.book_id and s.account_id = e.account_id and s.class = 'Suspense'
            where a.book_id = in_book and a.account_id = o.account_id and a.closed_at is not null
          )), false))
      ) as exact
    from numbered e
    left join lateral (
      select x.account_id, x.currency, x.amount_cents, x.direction
      from entry x
      where x.book_id = in_book and x.seq = e.origin_seq and x.line = e.origin_line
      offset 0
    ) o on true
    group by e.seq, e.layer, e.currency
  ), whole as (
    select p.seq, total(p.lines) as lines, max(p.last_line) as last_line,
      bool_and(p.cents = 0) as balanced, bool_and(p.exact) as exact
    from part p
    group by p.seq
  )
  select h.seq,
    coalesce(w.lines = h.line_count and w.last_line = h.line_count, false),
    coalesce(w.balanced, false)
  into seq, complete, balanced
  from header h
  left join whole w on w.seq = h.seq
  where (w.lines = h.line_count and w.last_line = h.line_count and w.balanced and w.exact and h.fits) is not true
  order by h.seq
  limit 1;
end $body$;
grant execute on function invalid_journal(uuid,bigint,bigint) to public;

create function journal_below_floor(in_book uuid, in_first bigint, in_last bigint, OUT seq bigint, OUT account_id uuid) returns record
language plpgsql stable
as $body$
begin
  select touched.seq, touched.account_id into seq, account_id
  from (
    select distinct on (e.seq, e.account_id) e.seq, e.account_id, f.normal_balance,
      e.posted_credit - e.posted_debit as posted,
      e.held_debit - e.released_debit as open_debit,
      e.held_credit - e.released_credit as open_credit,
      total(case when e.layer = 'Posted' or e.direction = 'Debit'
        then case e.direction when 'Debit' then -e.amount_cents else e.amount_cents end else 0 end)
        over lines as moved_if_credit_normal,
      total(case when e.layer = 'Posted' or e.direction = 'Credit'
        then case e.direction when 'Credit' then -e.amount_cents else e.amount_cents end else 0 end)
        over lines as moved_if_debit_normal
    from (
      select a.account_id, a.normal_balance
      from (
        select distinct r.account_id
        from (
          select x.account_id
          from entry x
          where x.book_id = in_book and x.seq between in_first and in_last
          offset 0
        ) r
      ) t
      cross join lateral (
        select x.account_id, x.normal_balance
        from account x
        where x.book_id = in_book and x.account_id = t.account_id and x.overdraft = 'Refused'
        offset 0
      ) a
    ) f
    join entry e on e.account_id = f.account_id and e.book_id = in_book and e.seq between in_first and in_last
    join journal j on j.book_id = in_book and j.seq = e.seq and j.seq between in_first and in_last
      and j.kind in ('Hold', 'Post')
    window lines as (partition by e.seq, e.account_id)
    order by e.seq, e.account_id, e.account_version desc
  ) touched
  where case touched.normal_balance
    when 'Credit' then touched.moved_if_credit_normal < 0 and touched.posted - touched.open_debit < 0
    else touched.moved_if_debit_normal < 0 and -touched.posted - touched.open_credit < 0
  end
  limit 1;
end $body$;
grant execute on function journal_below_floor(uuid,bigint,bigint) to public;

create function journal_in_open_period() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $body$
declare
  closed_until timestamptz;
begin
  select c.closed_through into closed_until
  from closed_period c
  where c.book_id = new.book_id
  order by c.closed_through desc
  limit 1;
  if new.effective_at <= closed_until then
    raise exception 'manual journal % of book % takes effect at %, and its period is closed through %',
      new.seq, new.book_id, new.effective_at, closed_until
      using errcode = 'LG014', constraint = 'journal_period_open';
  end if;
  return null;
end $body$;

create function journal_lists_pending() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $body$
begin
  if new.kind = 'Hold' then
    insert into pending_transaction (book_id, seq)
    select new.book_id, new.seq
    where not exists (select from journal j where j.resolves_seq = new.seq and j.book_id = new.book_id);
  else
    delete from pending_transaction p where p.book_id = new.book_id and p.seq = new.resolves_seq;
  end if;
  return null;
end $body$;

create function journals_move_days() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $body$
declare
  batch record;
  today date;
begin
  select min(n.effective_at) as first_effective, max(n.effective_at) as last_effective,
    min(n.recorded_at) as first_recorded, max(n.recorded_at) as last_recorded
  into batch
  from new_journal n;
  today := (batch.last_recorded at time zone 'America/New_York')::date;
  if least(batch.first_effective, batch.first_recorded) >= today::timestamp at time zone 'America/New_York'
    and batch.last_effective < (today + 1)::timestamp at time zone 'America/New_York'
  then return null;
  end if;

  with differing as materialized (
    select j.book_id, j.seq, v.day, v.sign
    from (
      select n.book_id, n.seq, (n.effective_at at time zone 'America/New_York')::date as effective_on,
        -- A book's batch has one checkpoint, dated as its last journal.
        (max(n.recorded_at) over (partition by n.book_id) at time zone 'America/New_York')::date as recorded_on
      from new_journal n
    ) j
    cross join lateral (values (j.effective_on, 1), (j.recorded_on, -1)) v (day, sign)
    where j.effective_on <> j.recorded_on
  ), moved as materialized (
    select d.book_id, e.account_id, d.day,
      total(d.sign * e.amount_cents)
        filter (where e.layer = 'Pending' and e.role = 'Normal' and e.direction = 'Debit') as held_debit,
      total(d.sign * e.amount_cents)
        filter (where e.layer = 'Pending' and e.role = 'Normal' and e.direction = 'Credit') as held_credit,
      total(d.sign * e.amount_cents) filter (where e.role = 'Discharge' and e.direction = 'Credit') as released_debit,
      total(d.sign * e.amount_cents) filter (where e.role = 'Discharge' and e.direction = 'Debit') as released_credit,
      total(d.sign * e.amount_cents) filter (where e.layer = 'Posted' and e.direction = 'Debit') as posted_debit,
      total(d.sign * e.amount_cents) filter (where e.layer = 'Posted' and e.direction = 'Credit') as posted_credit
    from differing d
    cross join lateral (
      select * from entry x where x.book_id = d.book_id and x.seq = d.seq offset 0
    ) e
    group by d.book_id, e.account_id, d.day
  ), by_account as (
    insert into account_day as o
    select m.* from moved m
    on conflict on constraint account_day_pk do update
    set held_debit = o.held_debit + excluded.held_debit, held_credit = o.held_credit + excluded.held_credit,
      released_debit = o.released_debit + excluded.released_debit,
      released_credit = o.released_credit + excluded.released_credit,
      posted_debit = o.posted_debit + excluded.posted_debit, posted_credit = o.posted_credit + excluded.posted_credit
  ), dated as (
    insert into dated_entry (book_id, account_id, effective_on, account_version, layer)
    select n.book_id, e.account_id, n.effective_on, e.account_version, e.layer
    from (
      select x.book_id, x.seq, (x.effective_at at time zone 'America/New_York')::date as effective_on,
        (x.recorded_at at time zone 'America/New_York')::date as recorded_on
      from new_journal x
    ) n
    cross join lateral (
      select * from entry x where x.book_id = n.book_id and x.seq = n.seq offset 0
    ) e
    where n.effective_on <> n.recorded_on
  )
  insert into class_day as o
  select m.book_id, a.class, a.normal_balance, a.currency, m.day, total(m.held_debit), total(m.held_credit),
    total(m.released_debit), total(m.released_credit), total(m.posted_debit), total(m.posted_credit)
  from moved m
  cross join lateral (
    select * from account x where x.book_id = m.book_id and x.account_id = m.account_id offset 0
  ) a
  group by m.book_id, a.class, a.normal_balance, a.currency, m.day
  on conflict on constraint class_day_pk do update
  set held_debit = o.held_debit + excluded.held_debit, held_credit = o.held_credit + excluded.held_credit,
    released_debit = o.released_debit + excluded.released_debit,
    released_credit = o.released_credit + excluded.released_credit,
    posted_debit = o.posted_debit + excluded.posted_debit, posted_credit = o.posted_credit + excluded.posted_credit;
  return null;
end $body$;

create function journals_use_their_accounts() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_nestloop = off
set enable_mergejoin = off
set jit = off
as $body$
declare
  batch record;
  violation record;
begin
  for batch in
    select n.book_id, min(n.seq) as first_seq, max(n.seq) as last_seq
    from new_journal n
    where n.resolves_seq is null and n.reverses_seq is null
    group by n.book_id
  loop
    select h.seq, h.kind into violation
    from (
      select n.seq, n.kind, n.order_id is not null as ordered
      from new_journal n
      where n.book_id = batch.book_id and n.resolves_seq is null and n.reverses_seq is null
    ) h
    join (
      select e.seq, count(*) as lines,
        count(*) filter (where a.class = 'Tenant') as own,
        count(*) filter (where a.class in ('SettlementCash', 'StablecoinWallet')) as bank,
        count(*) filter (where a.class = 'Suspense') as suspense,
        count(*) filter (where a.class = 'ObligationLiability') as liability,
        count(*) filter (where a.class in ('FuelTaxExpense', 'OperatorSettlementExpense', 'ObligationExpense')) as expense,
        -- For a journal of two lines: the source and the target of the money.
        max(a.class) filter (where e.direction = 'Debit') as debited,
        max(a.class) filter (where e.direction = 'Credit') as credited
      from (
        select x.seq, x.account_id, x.direction
        from entry x
        where x.book_id = batch.book_id and x.seq between batch.first_seq and batch.last_seq
      ) e
      cross join lateral (
        select x.class
        from account x
        where x.book_id = batch.book_id and x.account_id = e.account_id
        offset 0
      ) a
      group by e.seq
    ) t on t.seq = h.seq
    where case h.kind
      when 'Hold' then case
        when not h.ordered then t.own = t.lines
        when t.lines = 2 then t.own > 0 and t.own + t.bank = 2
        else t.lines = 4 and t.own = 1 and t.bank = 1 and t.liability = 1 and t.expense = 1
      end
      when 'Post' then case
        when not h.ordered then t.own = t.lines
        else t.lines = 2 and t.suspense = 1 and t.bank = 1
      end
      when 'Inbound' then t.lines = 2 and t.bank = 1 and t.debited in ('SettlementCash', 'StablecoinWallet')
        and t.credited in ('Tenant', 'Suspense')
      when 'UnmatchedReturn' then t.lines = 2 and t.bank = 1 and t.suspense = 1
      when 'Assign' then t.lines = 2 and t.suspense = 1 and t.own = 1
      when 'Accrue' then t.lines = 2 and t.liability = 1 and t.expense = 1
      else false
    end is not true
    limit 1;
    if found then
      raise exception 'journal % of book % uses accounts that a % may not', violation.seq, batch.book_id, violation.kind
        using errcode = 'LG013', constraint = 'journal_accounts_of_its_kind';
    end if;
  end loop;
  return null;
end $body$;

create function lock_books(in_books uuid[]) returns TABLE(book_id uuid, last_seq bigint, account_changes bigint, state book_state)
language sql security definer
set search_path = ledger, pg_temp
as $body$
  select h.book_id, h.last_seq, h.account_changes, h.state
  from book_head h
  where h.book_id = any (in_books)
  order by h.book_id
  for update
$body$;
grant execute on function lock_books(uuid[]) to ledger;

create function maintain_outbox() returns void
language plpgsql security definer
set search_path = ledger, pg_temp
set lock_timeout = 2s
as $body$
declare
  d date;
  partition text;
  unpublished boolean;
begin
  perform pg_advisory_xact_lock(hashtext('ledger.outbox'));
  for d in select generate_series(current_date - 1, current_date + 7, interval '1 day')::date loop
    partition := 'outbox_' || to_char(d, 'YYYYMMDD');
    if to_regclass(partition) is null then
      execute format('create table %I (like outbox including all) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)', partition);
      execute format('alter table outbox attach partition %I for values from (%L) to (%L)', partition, d, d + 1);
    end if;
  end loop;
  for partition in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'outbox'::regclass and c.relname < 'outbox_' || to_char(current_date - 8, 'YYYYMMDD')
  loop
    execute format('select exists (select from %I where published_at is null)', partition) into unpublished;
    if not unpublished then execute format('drop table %I', partition); end if;
  end loop;
end $body$;
grant execute on function maintain_outbox() to ledger;

create function name_key(name text) returns text
language sql immutable strict parallel safe
as $body$
  select casefold(
    normalize(btrim(regexp_replace(name collate pg_unicode_fast, '\s+', ' ', 'g'))) collate pg_unicode_fast
  )
$body$;
grant execute on function name_key(text) to public;

create function no_more_journals_before(in_book uuid, in_end timestamp with time zone) returns boolean
language plpgsql security definer
set search_path = ledger, pg_temp
as $body$
begin
  if in_end > clock_timestamp() then
    if in_end > clock_timestamp() + interval '1 millisecond' then
      return false;
    end if;
    perform pg_sleep(extract(epoch from in_end - clock_timestamp()));
  end if;
  if exists (select from book_head h where h.book_id = in_book and h.recorded_at < in_end) then
    begin
      perform from book_head h where h.book_id = in_book for update;
      raise sqlstate 'LG099';
    exception when sqlstate 'LG099' then null;
    end;
  end if;
  return true;
end $body$;
grant execute on function no_more_journals_before(uuid,timestamp with time zone) to ledger;

create function obligation_agrees_with_liability() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
as $body$
declare
  outstanding bigint;
begin
  if tg_op = 'UPDATE' and (
    (new.book_id, new.obligation_id, new.type, new.created_by, new.created_at)
      is distinct from (old.book_id, old.obligation_id, old.type, old.created_by, old.created_at)
    or old.status <> 'Open' and (
      new.status = 'Open'
      or (new.reference, new.jurisdiction, new.period) is distinct from (old.reference, old.jurisdiction, old.period)
    )
    or new.event_count < old.event_count
  ) then
    raise exception 'the type of an obligation never changes, and its reference, jurisdiction and period not after its accrual'
      using errcode = 'LG001', constraint = 'obligation_identity';
  end if;
  -- The account has the obligation's own uuid.
  select b.posted_credit - b.posted_debit into outstanding
  from account_balance b
  join account a on a.book_id = b.book_id and a.account_id = b.account_id and a.class = 'ObligationLiability'
  where b.book_id = new.book_id and b.account_id = new.obligation_id;
  if (
    case new.status
      when 'Open' then coalesce(outstanding, 0) <> 0
      when 'Relieved' then outstanding is distinct from 0
      else coalesce(outstanding, 0) <= 0
    end or coalesce(outstanding, 0) > new.fixed_cents
  ) then
    raise exception 'obligation % of book % is % with % cents outstanding of %',
      new.obligation_id, new.book_id, new.status, outstanding, new.fixed_cents
      using errcode = 'LG040', constraint = 'obligation_agrees_with_liability';
  end if;
  return null;
end $body$;

create function obligation_counts_changes() returns trigger
language plpgsql
as $body$
begin
  new.version := old.version + (
    (new.event_count, new.updated_at, new.reference, new.jurisdiction, new.period, new.payee_counterparty_id, new.lines,
      new.fixed_cents)
    is distinct from (old.event_count, old.updated_at, old.reference, old.jurisdiction, old.period,
      old.payee_counterparty_id, old.lines, old.fixed_cents))::integer;
  return new;
end $body$;
grant execute on function obligation_counts_changes() to public;

create function obligation_fixed_as_accrued() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
as $body$
begin
  if tg_op = 'INSERT' or new.fixed_cents <> old.fixed_cents then
    perform refuse_unless_accrued(new.book_id, new.obligation_id);
  end if;
  return null;
end $body$;

create function read_transactions(in_books uuid[], in_transactions uuid[]) returns TABLE(book_id uuid, transaction_id uuid, order_id uuid, opening_seq bigint, opening_kind journal_kind, resolution_seq bigint, resolution_kind journal_kind, reversal_seq bigint, account_id uuid, currency text, layer layer, direction side, amount_cents bigint)
language plpgsql stable
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $body$
begin
  return query
  select u.book_id, u.transaction_id, t.order_id, t.opening_seq, t.opening_kind, t.resolution_seq, t.resolution_kind,
    t.reversal_seq, e.account_id, e.currency, e.layer, e.direction, e.amount_cents
  from unnest(in_books, in_transactions) with ordinality as u (book_id, transaction_id, position)
  cross join lateral (
    select (array_agg(j.order_id) filter (where j.opens))[1] as order_id,
      max(j.seq) filter (where j.opens) as opening_seq,
      max(j.kind) filter (where j.opens) as opening_kind,
      max(j.seq) filter (where j.kind in ('Settle', 'Release')) as resolution_seq,
      max(j.kind) filter (where j.kind in ('Settle', 'Release')) as resolution_kind,
      max(j.seq) filter (where j.kind in ('LateReturn', 'Reverse')) as reversal_seq
    from (
      -- By its id alone, in every partition: with the book in the clause, a cached plan may use the primary key.
      select x.book_id, x.seq, x.kind, x.order_id,
        x.resolves_seq is null and x.reverses_seq is null as opens
      from journal x
      where x.transaction_id = u.transaction_id
      offset 0
    ) j
    where j.book_id = u.book_id
  ) t
  cross join lateral (
    select x.line, x.account_id, x.currency, x.layer, x.direction, x.amount_cents
    from entry x
    where x.book_id = u.book_id and x.seq = t.opening_seq
    offset 0
  ) e
  order by u.position, e.line;
end $body$;
grant execute on function read_transactions(uuid[],uuid[]) to ledger;
grant execute on function read_transactions(uuid[],uuid[]) to public;

create function refuse_change() returns trigger
language plpgsql
as $body$
begin
  raise exception 'append-only: % on %.% is refused', lower(tg_op), tg_table_schema, tg_table_name
    using errcode = 'LG001', constraint = 'append_only';
end $body$;
grant execute on function refuse_change() to public;

create function refuse_clock_back() returns trigger
language plpgsql
as $body$
begin
  if new.lead_ms < old.lead_ms or new.sequence <= old.sequence or new.stands_at < old.stands_at then
    raise exception 'the clock of a book can''t go back'
      using errcode = 'restrict_violation', table = tg_table_name, constraint = 'book_clock_forward_only';
  end if;
  return new;
end $body$;
grant execute on function refuse_clock_back() to public;

create function refuse_direct_write() returns trigger
language plpgsql
as $body$
begin
  raise exception 'derived: % on %.% is refused, only entries move it', lower(tg_op), tg_table_schema, tg_table_name
    using errcode = 'LG001', constraint = 'derived_by_trigger_only';
end $body$;
grant execute on function refuse_direct_write() to public;

create function refuse_frozen() returns trigger
language plpgsql
as $body$
begin
  raise exception 'book % is frozen', old.book_id using errcode = 'LG020', constraint = 'book_is_frozen';
end $body$;
grant execute on function refuse_frozen() to public;

create function refuse_new_identity() returns trigger
language plpgsql
as $body$
begin
  if (new.book_id, new.account_id, new.name, new.currency, new.normal_balance, new.class, new.created_at)
    is distinct from (old.book_id, old.account_id, old.name, old.currency, old.normal_balance, old.class, old.created_at)
  then
    raise exception 'name, currency, normal balance and class of an account never change'
      using errcode = 'LG001', constraint = 'account_identity';
  end if;
  return new;
end $body$;
grant execute on function refuse_new_identity() to public;

create function refuse_other_command() returns trigger
language plpgsql
as $body$
begin
  raise exception 'the content of a deferred command never changes'
    using errcode = 'LG001', constraint = 'deferred_command_identity';
end $body$;
grant execute on function refuse_other_command() to public;

create function refuse_other_virtual_account() returns trigger
language plpgsql
set search_path = ledger, pg_temp
as $body$
begin
  if old.status = 'Closed' and new.status <> 'Closed'
    or (new.book_id, new.virtual_account_id, new.name, new.ledger_account_id, new.counterparty_id, new.external_id,
        new.number_hash, new.created_at)
      is distinct from (old.book_id, old.virtual_account_id, old.name, old.ledger_account_id, old.counterparty_id,
        old.external_id, old.number_hash, old.created_at)
  then
    raise exception 'of virtual account % only the status, the description and the metadata may change, '
      'and the status never from Closed', old.virtual_account_id
      using errcode = 'LG001', constraint = 'virtual_account_identity';
  end if;
  return new;
end $body$;
grant execute on function refuse_other_virtual_account() to public;

create function refuse_unless_accrued(in_book uuid, in_obligation uuid) returns void
language plpgsql
set enable_seqscan = off
as $body$
declare
  accrued bigint;
  fixed bigint;
begin
  select coalesce(sum(case e.direction when 'Credit' then e.amount_cents else -e.amount_cents end), 0) into accrued
  from (select * from entry x where x.book_id = in_book and x.account_id = in_obligation offset 0) e
  cross join lateral (
    select from journal x where x.book_id = in_book and x.seq = e.seq and x.kind = 'Accrue' offset 0
  ) j;
  select o.fixed_cents into fixed from obligation o where o.book_id = in_book and o.obligation_id = in_obligation;
  if fixed is distinct from accrued then
    raise exception 'obligation % of book % is fixed at % cents, and % are accrued', in_obligation, in_book, fixed, accrued
      using errcode = 'LG040', constraint = 'obligation_fixed_as_accrued';
  end if;
end $body$;

create function restrict_to_own_book(target regclass) returns void
language plpgsql
as $body$
begin
  execute format('alter table %s enable row level security', target);
  execute format('create policy own_book on %s for select to ledger_reader
    using (book_id = (select current_setting(''ledger.book'')::uuid))', target);
  execute format('grant select on %s to ledger_reader', target);
end $body$;

create function virtual_account_credits_tenant() returns trigger
language plpgsql
set search_path = ledger, pg_temp
as $body$
begin
  if not exists (
    select from account a
    where a.book_id = new.book_id and a.account_id = new.ledger_account_id
      and a.class = 'Tenant' and a.normal_balance = 'Credit'
  ) then
    raise exception 'account % is no Credit-normal account of the tenant', new.ledger_account_id
      using errcode = 'LG001', constraint = 'virtual_account_credits_tenant';
  end if;
  return new;
end $body$;
grant execute on function virtual_account_credits_tenant() to public;

create function write_checkpoint(in_book uuid, in_first bigint) returns void
language plpgsql
as $body$
declare
  broken record;
begin
  select t.currency into broken
  from class_total t
  where t.book_id = in_book
  group by t.currency
  having coalesce(sum(t.posted_debit - t.posted_credit) filter (where t.class in ('SettlementCash', 'StablecoinWallet')), 0)
    <> coalesce(sum(t.posted_credit - t.posted_debit) filter (where t.class in ('Tenant', 'Suspense')), 0)
      + coalesce(sum(t.posted_credit - t.posted_debit) filter (where t.class = 'ObligationLiability'), 0)
      - coalesce(sum(t.posted_debit - t.posted_credit)
          filter (where t.class in ('FuelTaxExpense', 'OperatorSettlementExpense', 'ObligationExpense')), 0)
  limit 1;
  if found then
    raise exception 'book % does not hold the % that it owes', in_book, broken.currency
      using errcode = 'LG010', constraint = 'accounting_equation';
  end if;
  insert into checkpoint (book_id, first_seq, last_seq, head_hash, recorded_at,
    posted_debit, posted_credit, pending_debit, pending_credit)
  select h.book_id, in_first, h.last_seq, h.head_hash, h.recorded_at,
    total(t.posted_debit), total(t.posted_credit),
    total(t.held_debit + t.released_credit), total(t.held_credit + t.released_debit)
  from book_head h
  join class_total t on t.book_id = h.book_id
  where h.book_id = in_book
  group by h.book_id;
end $body$;
grant execute on function write_checkpoint(uuid,bigint) to public;
