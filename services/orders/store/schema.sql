-- What the migrations of this service come to. Written by `make schema`; never edit it by hand.
-- Not shown: partitions by day, and the table of applied migrations.

create schema orders;
set search_path = orders;
grant usage on schema orders to orders;

create table annotation_change (
  book_id uuid not null,
  order_id uuid not null,
  "position" integer not null,
  principal text not null,
  at timestamp with time zone not null,
  before jsonb not null,
  after jsonb not null,
  constraint annotation_change_pkey primary key (book_id, order_id, "position")
);
grant insert, select on annotation_change to orders;

create table approval_policy (
  book_id uuid not null,
  version integer not null,
  policy jsonb not null,
  put_by text not null,
  proposal_id uuid,
  put_at timestamp with time zone not null,
  constraint approval_policy_pkey primary key (book_id, version),
  constraint approval_policy_version check (version >= 1)
);
grant insert, select on approval_policy to orders;

create table approval_right (
  book_id uuid not null,
  principal text not null,
  sequence integer not null,
  held_until timestamp with time zone,
  held_since timestamp with time zone,
  constraint approval_right_pkey primary key (book_id, principal)
);
grant insert, select, update on approval_right to orders;

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
grant insert, select, update on book_clock to orders;

create table book_status (
  book_id uuid not null,
  active boolean not null,
  since timestamp with time zone not null,
  frozen boolean not null default false,
  frozen_version integer not null default 0,
  completes_after_banking_days smallint not null default 2,
  status_version integer not null default 0,
  constraint book_status_pkey primary key (book_id),
  constraint book_status_completion_delay check (completes_after_banking_days >= 0 and completes_after_banking_days <= 5)
);
grant insert, select, update on book_status to orders;

create table counterparty (
  book_id uuid not null,
  id uuid not null,
  name text not null,
  type text not null,
  email text,
  external_id text,
  metadata jsonb not null,
  verification_status text not null,
  verified_by text,
  verified_at timestamp with time zone,
  details_entered_by text[] not null,
  version integer not null default 1,
  created_by text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  archived_at timestamp with time zone,
  archived_by text,
  earlier_editors text[] not null default '{}'::text[],
  constraint counterparty_pkey primary key (book_id, id),
  constraint counterparty_archived_by_somebody check ((archived_at is null) = (archived_by is null)),
  constraint counterparty_details_entered_by check (cardinality(details_entered_by) > 0),
  constraint counterparty_type check (type = any (array['Business'::text, 'Individual'::text])),
  constraint counterparty_verification_status check (verification_status = any (array['Unverified'::text, 'Verified'::text, 'Failed'::text])),
  constraint counterparty_verified_by_somebody check ((verification_status = 'Verified'::text) = (verified_by is not null and verified_at is not null)),
  constraint counterparty_verified_by_somebody_else check (verified_by is null or (verified_by <> all (details_entered_by))),
  constraint counterparty_version check (version > 0)
);
create index counterparty_archived on counterparty using btree (book_id, id) where archived_at is not null;
create index counterparty_by_name_prefix on counterparty using btree (book_id, casefold(name collate pg_unicode_fast) collate "C", id) where archived_at is null;
create index counterparty_live on counterparty using btree (book_id, id) where archived_at is null;
create index counterparty_name on counterparty using btree (book_id, name, id) where version > 0;
create index counterparty_verification on counterparty using btree (book_id, verification_status, id) where version > 0;
create unique index counterparty_external_id on counterparty using btree (book_id, external_id) where external_id is not null;
grant insert, select, update on counterparty to orders;

create table counterparty_account (
  book_id uuid not null,
  counterparty_id uuid not null,
  rail text not null,
  "position" integer not null,
  key_id text not null,
  ciphertext text not null,
  last4 text not null,
  routing_number text not null,
  account_type text,
  constraint counterparty_account_pkey primary key (book_id, counterparty_id, rail),
  constraint counterparty_account_of_counterparty foreign key (book_id, counterparty_id) references counterparty(book_id, id),
  constraint counterparty_account_rail check (rail = any (array['Ach'::text, 'SameDayAch'::text, 'Rtp'::text, 'Wire'::text, 'Usdc'::text])),
  constraint counterparty_account_type check (account_type = any (array['Checking'::text, 'Savings'::text, 'Wallet'::text]))
);
grant delete, insert, select, update on counterparty_account to orders;

