-- In a book with a clock of its own, an order that waits for its approvals, its window, its rail or returns is due at a
-- time of that clock, and due_at is null. Other books have no such rows, so the index costs them nothing.
alter table orders.payment_order add column due_at_in_book timestamptz;
create index payment_order_due_in_book on orders.payment_order (book_id, due_at_in_book)
  where due_at_in_book is not null;
