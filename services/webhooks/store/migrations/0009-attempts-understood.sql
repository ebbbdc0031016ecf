-- Why an attempt failed and how long its phases took, and an index of open deliveries that tells first attempts from
-- retries, so that a backlog of one kind does not hide the other.
--
-- Runs beside instances of the previous version: their attempts have no class and no phases, and their claims read the
-- new index by endpoint alone, which is slower for a long backlog until they are gone. Reads all deliveries once.

alter table webhooks.attempt
  add column error_class text,
  add column dns_ms int,
  add column connect_ms int,
  add column tls_ms int,
  add column first_byte_ms int;

-- By endpoint first, so that a claim takes a few of each and a long backlog does not delay the others. Every open
-- delivery is filed as Pending, before its first attempt, or as Retrying.
create index delivery_open_by_status on webhooks.delivery (endpoint_id, filed_status, claimable_at)
  where claimable_at is not null;
drop index webhooks.delivery_open;
