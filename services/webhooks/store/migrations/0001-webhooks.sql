-- Endpoints and their secrets, events and their renderings, deliveries and attempts, sinks.
-- Ids are UUIDv7 made by the service: a list "newest first" is a walk down the primary key or (book_id, id).

create table webhooks.endpoint (
  id uuid not null,
  book_id uuid not null,
  mode text not null,
  url text not null,
  event_types text[] not null,
  description text,
  metadata jsonb not null,
  api_version text not null,
  status text not null,
  created_at timestamptz not null,
  constraint endpoint_pkey primary key (id),
  constraint endpoint_mode_known check (mode in ('Test', 'Live')),
  constraint endpoint_status_known check (status in ('Enabled', 'Disabled')),
  constraint endpoint_live_is_https check (mode = 'Test' or url like 'https://%')
);
create index endpoint_by_book on webhooks.endpoint (book_id, id);

-- Sealed (AES-256-GCM); the clear text leaves the service once, in the answer that creates it.
create table webhooks.endpoint_secret (
  endpoint_id uuid not null,
  version int not null,
  key_id text not null,
  ciphertext text not null,
  created_at timestamptz not null,
  retires_at timestamptz,
  constraint endpoint_secret_pkey primary key (endpoint_id, version),
  constraint endpoint_secret_of_endpoint foreign key (endpoint_id) references webhooks.endpoint (id)
);

-- A public event, kept as it was told, so that a version of the API can render it whenever it is first wanted.
-- id is the message's: a message that comes twice is one event.
create table webhooks.event (
  id uuid not null,
  book_id uuid not null,
  type text not null,
  object_id text not null,
  sequence int not null,
  data jsonb not null,
  created_at timestamptz not null,
  constraint event_pkey primary key (id)
);
create index event_by_book on webhooks.event (book_id, id);

-- The bytes of an event in a version of the API, rendered once: every attempt sends these. Never updated (no grant).
-- The tables from here to attempt have no foreign keys on purpose: the only writers are the statements in
-- store/, each row is written in the transaction of its parent or after reading it, nothing here is deleted,
-- and a key check per row on this path costs more than the row.
create table webhooks.rendering (
  event_id uuid not null,
  api_version text not null,
  body text not null,
  constraint rendering_pkey primary key (event_id, api_version)
);

-- One event on its way to one endpoint.
--   next_attempt_at  what its owner reads: when the next attempt is due; null when none will follow
--   claimable_at     what instances read: from when any of them may take it. While one has it in hand this is the end
--                    of its lease, so a crashed instance's deliveries are taken over without anybody noticing the crash.
--   lease_id         the latest claim: a result under an older one no longer decides.
create table webhooks.delivery (
  id uuid not null,
  book_id uuid not null,
  event_id uuid not null,
  endpoint_id uuid not null,
  event_type text not null,
  api_version text not null,
  status text not null,
  attempt_count int not null,
  attempts_allowed int not null,
  next_attempt_at timestamptz,
  claimable_at timestamptz,
  lease_id uuid,
  acknowledged_at timestamptz,
  created_at timestamptz not null,
  constraint delivery_pkey primary key (id),
  constraint delivery_once_per_event_and_endpoint unique (event_id, endpoint_id),
  constraint delivery_status_known check (status in ('Pending', 'Retrying', 'Delivered', 'DeadLettered')),
  constraint delivery_open_is_claimable check ((status in ('Pending', 'Retrying')) = (claimable_at is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
create index delivery_by_book on webhooks.delivery (book_id, id);
-- Only what is open, so it stays small however many were delivered. By endpoint first: the claim takes a little from
-- each, and a receiver with a long backlog can't stand before the others.
create index delivery_open on webhooks.delivery (endpoint_id, claimable_at) where claimable_at is not null;

-- One HTTP request and what came of it. Never updated, never deleted (no grant).
create table webhooks.attempt (
  delivery_id uuid not null,
  id uuid not null,
  at timestamptz not null,
  duration_ms int not null,
  response_status int,
  response_body text,
  error text,
  constraint attempt_pkey primary key (delivery_id, id)
);

-- A receiver for tests: records what comes, answers as it is told.
create table webhooks.test_sink (
  id uuid not null,
  book_id uuid not null,
  respond int[] not null,
  delay_ms int not null,
  received int not null,
  created_at timestamptz not null,
  constraint test_sink_pkey primary key (id)
) with (fillfactor = 50);

-- number counts a sink's requests from 1; only the newest 1,000 are kept.
create table webhooks.test_sink_request (
  sink_id uuid not null,
  number int not null,
  received_at timestamptz not null,
  headers jsonb not null,
  body bytea not null,
  verified_by uuid,
  responded_status int not null,
  constraint test_sink_request_pkey primary key (sink_id, number),
  constraint test_sink_request_of_sink foreign key (sink_id) references webhooks.test_sink (id)
);

grant select, insert on webhooks.endpoint to webhooks;
grant select, insert on webhooks.endpoint_secret to webhooks;
grant select, insert on webhooks.event to webhooks;
grant select, insert on webhooks.rendering to webhooks;
grant select, insert, update on webhooks.delivery to webhooks;
grant select, insert on webhooks.attempt to webhooks;
grant select, insert, update on webhooks.test_sink to webhooks;
grant select, insert, delete on webhooks.test_sink_request to webhooks;
