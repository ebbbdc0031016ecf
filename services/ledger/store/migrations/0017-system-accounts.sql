-- The service's own accounts of a book, for `GET /v1/ledger-accounts?owner=System`: a few among any number of tenant's
-- accounts. A book opens its accounts once, so writing the index costs little; building it blocks only the opening of
-- accounts.
create index account_system on ledger.account (book_id, account_id) where class <> 'Tenant';
