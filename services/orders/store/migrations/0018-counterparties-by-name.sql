-- The search finds counterparties by the start of their names, whatever the case. Byte order, so that a prefix is
-- a range.
-- Lock: `share` on counterparty while the index is built: none is created or changed until then.
create index counterparty_by_name_prefix on orders.counterparty
  (book_id, (casefold(name collate pg_unicode_fast) collate "C"), id) where archived_at is null;
