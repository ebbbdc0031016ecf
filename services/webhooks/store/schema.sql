-- What the migrations of this service come to. Written by `make schema`; never edit it by hand.
-- Not shown: partitions by day, and the table of applied migrations.

create schema webhooks;
set search_path = webhooks;
grant usage on schema webhooks to webhooks;

create table attempt (
  delivery_id uuid not null,
  id uuid not null,
  at timestamp with time zone not null,
  duration_ms integer not null,
  response_status integer,
  response_body text,
  error text,
  error_class text,
  dns_ms integer,
  connect_ms integer,
  tls_ms integer,
  first_byte_ms integer,
  constraint attempt_pkey primary key (delivery_id, id)
);
grant delete, insert, select on attempt to webhooks;

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
grant insert, select, update on book_clock to webhooks;

create table delivery (
  id uuid not null,
  book_id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  event_type text not null,
  api_version text not null,
  status text not null,
  attempt_count integer not null,
  attempts_allowed integer not null,
  next_attempt_at timestamp with time zone,
  claimable_at timestamp with time zone,
  lease_id uuid,
  acknowledged_at timestamp with time zone,
  created_at timestamp with time zone not null,
  filed_status text not null generated always as (
CASE
    WHEN status = 'Pending'::text AND claimable_at IS NULL THEN 'Delivered'::text
    ELSE status
END) stored,
  due_in_book timestamp with time zone,
  newest_secret_only boolean not null default false,
  constraint delivery_pkey primary key (id),
  constraint delivery_once_per_event_and_endpoint unique (event_id, endpoint_id),
  constraint delivery_open_is_claimable check (
case
    when claimable_at is not null then status = any (array['Pending'::text, 'Retrying'::text])
    when status = 'Pending'::text then attempt_count = 0 and lease_id is not null
    else status <> 'Retrying'::text
end),
  constraint delivery_status_known check (status = any (array['Pending'::text, 'Retrying'::text, 'Delivered'::text, 'DeadLettered'::text, 'Cancelled'::text]))
) with (autovacuum_vacuum_threshold=1000, fillfactor=50, autovacuum_vacuum_scale_factor=0.2);
create index delivery_by_book on delivery using btree (book_id, id);
create index delivery_by_endpoint on delivery using btree (book_id, endpoint_id, event_type, filed_status, id);
create index delivery_by_kind on delivery using btree (book_id, event_type, filed_status, id);
create index delivery_due_in_book on delivery using btree (book_id, due_in_book) where due_in_book is not null;
create index delivery_open_by_status on delivery using btree (endpoint_id, filed_status, claimable_at) where claimable_at is not null;
create trigger count_changed after update on delivery referencing old table as was new table as became for each statement execute function count_changed_deliveries();
alter table delivery enable always trigger count_changed;
create trigger count_new after insert on delivery referencing new table as made for each statement execute function count_new_deliveries();
alter table delivery enable always trigger count_new;
grant delete, insert, select, update on delivery to webhooks;

create table delivery_count (
  book_id uuid not null,
  day date not null,
  endpoint_id uuid not null,
  committed bigint not null,
  delivered bigint not null,
  dead bigint not null,
  cancelled bigint not null,
  constraint delivery_count_pkey primary key (book_id, day, endpoint_id)
);
grant insert, select, update on delivery_count to webhooks;

create table delivery_count_check (
  day date not null,
  checked_at timestamp with time zone not null,
  differences integer not null,
  constraint delivery_count_check_pkey primary key (day)
);
grant insert, select, update on delivery_count_check to webhooks;

create table delivery_delta (
  book_id uuid not null,
  day date not null,
  endpoint_id uuid not null,
  committed integer not null,
  delivered integer not null,
  dead integer not null,
  cancelled integer not null
) with (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=2000);
grant delete, insert, select on delivery_delta to webhooks;

create table dropped_change (
  book_id uuid not null,
  object_id text not null,
  sequence integer not null,
  change_key text not null,
  constraint dropped_change_pkey primary key (book_id, object_id, sequence, change_key)
);
grant insert, select on dropped_change to webhooks;

