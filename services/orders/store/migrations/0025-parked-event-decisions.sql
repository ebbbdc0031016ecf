-- An operator records what was decided about a parked event (`npm run orders -- decide`), so that the list of parked
-- events shows those that are still to be decided. Orders only counts them. Locks: none but that of the new table, and
-- `share row exclusive` on parked_event for a moment, because of the foreign key.
create table orders.parked_event_decision (
  message_id uuid not null,
  actor text not null,
  reason text not null,
  decided_at timestamptz not null default clock_timestamp(),
  constraint parked_event_decision_pkey primary key (message_id),
  constraint parked_event_decision_event foreign key (message_id) references orders.parked_event (message_id),
  constraint parked_event_decision_reason_given check (reason <> '' and actor <> '')
);
grant select on orders.parked_event_decision to orders;
