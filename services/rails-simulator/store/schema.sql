-- What the migrations of this service come to. Written by `make schema`; never edit it by hand.
-- Not shown: partitions by day, and the table of applied migrations.

create schema rails;
set search_path = rails;
grant usage on schema rails to rails;

create table bank_movement (
  order_id uuid not null,
  number integer not null,
  book_id uuid not null,
  kind text not null,
  side text not null,
  amount_cents bigint not null,
  reference text not null,
  occurred_at timestamp with time zone not null,
  constraint bank_movement_pkey primary key (order_id, number),
  constraint bank_movement_amount_positive check (amount_cents > 0),
  constraint bank_movement_kind_known check (kind = any (array['Settlement'::text, 'Return'::text, 'UnmatchedReturn'::text, 'SentBack'::text])),
  constraint bank_movement_side_known check (side = any (array['In'::text, 'Out'::text]))
);
create index bank_movement_by_time on bank_movement using btree (book_id, occurred_at);
create unique index bank_movement_of_no_order_once on bank_movement using btree (book_id, reference) where kind = any (array['UnmatchedReturn'::text, 'SentBack'::text]);
create trigger bank_movement_append_only before delete or update on bank_movement for each row execute function refuse_change();
alter table bank_movement enable always trigger bank_movement_append_only;
create trigger bank_movement_never_truncated before truncate on bank_movement for each statement execute function refuse_change();
alter table bank_movement enable always trigger bank_movement_never_truncated;
grant insert, select on bank_movement to rails;

create table bank_statement (
  book_id uuid not null,
  number integer not null,
  statement_id uuid not null,
  banking_date date not null,
  ends_at timestamp with time zone not null,
  opening_cents bigint not null,
  closing_cents bigint not null,
  line_count integer not null,
  hash text not null,
  issued_at timestamp with time zone not null default clock_timestamp(),
  constraint bank_statement_pkey primary key (book_id, number),
  constraint bank_statement_hash_is_sha256 check (hash ~ '^[0-9a-f]{64}$'::text),
  constraint bank_statement_numbered_from_one check (number >= 1)
);
create unique index bank_statement_by_id on bank_statement using btree (statement_id);
create trigger append_only before delete or update on bank_statement for each row execute function refuse_change();
alter table bank_statement enable always trigger append_only;
create trigger never_truncated before truncate on bank_statement for each statement execute function refuse_change();
alter table bank_statement enable always trigger never_truncated;
grant insert, select on bank_statement to rails;

create table bank_statement_error (
  book_id uuid not null,
  error_id uuid not null,
  kind text not null,
  order_id uuid,
  reference text,
  amount_cents bigint,
  side text,
  created_at timestamp with time zone not null default clock_timestamp(),
  printed_on integer,
  correction_requested boolean not null default false,
  corrected_on integer,
  source text,
  withheld jsonb,
  printed jsonb,
  constraint bank_statement_error_pkey primary key (book_id, error_id),
  constraint bank_statement_error_kind_known check (kind = any (array['LineMissing'::text, 'LineAdded'::text, 'AmountChanged'::text, 'WrongHash'::text]))
) with (fillfactor=80);
create index bank_statement_error_open on bank_statement_error using btree (error_id, book_id) where corrected_on is null;
create unique index bank_statement_error_source on bank_statement_error using btree (source, book_id) where source is not null;
grant insert, select, update on bank_statement_error to rails;

create table bank_statement_line (
  book_id uuid not null,
  number integer not null,
  line integer not null,
  account text not null,
  side text not null,
  amount_cents bigint not null,
  reference text not null,
  customer_reference text,
  kind text not null,
  occurred_at timestamp with time zone not null,
  source text,
  constraint bank_statement_line_pkey primary key (book_id, number, line),
  constraint bank_statement_line_of_statement foreign key (book_id, number) references bank_statement(book_id, number),
  constraint bank_statement_line_account_known check (account = any (array['SettlementCash'::text, 'StablecoinWallet'::text])),
  constraint bank_statement_line_amount_positive check (amount_cents > 0),
  constraint bank_statement_line_kind_known check (kind = any (array['Settlement'::text, 'Return'::text, 'Inbound'::text, 'Adjustment'::text])),
  constraint bank_statement_line_side_known check (side = any (array['In'::text, 'Out'::text]))
);
create unique index bank_statement_line_once on bank_statement_line using btree (source, book_id) where source is not null;
create trigger append_only before delete or update on bank_statement_line for each row execute function refuse_change();
alter table bank_statement_line enable always trigger append_only;
create trigger never_truncated before truncate on bank_statement_line for each statement execute function refuse_change();
alter table bank_statement_line enable always trigger never_truncated;
grant insert, select on bank_statement_line to rails;

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
grant insert, select, update on book_clock to rails;

