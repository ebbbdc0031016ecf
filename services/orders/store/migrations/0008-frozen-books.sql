-- What the ledger last said of a book: while it is frozen nothing is created in it and nothing handed off. `frozen_version`
-- is the number of the ledger's word, for events may come in any order.
alter table orders.book_status
  add column frozen boolean not null default false,
  add column frozen_version int not null default 0;
