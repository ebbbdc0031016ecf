-- The age of the oldest deferred event is a metric.
-- Lock: `share` on deferred_event while the index is built, a moment: the table is almost empty.
create index deferred_event_oldest on orders.deferred_event (received_at);
