-- Books whose orders that wait at the hand-off gate are made due a batch at a time: all in one statement took longer
-- than a request or a message may, once a book had tens of thousands of them.
create table orders.gate_recheck (
  book_id uuid not null,
  -- The orders with higher ids are not due yet.
  after_id uuid not null,
  constraint gate_recheck_pkey primary key (book_id)
);
grant select, insert, update, delete on orders.gate_recheck to orders;
