-- Jobs that send the deliveries of a time again. A part is what one endpoint gets: its cursors move in the transaction
-- that leases the deliveries, so a crash repeats and loses nothing.
--
-- Runs beside instances of the previous version, which don't know replays: they send and retry deliveries as before.
create table webhooks.replay (
  book_id uuid not null,
  id uuid not null,
  status text not null,
  endpoint_id uuid,
  event_types text[],
  statuses text[] not null,
  since timestamptz not null,
  until timestamptz not null,
  include_missed boolean not null,
  -- Only deliveries and events with lower ids are replayed: those that existed when the replay was made.
  below_id uuid not null,
  matched integer not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  constraint replay_pkey primary key (book_id, id),
  constraint replay_status_known check (status in ('Running', 'Done', 'Cancelled')),
  constraint replay_running_has_no_end check ((ended_at is null) = (status = 'Running'))
);
-- A book has one replay under way at a time.
create unique index replay_running on webhooks.replay (book_id) where status = 'Running';
grant select, insert on webhooks.replay to webhooks;
grant update (status, ended_at) on webhooks.replay to webhooks;

create table webhooks.replay_part (
  book_id uuid not null,
  replay_id uuid not null,
  endpoint_id uuid not null,
  -- The last delivery that was taken up.
  after_delivery uuid not null,
  -- The last event that was looked at, once all deliveries are taken up. Null if missed events are not sent.
  after_event uuid,
  deliveries_done boolean not null default false,
  is_done boolean not null default false,
  queued integer not null default 0,
  constraint replay_part_pkey primary key (book_id, replay_id, endpoint_id),
  constraint replay_part_of_replay foreign key (book_id, replay_id) references webhooks.replay (book_id, id)
);
create index replay_part_open on webhooks.replay_part (book_id, replay_id, endpoint_id) where not is_done;
grant select, insert on webhooks.replay_part to webhooks;
grant update (after_delivery, after_event, deliveries_done, is_done, queued) on webhooks.replay_part to webhooks;
