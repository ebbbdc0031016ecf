-- The list of orders by the time at which their approval was decided.
-- Lock: `share` on payment_order while the index is built, a second or two per million rows: no order is written until
-- then. An order that needed no approval has no entry. Orders that were decided before have none either.

-- Immutable, as an index needs it: the text is always in UTC, so no setting of a session changes what it means.
create function orders.decided_at(progress jsonb) returns timestamptz
language sql immutable parallel safe
return (progress #>> '{approvals,decision,decidedAt}')::timestamptz;

create index payment_order_by_decision on orders.payment_order (book_id, orders.decided_at(progress), id)
  where (progress #>> '{approvals,decision,decidedAt}') is not null;
