-- The search finds the tenant's accounts and virtual accounts by the start of their names, by the key that tells
-- whether two names pass for one. Byte order, so that a prefix is a range.
-- Lock: `share` on both tables while the index is built: none is created or changed until then; postings go on.
create index account_by_name_prefix on ledger.account
  (book_id, (ledger.name_key(name) collate "C"), account_id) where class = 'Tenant';
create index virtual_account_by_name_prefix on ledger.virtual_account
  (greatest(book_id, '00000000-0000-0000-0000-000000000000'), (ledger.name_key(name) collate "C"), virtual_account_id);
