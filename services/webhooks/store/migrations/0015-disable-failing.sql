-- An endpoint that wants it is disabled when it has failed for some days.
--
--   disable_after_days  for how many days of 24 hours; null: never
--   failing_since       when the first attempt failed that none has succeeded after, on the clock of its book. Null if
--                       there is none. Counts only while the endpoint is Enabled and has disable_after_days. Not in
--                       the index, so that an update of it is a HOT update.
--
-- Runs beside instances of the previous version: attempts that they make neither begin nor end the time of failures.
alter table webhooks.endpoint
  add column disable_after_days int,
  add column failing_since timestamptz,
  add constraint endpoint_disable_after_in_range check (disable_after_days between 1 and 30);

create index endpoint_disabled_in_time on webhooks.endpoint (book_id) where disable_after_days is not null;

grant update (disable_after_days, failing_since) on webhooks.endpoint to webhooks;