create table clock_advance (
  book_id uuid not null,
  advance_id uuid not null,
  tenant_id uuid not null,
  status text not null default 'Running'::text,
  from_time timestamp with time zone not null,
  to_time timestamp with time zone not null,
  steps integer not null default 0,
  waiting_for text,
  requested_by text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  ended_at timestamp with time zone,
  runner uuid,
  leased_until timestamp with time zone,
  constraint clock_advance_pkey primary key (book_id, advance_id),
  constraint clock_advance_ended_when_done check ((ended_at is not null) = (status = 'Done'::text)),
  constraint clock_advance_forward check (to_time >= from_time),
  constraint clock_advance_status_known check (status = any (array['Running'::text, 'Done'::text, 'Stuck'::text]))
);
create unique index clock_advance_running on clock_advance using btree (book_id) where status <> 'Done'::text;
grant insert, select, update on clock_advance to rails;

create table failed_message (
  message_id uuid not null,
  type text not null,
  failures integer not null,
  last_error text not null,
  last_failed_at timestamp with time zone not null default now(),
  dead_lettered_at timestamp with time zone,
  constraint failed_message_pkey primary key (message_id)
);
grant insert, select, update on failed_message to rails;

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
grant delete, insert, select on idempotency to rails;

create table inbound_transfer (
  book_id uuid not null,
  bank_reference text not null,
  rail text not null,
  direction text not null,
  amount_cents bigint not null,
  originator_name text not null,
  account_key_id text not null,
  account_ciphertext text not null,
  occurred_at timestamp with time zone not null,
  constraint inbound_transfer_pkey primary key (book_id, bank_reference),
  constraint inbound_transfer_amount_positive check (amount_cents > 0),
  constraint inbound_transfer_direction_known check (direction = any (array['Credit'::text, 'Debit'::text])),
  constraint inbound_transfer_rail_known check (rail = any (array['Ach'::text, 'SameDayAch'::text, 'Rtp'::text, 'Wire'::text, 'Usdc'::text]))
);
create index inbound_transfer_by_time on inbound_transfer using btree (book_id, occurred_at);
create trigger inbound_transfer_append_only before delete or update on inbound_transfer for each row execute function refuse_change();
alter table inbound_transfer enable always trigger inbound_transfer_append_only;
create trigger inbound_transfer_never_truncated before truncate on inbound_transfer for each statement execute function refuse_change();
alter table inbound_transfer enable always trigger inbound_transfer_never_truncated;
grant insert, select on inbound_transfer to rails;

create table inbox (
  message_id uuid not null,
  constraint inbox_pkey primary key (message_id)
) with (autovacuum_vacuum_scale_factor=0.02);
grant delete, insert, select on inbox to rails;

create table injection (
  book_id uuid not null,
  injection_id uuid not null,
  number integer not null,
  status text not null default 'Active'::text,
  match_kind text not null,
  match_value text not null,
  direction text,
  account_key_id text,
  account_last4 text,
  acts_on text[] not null,
  fault text not null,
  code text,
  then_does text,
  delay_seconds integer,
  corrected_data jsonb,
  share double precision,
  seed text,
  max_count integer,
  until timestamp with time zone,
  applied integer not null default 0,
  created_by text not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  ended_by text,
  ended_at timestamp with time zone,
  constraint injection_pkey primary key (book_id, injection_id),
  constraint injection_numbered unique (book_id, number),
  constraint injection_account_shown check ((match_kind = 'Account'::text) = (account_key_id is not null)),
  constraint injection_applied_at_most check (applied >= 0 and applied <= coalesce(max_count, applied)),
  constraint injection_ended_at_end check ((ended_at is not null) = (status <> 'Active'::text)),
  constraint injection_match_known check (match_kind = any (array['Order'::text, 'ExternalId'::text, 'Rail'::text, 'Account'::text])),
  constraint injection_share_a_part check (share > 0::double precision and share <= 1::double precision),
  constraint injection_status_known check (status = any (array['Active'::text, 'Used'::text, 'Ended'::text])),
  constraint injection_used_when_counted check (status <> 'Used'::text or applied = max_count)
);
create index injection_active on injection using btree (book_id, number) where status = 'Active'::text;
create index injection_outage on injection using btree (book_id, until) where status = 'Active'::text and fault = 'Outage'::text;
create index injection_that_shadows on injection using btree (book_id, match_kind, match_value, number) where status = 'Active'::text and max_count is null and coalesce(share, 1::double precision) = 1::double precision;
grant insert, select, update on injection to rails;

