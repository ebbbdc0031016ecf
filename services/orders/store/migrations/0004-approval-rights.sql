-- Who has lost the right to approve, or will: the gateway owns keys, and publishes it. Whoever has no row holds it.
create table orders.approval_right (
  book_id uuid not null,
  principal text not null,
  -- The principal's count of its changes: an older event changes nothing.
  sequence integer not null,
  -- Null: no end. In the past: lost.
  held_until timestamptz,
  constraint approval_right_pkey primary key (book_id, principal)
);
grant select, insert, update on orders.approval_right to orders;
