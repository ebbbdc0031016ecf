-- Endpoints can be disabled, enabled and deleted. A deleted endpoint stays as a row, because deliveries name it, and is
-- Disabled too: an instance of the previous version, which does not know `deleted_at`, sends nothing to it.

alter table webhooks.endpoint
  add column deleted_at timestamptz,
  add constraint endpoint_deleted_is_disabled check (deleted_at is null or status = 'Disabled');

-- A book's list, its maximum and every event read the endpoints that are left, however many were deleted.
create index endpoint_left_by_book on webhooks.endpoint (book_id, id) where deleted_at is null;
drop index webhooks.endpoint_by_book;

-- Cancelled: the endpoint was deleted before the receiver acknowledged the event. Reads all deliveries once.
alter table webhooks.delivery drop constraint delivery_status_known;
alter table webhooks.delivery add constraint delivery_status_known
  check (status in ('Pending', 'Retrying', 'Delivered', 'DeadLettered', 'Cancelled'));

grant update (status, deleted_at) on webhooks.endpoint to webhooks;
grant update (retires_at) on webhooks.endpoint_secret to webhooks;
