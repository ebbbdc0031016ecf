-- Endpoints and their secrets, events and their renderings, deliveries and attempts, test sinks.
-- Ids are UUIDv7 made by the service, so an index on (book_id, id), read backwards, lists newest first.

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

-- Encrypted with AES-256-GCM. The plaintext leaves the service only in the response that creates the endpoint.
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

-- A public event, with the data of its message: any version of the API can be rendered from it later.
--   id          the id of the message
--   change_key  with sequence, identifies one change of the object. An order numbers its changes and leaves it empty.
--               A remittance has one per event type and paying order. The inbox detects only a repeated message id;
--               event_once_per_change also refuses the same change under another id.
create table webhooks.event (
  id uuid not null,
  book_id uuid not null,
  type text not null,
  object_id text not null,
  sequence int not null,
  change_key text not null default '',
  payload jsonb not null,
  created_at timestamptz not null,
  constraint event_pkey primary key (id),
  constraint event_once_per_change unique (book_id, object_id, sequence, change_key)
);
create index event_by_book on webhooks.event (book_id, id);

-- The body of an event in a version of the API, rendered once: every attempt sends these bytes. Never updated (no
-- grant). The tables from here to attempt have no foreign keys on purpose: only the statements in store/ write them,
-- each row is written in the transaction of its parent or after reading it, and nothing is deleted. A key check per row
-- would cost more than the row.
create table webhooks.rendering (
  event_id uuid not null,
  api_version text not null,
  body text not null,
  constraint rendering_pkey primary key (event_id, api_version)
);

-- One event for one endpoint.
--   next_attempt_at  for its owner: when the next attempt is due, or null if none follows
--   claimable_at     for instances: from when any instance may claim it. While it is leased this is the end of the
--                    lease, so that another instance takes over the deliveries of a crashed one.
--   lease_id         the latest lease: a failed attempt under an older one does not change the delivery.
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

-- Every filter of the list of deliveries reads by an index (query-deliveries.plans.db.spec.ts, 100,000 rows): one range
-- for each type and status (44 without a filter), each newest first, merged. A delivery is written twice, or three
-- times if it is claimed. Each write changes an indexed column, so each index gets two or three entries: some 10 µs,
-- where the HTTP request costs 300. An index of what is not Delivered would cost less, but would serve no filter by
-- type and no quiet endpoint.
create index delivery_by_book on webhooks.delivery (book_id, id);
create index delivery_by_kind on webhooks.delivery (book_id, event_type, status, id);
create index delivery_by_endpoint on webhooks.delivery (book_id, endpoint_id, event_type, status, id);

-- Open deliveries only, so that it stays small however many were delivered. By endpoint first, so that a claim takes a
-- few of each endpoint and a long backlog does not delay the others.
create index delivery_open on webhooks.delivery (endpoint_id, claimable_at) where claimable_at is not null;

-- One HTTP request and its response. Never updated, never deleted (no grant).
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

-- A receiver for tests: stores requests, answers as scripted.
create table webhooks.test_sink (
  id uuid not null,
  book_id uuid not null,
  respond int[] not null,
  delay_ms int not null,
  received int not null,
  created_at timestamptz not null,
  constraint test_sink_pkey primary key (id)
) with (fillfactor = 50);

-- number counts a sink's requests from 1. Only the newest 1,000 are stored.
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
