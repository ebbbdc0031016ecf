-- The search finds inbound payments by their exact amount, newest first. One entry for each payment that comes in,
-- and a second one if it is assigned.
-- Lock: `share` on inbound_payment while the index is built: no payment is booked until then; other postings go on.
create index inbound_payment_by_amount on ledger.inbound_payment (amount_cents, book_id, inbound_payment_id);