create table daily_usage (
  book_id uuid not null,
  day date not null,
  used_cents bigint not null,
  constraint daily_usage_pkey primary key (book_id, day),
  constraint daily_usage_used check (used_cents >= 0)
) with (fillfactor=50);
grant insert, select on daily_usage to orders;
grant update (used_cents) on daily_usage to orders;

create table deferred_event (
  book_id uuid not null,
  order_id uuid not null,
  message_id uuid not null,
  event jsonb not null,
  received_at timestamp with time zone not null default now(),
  constraint deferred_event_pkey primary key (book_id, order_id, message_id)
);
create index deferred_event_oldest on deferred_event using btree (received_at);
grant delete, insert, select on deferred_event to orders;

create table failed_message (
  message_id uuid not null,
  type text not null,
  failures integer not null,
  last_error text not null,
  last_failed_at timestamp with time zone not null default now(),
  dead_lettered_at timestamp with time zone,
  constraint failed_message_pkey primary key (message_id)
);
grant insert, select, update on failed_message to orders;

create table gate_recheck (
  book_id uuid not null,
  after_id uuid not null,
  constraint gate_recheck_pkey primary key (book_id)
);
grant delete, insert, select, update on gate_recheck to orders;

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
grant delete, insert, select on idempotency to orders;

create table inbox (
  message_id uuid not null,
  constraint inbox_pkey primary key (message_id)
) with (autovacuum_vacuum_scale_factor=0.02);
grant delete, insert, select on inbox to orders;

create table ledger_checkpoint (
  book_id uuid not null,
  journals bigint not null,
  head_hash bytea not null,
  accounts integer not null,
  accounts_head bytea not null,
  received_at timestamp with time zone not null default clock_timestamp(),
  constraint ledger_checkpoint_pkey primary key (book_id, journals, head_hash, accounts_head),
  constraint ledger_checkpoint_heads_are_sha256 check (octet_length(head_hash) = 32 and octet_length(accounts_head) = 32)
);
create trigger ledger_checkpoint_append_only before delete or update on ledger_checkpoint for each row execute function refuse_change_of_checkpoint();
alter table ledger_checkpoint enable always trigger ledger_checkpoint_append_only;
create trigger ledger_checkpoint_never_truncated before truncate on ledger_checkpoint for each statement execute function refuse_change_of_checkpoint();
alter table ledger_checkpoint enable always trigger ledger_checkpoint_never_truncated;
grant insert, select on ledger_checkpoint to orders;

create table order_metadata (
  book_id uuid not null,
  pair uuid not null,
  order_id uuid not null,
  constraint order_metadata_pkey primary key (book_id, pair, order_id)
);
grant select on order_metadata to orders;

create table order_recheck (
  book_id uuid not null,
  kind text not null,
  after_id uuid not null,
  constraint order_recheck_pkey primary key (book_id, kind)
);
grant delete, insert, select, update on order_recheck to orders;

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
grant insert, select, update on outbox to orders;

create table parked_event (
  message_id uuid not null,
  book_id uuid not null,
  order_id text not null,
  reason text not null,
  event jsonb not null,
  parked_at timestamp with time zone not null default now(),
  ledger_transaction_id uuid,
  journal_sequence bigint,
  constraint parked_event_pkey primary key (message_id)
);
create index parked_event_ledger_transaction on parked_event using btree (book_id, ledger_transaction_id) where ledger_transaction_id is not null;
grant insert, select on parked_event to orders;
grant update (journal_sequence) on parked_event to orders;

create table parked_event_decision (
  message_id uuid not null,
  actor text not null,
  reason text not null,
  decided_at timestamp with time zone not null default clock_timestamp(),
  constraint parked_event_decision_pkey primary key (message_id),
  constraint parked_event_decision_event foreign key (message_id) references parked_event(message_id),
  constraint parked_event_decision_reason_given check (reason <> ''::text and actor <> ''::text)
);
grant select on parked_event_decision to orders;

