-- What a tenant can change of an endpoint, and its own limits: null where the service's settings apply.
--
--   max_attempts     HTTP requests until a delivery is dead-lettered, for deliveries that are made from then on
--   backoff_seconds  the pauses after the first failed attempt, the second …; the last one repeats
--   rate_per_second  attempts that one instance starts within a second
--
-- Runs beside instances of the previous version: they send by the service's settings alone.
alter table webhooks.endpoint
  add column max_attempts int,
  add column backoff_seconds int[],
  add column rate_per_second int,
  add constraint endpoint_attempts_in_range check (max_attempts between 1 and 10),
  add constraint endpoint_backoff_in_range check (
    cardinality(backoff_seconds) between 1 and 9
    and 1 <= all (backoff_seconds)
    and 86400 >= all (backoff_seconds)
  ),
  add constraint endpoint_rate_in_range check (rate_per_second between 1 and 1000);

grant update (url, event_types, description, metadata, max_attempts, backoff_seconds, rate_per_second)
  on webhooks.endpoint to webhooks;

-- The test of an endpoint that the newest of its secrets alone signs, at every attempt. An instance of the previous
-- version that takes over such a test signs it with all of them.
alter table webhooks.delivery add column newest_secret_only boolean not null default false;
