-- Counterparties that nobody pays any more: lists leave them out, and new orders can't name them.
alter table orders.counterparty
  add column archived_at timestamptz,
  add column archived_by text,
  add constraint counterparty_archived_by_somebody check ((archived_at is null) = (archived_by is null));

-- A list walks one of these, newest first, however many are archived.
create index counterparty_live on orders.counterparty (book_id, id) where archived_at is null;
create index counterparty_archived on orders.counterparty (book_id, id) where archived_at is not null;