create table injection_book (
  book_id uuid not null,
  rules integer not null,
  changes bigint not null,
  orders bigint not null default 0,
  constraint injection_book_pkey primary key (book_id)
);
grant insert, select, update on injection_book to rails;

create table instruction (
  order_id uuid not null,
  book_id uuid not null,
  submitted_at timestamp with time zone,
  rail text,
  direction text,
  amount_cents bigint,
  counterparty_name text,
  counterparty_routing_number text,
  account_key_id text,
  account_ciphertext text,
  statement_descriptor text,
  rail_reference jsonb,
  reason text,
  pending_action text,
  pending_code text,
  next_due_at timestamp with time zone,
  correlation_id text,
  cause_id uuid,
  traceparent text,
  on_book_clock boolean not null default false,
  silenced boolean not null default false,
  originator_tenant_id uuid,
  originator_name text,
  pending_corrected_data jsonb,
  constraint instruction_pkey primary key (order_id),
  constraint instruction_amount_positive check (amount_cents > 0),
  constraint instruction_direction_known check (direction = any (array['Credit'::text, 'Debit'::text])),
  constraint instruction_rail_known check (rail = any (array['Ach'::text, 'SameDayAch'::text, 'Rtp'::text, 'Wire'::text, 'Usdc'::text])),
  constraint instruction_whole_once_submitted check (submitted_at is null or num_nulls(rail, direction, amount_cents, account_key_id, account_ciphertext, rail_reference, reason, correlation_id) = 0)
) with (fillfactor=85, autovacuum_vacuum_scale_factor=0.02);
create index instruction_due on instruction using btree (next_due_at) where next_due_at is not null and not on_book_clock;
create index instruction_due_in_book on instruction using btree (book_id, next_due_at, cause_id) where next_due_at is not null and on_book_clock;
create index instruction_due_in_real_time on instruction using btree (book_id, rail, next_due_at) where next_due_at is not null and not on_book_clock;
create index instruction_silenced on instruction using btree (book_id) where silenced;
grant insert, select, update on instruction to rails;

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
grant insert, select, update on outbox to rails;

create table payment_recheck (
  kind text not null,
  book_id uuid not null,
  after_cause_id uuid not null,
  after_order_id uuid not null,
  constraint payment_recheck_pkey primary key (kind, book_id)
);
grant delete, insert, select on payment_recheck to rails;

create table set_aside_book (
  stream text not null,
  book_id uuid not null,
  state text not null default 'Aside'::text,
  reason text not null,
  since timestamp with time zone not null default now(),
  constraint set_aside_book_pkey primary key (book_id, stream),
  constraint set_aside_book_state_known check (state = any (array['Aside'::text, 'Releasing'::text]))
);
grant delete, insert, select, update on set_aside_book to rails;

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
grant insert on set_aside_event to rails;

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
grant delete, insert, select on set_aside_message to rails;

create table simulation_log (
  book_id uuid not null,
  entry_id uuid not null,
  kind text not null,
  actor text,
  order_id uuid,
  injection_id uuid,
  details jsonb not null,
  book_time timestamp with time zone not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  constraint simulation_log_pkey primary key (book_id, entry_id)
);
create index simulation_log_of_order on simulation_log using btree (book_id, order_id, entry_id) where order_id is not null;
create unique index simulation_log_applied on simulation_log using btree (order_id) where kind = 'InjectionApplied'::text;
create trigger simulation_log_append_only before delete or update on simulation_log for each row execute function refuse_change();
alter table simulation_log enable always trigger simulation_log_append_only;
create trigger simulation_log_never_truncated before truncate on simulation_log for each statement execute function refuse_change();
alter table simulation_log enable always trigger simulation_log_never_truncated;
grant insert, select on simulation_log to rails;

create table simulation_seed (
  book_id uuid not null,
  seed text not null,
  constraint simulation_seed_pkey primary key (book_id)
);
grant insert, select, update on simulation_seed to rails;

