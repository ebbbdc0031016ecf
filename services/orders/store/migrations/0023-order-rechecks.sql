-- Books of which some orders are gone through a batch at a time, as with gate_recheck: all in one statement took longer
-- than a request may, once a book had tens of thousands of them. A table of its own: orders of the version before would
-- delete the rows of every kind from gate_recheck.
create table orders.order_recheck (
  book_id uuid not null,
  -- What has changed about the book (rechecks/store/rechecks.ts).
  kind text not null,
  -- The orders with higher ids are still to come.
  after_id uuid not null,
  constraint order_recheck_pkey primary key (book_id, kind)
);
grant select, insert, update, delete on orders.order_recheck to orders;