create table endpoint (
  id uuid not null,
  book_id uuid not null,
  mode text not null,
  url text not null,
  event_types text[] not null,
  description text,
  metadata jsonb not null,
  api_version text not null,
  status text not null,
  created_at timestamp with time zone not null,
  deleted_at timestamp with time zone,
  max_attempts integer,
  backoff_seconds integer[],
  rate_per_second integer,
  disable_after_days integer,
  failing_since timestamp with time zone,
  constraint endpoint_pkey primary key (id),
  constraint endpoint_attempts_in_range check (max_attempts >= 1 and max_attempts <= 10),
  constraint endpoint_backoff_in_range check (cardinality(backoff_seconds) >= 1 and cardinality(backoff_seconds) <= 9 and (1 <= all (backoff_seconds)) and (86400 >= all (backoff_seconds))),
  constraint endpoint_deleted_is_disabled check (deleted_at is null or status = 'Disabled'::text),
  constraint endpoint_disable_after_in_range check (disable_after_days >= 1 and disable_after_days <= 30),
  constraint endpoint_live_is_https check (mode = 'Test'::text or url ~~ 'https://%'::text),
  constraint endpoint_mode_known check (mode = any (array['Test'::text, 'Live'::text])),
  constraint endpoint_rate_in_range check (rate_per_second >= 1 and rate_per_second <= 1000),
  constraint endpoint_status_known check (status = any (array['Enabled'::text, 'Disabled'::text]))
);
create index endpoint_disabled_in_time on endpoint using btree (book_id) where disable_after_days is not null;
create index endpoint_left_by_book on endpoint using btree (book_id, id) where deleted_at is null;
grant insert, select on endpoint to webhooks;
grant update (backoff_seconds), update (deleted_at), update (description), update (disable_after_days), update (event_types), update (failing_since), update (max_attempts), update (metadata), update (rate_per_second), update (status), update (url) on endpoint to webhooks;

create table endpoint_secret (
  endpoint_id uuid not null,
  version integer not null,
  key_id text not null,
  ciphertext text not null,
  created_at timestamp with time zone not null,
  retires_at timestamp with time zone,
  constraint endpoint_secret_pkey primary key (endpoint_id, version),
  constraint endpoint_secret_of_endpoint foreign key (endpoint_id) references endpoint(id)
);
grant insert, select on endpoint_secret to webhooks;
grant update (ciphertext), update (key_id), update (retires_at) on endpoint_secret to webhooks;

create table event (
  id uuid not null,
  book_id uuid not null,
  type text not null,
  object_id text not null,
  sequence integer not null,
  change_key text not null default ''::text,
  payload jsonb not null,
  created_at timestamp with time zone not null,
  constraint event_pkey primary key (book_id, id),
  constraint event_once_per_change unique (book_id, object_id, sequence, change_key)
);
create index event_by_type on event using btree (book_id, type, id);
grant delete, insert, select on event to webhooks;

create table failed_message (
  message_id uuid not null,
  type text not null,
  failures integer not null,
  last_error text not null,
  last_failed_at timestamp with time zone not null default now(),
  dead_lettered_at timestamp with time zone,
  constraint failed_message_pkey primary key (message_id)
);
grant insert, select, update on failed_message to webhooks;

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
grant delete, insert, select on idempotency to webhooks;

create table inbox (
  message_id uuid not null,
  constraint inbox_pkey primary key (message_id)
) with (autovacuum_vacuum_scale_factor=0.02);
grant delete, insert, select on inbox to webhooks;

create table lease (
  book_id uuid not null,
  id uuid not null,
  ends_at timestamp with time zone not null,
  delivery_ids uuid[] not null,
  constraint lease_pkey primary key (book_id, id)
) with (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=1000);
grant delete, insert, select on lease to webhooks;

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
grant insert, select, update on outbox to webhooks;

create table rendering (
  event_id uuid not null,
  api_version text not null,
  body text not null,
  constraint rendering_pkey primary key (event_id, api_version)
);
grant delete, insert, select on rendering to webhooks;

create table replay (
  book_id uuid not null,
  id uuid not null,
  status text not null,
  endpoint_id uuid,
  event_types text[],
  statuses text[] not null,
  since timestamp with time zone not null,
  until timestamp with time zone not null,
  include_missed boolean not null,
  below_id uuid not null,
  matched integer not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint replay_pkey primary key (book_id, id),
  constraint replay_running_has_no_end check ((ended_at is null) = (status = 'Running'::text)),
  constraint replay_status_known check (status = any (array['Running'::text, 'Done'::text, 'Cancelled'::text]))
);
create unique index replay_running on replay using btree (book_id) where status = 'Running'::text;
grant insert, select on replay to webhooks;
grant update (ended_at), update (status) on replay to webhooks;

create table replay_part (
  book_id uuid not null,
  replay_id uuid not null,
  endpoint_id uuid not null,
  after_delivery uuid not null,
  after_event uuid,
  deliveries_done boolean not null default false,
  is_done boolean not null default false,
  queued integer not null default 0,
  constraint replay_part_pkey primary key (book_id, replay_id, endpoint_id),
  constraint replay_part_of_replay foreign key (book_id, replay_id) references replay(book_id, id)
);
create index replay_part_open on replay_part using btree (book_id, replay_id, endpoint_id) where not is_done;
grant insert, select on replay_part to webhooks;
grant update (after_delivery), update (after_event), update (deliveries_done), update (is_done), update (queued) on replay_part to webhooks;

create table set_aside_book (
  stream text not null,
  book_id uuid not null,
  state text not null default 'Aside'::text,
  reason text not null,
  since timestamp with time zone not null default now(),
  constraint set_aside_book_pkey primary key (book_id, stream),
  constraint set_aside_book_state_known check (state = any (array['Aside'::text, 'Releasing'::text]))
);
grant delete, insert, select, update on set_aside_book to webhooks;

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
grant insert on set_aside_event to webhooks;

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
grant delete, insert, select on set_aside_message to webhooks;

