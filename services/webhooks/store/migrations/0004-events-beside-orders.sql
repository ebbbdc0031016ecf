-- An order numbers its changes. What the ledger tells of other things has no number of its own, but happens once for
-- each `part` of its object: a remittance for each order that pays it, each way. A row without a part is an order's.
alter table webhooks.event
  add column part text not null default '',
  drop constraint event_once_per_change,
  add constraint event_once_per_change unique (book_id, object_id, sequence, part);
