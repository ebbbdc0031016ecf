-- Before the ledger releases a hold as unpaid, it looks for a payment that came back (posting/kept-holds.ts).
-- Few inbound payments have an order, so the index is small.
-- Locks: inbound_payment, while its rows are read once; no payment is booked until then.
create index inbound_payment_by_order on ledger.inbound_payment (returns_order_id, book_id)
  where returns_order_id is not null;
