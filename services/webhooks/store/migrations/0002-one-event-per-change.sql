-- A sender that crashed may say a change again under a fresh message id. The inbox knows messages only; what a receiver must
-- get once is the change: the object's own number for it.
alter table webhooks.event
  add constraint event_once_per_change unique (book_id, object_id, sequence);