create table payment_order (
  book_id uuid not null,
  id uuid not null,
  tenant_id uuid not null,
  mode text not null,
  phase text not null,
  status text not null,
  sequence integer not null,
  direction text not null,
  rail text not null,
  amount_cents bigint not null,
  currency text not null,
  ledger_account_id uuid not null,
  ledger_account_name text not null,
  counterparty_id uuid,
  counterparty_name text,
  counterparty_account jsonb,
  counterparty_ledger_account_id uuid,
  counterparty_routing_number text,
  external_id text,
  description text,
  statement_descriptor text,
  effective_date date,
  purpose text,
  basis text not null,
  metadata jsonb not null,
  obligation_id uuid,
  progress jsonb not null,
  due_at timestamp with time zone,
  created_by text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  annotations jsonb,
  due_at_in_book timestamp with time zone,
  constraint payment_order_pkey primary key (book_id, id),
  constraint payment_order_amount check (amount_cents >= 1 and amount_cents <= '999999999999'::bigint),
  constraint payment_order_basis check (basis = any (array['Actual'::text, 'Demo'::text, 'Missing'::text])),
  constraint payment_order_currency check (currency = 'USD'::text),
  constraint payment_order_direction check (direction = any (array['Credit'::text, 'Debit'::text])),
  constraint payment_order_mode check (mode = any (array['Test'::text, 'Live'::text])),
  constraint payment_order_sequence check (sequence >= 0),
  constraint payment_order_status check (status = any (array['Draft'::text, 'Submitted'::text, 'Pending'::text, 'Processing'::text, 'Completed'::text, 'Failed'::text, 'Returned'::text, 'Cancelled'::text]))
) with (fillfactor=80, autovacuum_vacuum_scale_factor=0.2);
create index payment_order_by_account on payment_order using btree (book_id, ledger_account_id, status, id) where sequence >= 0;
create index payment_order_by_amount on payment_order using btree (book_id, amount_cents, id) where sequence >= 0;
create index payment_order_by_change on payment_order using btree (book_id, updated_at, id) where sequence >= 0;
create index payment_order_by_decision on payment_order using btree (book_id, decided_at(progress), id) where (progress #>> '{approvals,decision,decidedAt}'::text[]) is not null;
create index payment_order_by_kind on payment_order using btree (book_id, rail, direction, status, id) where sequence >= 0;
create index payment_order_by_payee on payment_order using btree (book_id, casefold(counterparty_name collate pg_unicode_fast) collate "C", id desc) where counterparty_id is null and counterparty_name is not null and (phase = any (array['Draft'::text, 'AwaitingApproval'::text, 'AwaitingWindow'::text, 'InFlight'::text, 'AwaitingReturns'::text, 'Completed'::text, 'Failed'::text, 'Returned'::text, 'Cancelled'::text]));
create index payment_order_by_return on payment_order using btree (book_id, (progress #>> '{rail,return,code}'::text[]), id) where (progress #>> '{rail,return,code}'::text[]) is not null;
create index payment_order_by_return_time on payment_order using btree (book_id, returned_at(progress), id) where (progress #>> '{rail,return,code}'::text[]) is not null;
create index payment_order_counterparty on payment_order using btree (book_id, counterparty_id, id) where counterparty_id is not null;
create index payment_order_due on payment_order using btree (due_at) where due_at is not null;
create index payment_order_due_in_book on payment_order using btree (book_id, due_at_in_book) where due_at_in_book is not null;
create index payment_order_external_id on payment_order using btree (book_id, external_id, id) where external_id is not null;
create index payment_order_waiting on payment_order using btree (book_id, phase, id) where phase = any (array['AwaitingApproval'::text, 'AwaitingWindow'::text]);
create trigger payment_order_metadata_changed after update of metadata, annotations on payment_order for each row when (coalesce(old.annotations -> 'metadata'::text, old.metadata) is distinct from coalesce(new.annotations -> 'metadata'::text, new.metadata)) execute function index_metadata();
alter table payment_order enable always trigger payment_order_metadata_changed;
create trigger payment_order_metadata_written after insert on payment_order for each row when (new.metadata <> '{}'::jsonb) execute function index_metadata();
alter table payment_order enable always trigger payment_order_metadata_written;
create trigger payment_order_terms before update of book_id, id, tenant_id, mode, direction, rail, amount_cents, currency, ledger_account_id, ledger_account_name, counterparty_id, counterparty_name, counterparty_account, counterparty_ledger_account_id, counterparty_routing_number, external_id, description, statement_descriptor, effective_date, purpose, basis, metadata, obligation_id, created_by, created_at on payment_order for each row execute function refuse_change_of_terms();
alter table payment_order enable always trigger payment_order_terms;
grant insert, select, update on payment_order to orders;

create table policy_proposal (
  book_id uuid not null,
  id uuid not null,
  status text not null,
  policy jsonb not null,
  loosens text[] not null,
  against_version integer not null,
  proposed_by text not null,
  proposed_at timestamp with time zone not null,
  decided_by text,
  decided_at timestamp with time zone,
  constraint policy_proposal_pkey primary key (book_id, id),
  constraint policy_proposal_decided check ((status = 'Open'::text) = (decided_at is null)),
  constraint policy_proposal_status check (status = any (array['Open'::text, 'Approved'::text, 'Denied'::text, 'Superseded'::text])),
  constraint policy_proposal_two_principals check ((status <> all (array['Approved'::text, 'Denied'::text])) or decided_by <> proposed_by)
);
create index policy_proposal_status on policy_proposal using btree (book_id, status, id);
grant insert, select on policy_proposal to orders;
grant update (decided_at), update (decided_by), update (status) on policy_proposal to orders;

create table proposed_change (
  book_id uuid not null,
  id uuid not null,
  counterparty_id uuid not null,
  order_id uuid not null,
  status text not null,
  rails text[] not null,
  code text not null,
  corrected_data jsonb not null,
  received_at timestamp with time zone not null,
  correct_by timestamp with time zone not null,
  decided_by text,
  decided_at timestamp with time zone,
  constraint proposed_change_pkey primary key (book_id, id),
  constraint proposed_change_of_counterparty foreign key (book_id, counterparty_id) references counterparty(book_id, id),
  constraint proposed_change_decided check ((status = 'Open'::text) = (decided_at is null) and (decided_at is null) = (decided_by is null)),
  constraint proposed_change_has_rail check (cardinality(rails) > 0),
  constraint proposed_change_status check (status = any (array['Open'::text, 'Accepted'::text, 'Dismissed'::text, 'Superseded'::text]))
);
create index proposed_change_listed on proposed_change using btree (book_id, counterparty_id, id);
create index proposed_change_open on proposed_change using btree (book_id, counterparty_id) where status = 'Open'::text;
grant insert, select on proposed_change to orders;
grant update (corrected_data), update (decided_at), update (decided_by), update (rails), update (status) on proposed_change to orders;

create table resolution_vote (
  book_id uuid not null,
  order_id uuid not null,
  "position" integer not null,
  outcome text not null,
  operator text not null,
  evidence text not null,
  at timestamp with time zone not null,
  constraint resolution_vote_pkey primary key (book_id, order_id, "position"),
  constraint resolution_vote_outcome check (outcome = any (array['settled'::text, 'failed'::text]))
);
grant insert, select on resolution_vote to orders;

create table set_aside_book (
  stream text not null,
  book_id uuid not null,
  state text not null default 'Aside'::text,
  reason text not null,
  since timestamp with time zone not null default now(),
  constraint set_aside_book_pkey primary key (book_id, stream),
  constraint set_aside_book_state_known check (state = any (array['Aside'::text, 'Releasing'::text]))
);
grant delete, insert, select, update on set_aside_book to orders;

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
grant insert on set_aside_event to orders;

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
grant delete, insert, select on set_aside_message to orders;

create table status_change (
  book_id uuid not null,
  order_id uuid not null,
  "position" integer not null,
  from_status text,
  to_status text not null,
  at timestamp with time zone not null,
  actor text not null,
  reason text,
  constraint status_change_pkey primary key (book_id, order_id, "position")
);
create index status_change_by_time on status_change using btree (book_id, to_status, at, order_id) where to_status = any (array['Submitted'::text, 'Completed'::text]);
grant insert, select on status_change to orders;

create table unconfirmed_message (
  book_id uuid not null,
  message_id uuid not null,
  consumer text not null,
  type text not null,
  constraint unconfirmed_message_pkey primary key (book_id, message_id, consumer)
);
grant delete, insert, select on unconfirmed_message to orders;

create function decided_at(progress jsonb) returns timestamp with time zone
language sql immutable parallel safe
RETURN ((progress #>> '{approvals,decision,decidedAt}'::text[]))::timestamp with time zone;
grant execute on function decided_at(jsonb) to public;

create function idempotency_resource(operation text) returns text
language sql immutable parallel safe
RETURN CASE WHEN (operation ~~ '%-order'::text) THEN 'payment-orders'::text WHEN (operation ~~ '%-transaction'::text) THEN 'ledger-transactions'::text WHEN (operation ~~ '%-virtual-account'::text) THEN 'virtual-accounts'::text WHEN (operation ~~ '%-account'::text) THEN 'ledger-accounts'::text WHEN (operation ~~ '%-obligation'::text) THEN 'obligations'::text WHEN (operation ~~ '%-inbound-payment'::text) THEN 'inbound-payments'::text WHEN (operation ~~ '%-reconciliation'::text) THEN 'reconciliations'::text WHEN (operation ~~ '%-counterparty'::text) THEN 'counterparties'::text WHEN (operation ~~ '%-policy%'::text) THEN 'approval-policy'::text WHEN (operation ~~ '%-api-key'::text) THEN 'api-keys'::text WHEN (operation ~~ '%-endpoint'::text) THEN 'webhook-endpoints'::text WHEN (operation ~~ '%-delivery'::text) THEN 'webhooks'::text WHEN (operation ~~ '%-test-sink'::text) THEN 'test-sinks'::text WHEN ((operation ~~ 'simulate-%'::text) OR (operation ~~ '%-statement%'::text)) THEN 'simulations'::text ELSE operation END;
grant execute on function idempotency_resource(text) to orders;
grant execute on function idempotency_resource(text) to public;

create function index_metadata() returns trigger
language plpgsql security definer
set search_path = orders, pg_temp
as $body$
begin
  if tg_op = 'UPDATE' then
    delete from order_metadata m
    using jsonb_each_text(coalesce(old.annotations -> 'metadata', old.metadata)) p
    where m.book_id = old.book_id
      and m.pair = metadata_pair(p.key, p.value)
      and m.order_id = old.id;
  end if;
  insert into order_metadata (book_id, pair, order_id)
  select new.book_id, metadata_pair(p.key, p.value), new.id
  from jsonb_each_text(coalesce(new.annotations -> 'metadata', new.metadata)) p
  on conflict on constraint order_metadata_pkey do nothing;
  return null;
end $body$;
grant execute on function index_metadata() to public;

create function maintain_outbox() returns void
language plpgsql security definer
set search_path = orders, pg_temp
set lock_timeout = 2s
as $body$
declare
  d date;
  partition text;
  unpublished boolean;
begin
  perform pg_advisory_xact_lock(hashtext('orders.outbox'));
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
grant execute on function maintain_outbox() to orders;
grant execute on function maintain_outbox() to public;

create function metadata_pair(key text, value text) returns uuid
language sql immutable parallel safe
as $body$
  select encode(substring(sha256(convert_to(key || '=' || value, 'UTF8')) for 16), 'hex')::uuid
$body$;
grant execute on function metadata_pair(text,text) to public;

create function refuse_change_of_checkpoint() returns trigger
language plpgsql
as $body$
begin
  raise exception 'append-only: % on orders.ledger_checkpoint is refused', lower(tg_op)
    using errcode = 'restrict_violation', constraint = 'ledger_checkpoint_append_only';
end $body$;
grant execute on function refuse_change_of_checkpoint() to public;

create function refuse_change_of_terms() returns trigger
language plpgsql
as $body$
begin
  if old.phase <> 'Draft' then
    raise exception 'order % was submitted: its terms can''t change', old.id using errcode = 'OR001';
  end if;
  return new;
end $body$;
grant execute on function refuse_change_of_terms() to public;

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

create function returned_at(progress jsonb) returns timestamp with time zone
language sql immutable parallel safe
RETURN ((progress #>> '{rail,return,receivedAt}'::text[]))::timestamp with time zone;
grant execute on function returned_at(jsonb) to public;
