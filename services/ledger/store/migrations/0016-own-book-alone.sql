-- What answers tenants reads as `ledger_reader`: it may select, and Postgres shows it the rows of one book alone, the one
-- that its transaction names in `ledger.book` (store/read-book.ts). A query that forgets its `where book_id = …` then
-- finds nothing of others, and one that names no book fails. The service's own role writes, audits and proves all books:
-- it goes past the policies, so that no plan of the writer's changes.

-- Two migrators may meet here (two clones on one server): roles are the server's.
do $$ begin create role ledger_reader nologin; exception when duplicate_object or unique_violation then null; end $$;
grant ledger_reader to ledger with inherit false, set true;
alter role ledger bypassrls;
grant usage on schema ledger to ledger_reader;

-- For the next table too. As a scalar subquery the setting is read once a statement, not once a row.
create function ledger.show_own_book_alone(target regclass) returns void
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('create policy own_book on %s for select to ledger_reader
    using (book_id = (select current_setting(''ledger.book'')::uuid))', target);
  execute format('grant select on %s to ledger_reader', target);
end $$;
revoke all on function ledger.show_own_book_alone(regclass) from public;

-- Not: what the platform keeps for the service, what waits whole, as it came, and partitions, which nobody is granted.
do $$
declare
  target regclass;
begin
  for target in
    select c.oid::regclass
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'book_id' and not a.attisdropped
    where c.relnamespace = 'ledger'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and c.relname not in ('outbox', 'idempotency', 'held_command', 'statement_part')
  loop
    perform ledger.show_own_book_alone(target);
  end loop;
end $$;

-- What runs with its owner's rights is for whom it was granted to, not for whoever may look into the schema.
do $$
declare
  target regprocedure;
begin
  for target in
    select p.oid::regprocedure from pg_proc p where p.pronamespace = 'ledger'::regnamespace and p.prosecdef
  loop
    execute format('revoke all on function %s from public', target);
  end loop;
end $$;

-- Behind a policy an index is used only by what can't tell of other rows. `uuid_send`, which hid the book in the second
-- indexes (0001), is not known to be so; the greater of a uuid and the lowest is, and is the uuid.
drop index ledger.account_name_unique;
create unique index account_name_unique on ledger.account
  (name, greatest(book_id, '00000000-0000-0000-0000-000000000000'));
