-- The search finds orders by the start of their payee's name where it was typed in; others are found by their
-- counterparty. Byte order, so that a prefix is a range.
-- Every change of an order writes its full indexes anew (0001): about five entries an order, 22 µs of Postgres' CPU. So
-- this one has only the phases in which an order rests. The insert of a submitted order writes no entry, its arrival at
-- the rail and its end write one each; in the moments between, the search does not find it by name.
-- Lock: `share` on payment_order while the index is built, a second or two per million rows: no order is created or
-- changed until then.
create index payment_order_by_payee on orders.payment_order
  (book_id, (casefold(counterparty_name collate pg_unicode_fast) collate "C"), id desc)
  where counterparty_id is null
    and counterparty_name is not null
    and phase in (
      'Draft', 'AwaitingApproval', 'AwaitingWindow', 'InFlight', 'AwaitingReturns', 'Completed', 'Failed', 'Returned',
      'Cancelled'
    );
