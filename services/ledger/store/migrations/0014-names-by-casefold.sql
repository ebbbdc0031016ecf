-- Two accounts of a book whose names differ in case, spaces or composition alone pass for one. New names are compared
-- by this key. The index is not unique: names that exist stay valid. Lock: `share` on account while the index is built,
-- so no account is created until then; postings go on.

create function ledger.name_key(name text) returns text
language sql immutable strict parallel safe
as $body$
  select casefold(
    normalize(btrim(regexp_replace(name collate pg_unicode_fast, '\s+', ' ', 'g'))) collate pg_unicode_fast
  )
$body$;

-- The book comes second, in the form that its readers' filter has (0001-books.sql).
create index account_by_name_key on ledger.account
  (ledger.name_key(name), (greatest(book_id, '00000000-0000-0000-0000-000000000000'::uuid)));
