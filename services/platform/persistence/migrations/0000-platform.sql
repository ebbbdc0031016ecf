-- What every service has: its outbox, inbox, failed messages and Idempotency-Keys. `:service` is the schema and the
-- role. Runs as the owner; the service's own role gets the rights that it needs and no others.

-- Messages to be published, written in the transaction of the change that they report. A row holds up to an envelope's
-- worth of messages of one transaction, subject and book: `message` is their JSON, separated by commas, and
-- `message_id` is the id of the first one. A ledger's batch of a thousand outcomes is ten rows to write, to mark and to
-- keep. Published rows stay for 8 days in daily partitions, from which `npm run republish` refills a lost stream.
create table :service.outbox (
  day date not null default current_date,
  message_id uuid not null,
  subject text not null,
  book_id uuid not null,
  message text not null,
  message_count smallint not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  published_at timestamptz,
  constraint outbox_pkey primary key (day, message_id)
) partition by range (day);

-- The poller reads only unpublished rows, of each stream (the first token of the subject) on its own: the rows of a
-- full stream do not delay the others'.
create index outbox_unpublished on :service.outbox (left(subject, 3), created_at) where published_at is null;

-- Creates the partitions of the coming week and drops those older than 8 days, unless one still holds an unpublished
-- row. Attaching a partition does not block inserts; dropping one does, so it gives up after 2 s and is tried again
-- later. The service calls this at start and every hour.
create function :service.maintain_outbox() returns void
language plpgsql security definer set search_path = :service, pg_temp set lock_timeout = '2s' as $$
declare
  d date;
  partition text;
  unpublished boolean;
begin
  perform pg_advisory_xact_lock(hashtext(':service.outbox'));
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
end $$;
select :service.maintain_outbox();

-- Messages that were handled: a repeat is dropped before it costs anything. No effect relies on it: rows are deleted
-- after 8 days, and every effect is unique by a key of its own.
create table :service.inbox (
  message_id uuid not null,
  constraint inbox_pkey primary key (message_id)
) with (autovacuum_vacuum_scale_factor = 0.02);

-- How often a message failed alone while the database was healthy; after five failures it is dead-lettered.
create table :service.failed_message (
  message_id uuid not null,
  type text not null,
  failures int not null,
  last_error text not null,
  last_failed_at timestamptz not null default now(),
  dead_lettered_at timestamptz,
  constraint failed_message_pkey primary key (message_id)
);

-- An Idempotency-Key and its answer, inserted in the transaction of the write that the key protects.
create table :service.idempotency (
  book_id uuid not null,
  key text not null,
  fingerprint text not null,
  operation text not null,
  resource_id text not null,
  response jsonb not null,
  created_at timestamptz not null default now(),
  constraint idempotency_pkey primary key (book_id, key)
);

grant usage on schema :service to :service;
grant select, insert, update on :service.outbox to :service;
grant execute on function :service.maintain_outbox() to :service;
grant select, insert, delete on :service.inbox to :service;
grant select, insert, update on :service.failed_message to :service;
grant select, insert, delete on :service.idempotency to :service;