create table test_sink (
  id uuid not null,
  book_id uuid not null,
  respond integer[] not null,
  delay_ms integer not null,
  received integer not null,
  created_at timestamp with time zone not null,
  script jsonb,
  script_began integer not null default 0,
  constraint test_sink_pkey primary key (id)
) with (fillfactor=50);
create index test_sink_by_book on test_sink using btree (book_id, id);
grant delete, insert, select, update on test_sink to webhooks;

create table test_sink_request (
  sink_id uuid not null,
  number integer not null,
  received_at timestamp with time zone not null,
  headers jsonb not null,
  body bytea not null,
  verified_by uuid,
  responded_status integer not null,
  verified_version integer,
  verified_age text,
  answer jsonb,
  constraint test_sink_request_pkey primary key (sink_id, number),
  constraint test_sink_request_of_sink foreign key (sink_id) references test_sink(id),
  constraint test_sink_request_age_known check (verified_age = any (array['Newest'::text, 'Previous'::text])),
  constraint test_sink_request_verified_by_one check ((verified_version is null) = (verified_age is null))
);
grant delete, insert, select on test_sink_request to webhooks;

create table unconfirmed_message (
  book_id uuid not null,
  message_id uuid not null,
  consumer text not null,
  type text not null,
  constraint unconfirmed_message_pkey primary key (book_id, message_id, consumer)
);
grant delete, insert, select on unconfirmed_message to webhooks;

create function count_changed_deliveries() returns trigger
language plpgsql
as $body$
begin
  insert into webhooks.delivery_delta (book_id, day, endpoint_id, committed, delivered, dead, cancelled)
  select book_id, (created_at at time zone 'UTC')::date, endpoint_id, 0,
    coalesce(sum(change) filter (where status = 'Delivered'), 0),
    coalesce(sum(change) filter (where status = 'DeadLettered'), 0),
    coalesce(sum(change) filter (where status = 'Cancelled'), 0)
  from (
    select book_id, created_at, endpoint_id, status, -1 as change
    from was
    union all
    select book_id, created_at, endpoint_id, status, 1
    from became
  ) changes
  where status in ('Delivered', 'DeadLettered', 'Cancelled')
  group by 1, 2, 3
  having coalesce(sum(change) filter (where status = 'Delivered'), 0) <> 0
    or coalesce(sum(change) filter (where status = 'DeadLettered'), 0) <> 0
    or coalesce(sum(change) filter (where status = 'Cancelled'), 0) <> 0;
  return null;
end $body$;
grant execute on function count_changed_deliveries() to public;

create function count_new_deliveries() returns trigger
language plpgsql
as $body$
begin
  insert into webhooks.delivery_delta (book_id, day, endpoint_id, committed, delivered, dead, cancelled)
  select book_id, (created_at at time zone 'UTC')::date, endpoint_id, count(*),
    count(*) filter (where status = 'Delivered'),
    count(*) filter (where status = 'DeadLettered'),
    count(*) filter (where status = 'Cancelled')
  from made
  group by 1, 2, 3;
  return null;
end $body$;
grant execute on function count_new_deliveries() to public;

create function idempotency_resource(operation text) returns text
language sql immutable parallel safe
RETURN CASE WHEN (operation ~~ '%-order'::text) THEN 'payment-orders'::text WHEN (operation ~~ '%-transaction'::text) THEN 'ledger-transactions'::text WHEN (operation ~~ '%-virtual-account'::text) THEN 'virtual-accounts'::text WHEN (operation ~~ '%-account'::text) THEN 'ledger-accounts'::text WHEN (operation ~~ '%-obligation'::text) THEN 'obligations'::text WHEN (operation ~~ '%-inbound-payment'::text) THEN 'inbound-payments'::text WHEN (operation ~~ '%-reconciliation'::text) THEN 'reconciliations'::text WHEN (operation ~~ '%-counterparty'::text) THEN 'counterparties'::text WHEN (operation ~~ '%-policy%'::text) THEN 'approval-policy'::text WHEN (operation ~~ '%-api-key'::text) THEN 'api-keys'::text WHEN (operation ~~ '%-endpoint'::text) THEN 'webhook-endpoints'::text WHEN (operation ~~ '%-delivery'::text) THEN 'webhooks'::text WHEN (operation ~~ '%-test-sink'::text) THEN 'test-sinks'::text WHEN ((operation ~~ 'simulate-%'::text) OR (operation ~~ '%-statement%'::text)) THEN 'simulations'::text ELSE operation END;
grant execute on function idempotency_resource(text) to public;
grant execute on function idempotency_resource(text) to webhooks;

create function maintain_outbox() returns void
language plpgsql security definer
set search_path = webhooks, pg_temp
set lock_timeout = 2s
as $body$
declare
  d date;
  partition text;
  unpublished boolean;
begin
  perform pg_advisory_xact_lock(hashtext('webhooks.outbox'));
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
grant execute on function maintain_outbox() to webhooks;

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
