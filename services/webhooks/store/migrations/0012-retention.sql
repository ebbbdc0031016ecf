-- Deliveries with their attempts, and events with their renderings, are deleted when their time is over (retention/).
--
-- dropped_change has the changes whose events were deleted: a message that reports one of them again makes no second
-- event. Its rows are kept permanently.
--
-- Runs beside instances of the previous version. They delete nothing, and do not read dropped_change: until they are
-- gone, a change that is repeated after its event was deleted becomes an event again.
create table webhooks.dropped_change (
  book_id uuid not null,
  object_id text not null,
  sequence int not null,
  change_key text not null,
  constraint dropped_change_pkey primary key (book_id, object_id, sequence, change_key)
);
grant select, insert on webhooks.dropped_change to webhooks;

grant delete on webhooks.event, webhooks.rendering, webhooks.delivery, webhooks.attempt to webhooks;