create table step (
  order_id uuid not null,
  number integer not null,
  kind text not null,
  code text,
  message text,
  due_at timestamp with time zone,
  published_at timestamp with time zone,
  due_when_asked timestamp with time zone,
  copies smallint not null default 1,
  repetition smallint not null default 0,
  corrected_data jsonb,
  reference text,
  constraint step_pkey primary key (order_id, number),
  constraint step_of_instruction foreign key (order_id) references instruction(order_id),
  constraint step_code_where_it_has_one check ((code is not null) = (kind = any (array['Failed'::text, 'Returned'::text, 'NoticeOfChange'::text, 'UnmatchedReturn'::text]))),
  constraint step_kind_known check (kind = any (array['Accepted'::text, 'Settled'::text, 'Failed'::text, 'Returned'::text, 'NoticeOfChange'::text, 'UnmatchedReturn'::text, 'SentBack'::text])),
  constraint step_numbered_from_one check (number >= 1),
  constraint step_reference_where_it_has_one check ((reference is not null) = (kind = any (array['UnmatchedReturn'::text, 'SentBack'::text])))
) with (fillfactor=90, autovacuum_vacuum_scale_factor=0.02);
create unique index step_return_once_each on step using btree (order_id, code, repetition) where kind = 'Returned'::text;
create unique index step_settles_once on step using btree (order_id) where kind = 'Settled'::text;
grant delete, insert, select, update on step to rails;

create table unconfirmed_message (
  book_id uuid not null,
  message_id uuid not null,
  consumer text not null,
  type text not null,
  constraint unconfirmed_message_pkey primary key (book_id, message_id, consumer)
);
grant delete, insert, select on unconfirmed_message to rails;

create table undelivered_instruction (
  order_id uuid not null,
  book_id uuid not null,
  kind text not null,
  message_id uuid not null,
  submission jsonb not null,
  constraint undelivered_instruction_pkey primary key (order_id),
  constraint undelivered_instruction_kind_known check (kind = any (array['Held'::text, 'Lost'::text]))
);
create index undelivered_instruction_held_in_order on undelivered_instruction using btree (book_id, (submission #>> '{data,rail}'::text[]), ((submission ->> 'id'::text)::uuid)) where kind = 'Held'::text;
grant delete, insert, select, update on undelivered_instruction to rails;

create function idempotency_resource(operation text) returns text
language sql immutable parallel safe
RETURN CASE WHEN (operation ~~ '%-order'::text) THEN 'payment-orders'::text WHEN (operation ~~ '%-transaction'::text) THEN 'ledger-transactions'::text WHEN (operation ~~ '%-virtual-account'::text) THEN 'virtual-accounts'::text WHEN (operation ~~ '%-account'::text) THEN 'ledger-accounts'::text WHEN (operation ~~ '%-obligation'::text) THEN 'obligations'::text WHEN (operation ~~ '%-inbound-payment'::text) THEN 'inbound-payments'::text WHEN (operation ~~ '%-reconciliation'::text) THEN 'reconciliations'::text WHEN (operation ~~ '%-counterparty'::text) THEN 'counterparties'::text WHEN (operation ~~ '%-policy%'::text) THEN 'approval-policy'::text WHEN (operation ~~ '%-api-key'::text) THEN 'api-keys'::text WHEN (operation ~~ '%-endpoint'::text) THEN 'webhook-endpoints'::text WHEN (operation ~~ '%-delivery'::text) THEN 'webhooks'::text WHEN (operation ~~ '%-test-sink'::text) THEN 'test-sinks'::text WHEN ((operation ~~ 'simulate-%'::text) OR (operation ~~ '%-statement%'::text)) THEN 'simulations'::text ELSE operation END;
grant execute on function idempotency_resource(text) to public;
grant execute on function idempotency_resource(text) to rails;

create function maintain_outbox() returns void
language plpgsql security definer
set search_path = rails, pg_temp
set lock_timeout = 2s
as $body$
declare
  d date;
  partition text;
  unpublished boolean;
begin
  perform pg_advisory_xact_lock(hashtext('rails.outbox'));
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
grant execute on function maintain_outbox() to public;
grant execute on function maintain_outbox() to rails;

create function refuse_change() returns trigger
language plpgsql
as $body$
begin
  raise exception 'the bank''s book is append-only: % refused', lower(tg_op)
    using errcode = 'restrict_violation', table = tg_table_name, constraint = tg_table_name || '_append_only';
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
