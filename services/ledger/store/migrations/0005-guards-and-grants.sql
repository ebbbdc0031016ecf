-- Who may do what. Append-only holds for everybody who speaks SQL, a superuser too; the service's role may only insert
-- and select, and only through the parents of partitions.

create function ledger.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'append-only: % on %.% is refused', lower(tg_op), tg_table_schema, tg_table_name
    using errcode = 'LG001', constraint = 'append_only';
end $$;

create function ledger.refuse_direct_write() returns trigger language plpgsql as $$
begin
  raise exception 'derived: % on %.% is refused, only entries move it', lower(tg_op), tg_table_schema, tg_table_name
    using errcode = 'LG001', constraint = 'derived_by_trigger_only';
end $$;

-- An account keeps what entries and people know it by.
create function ledger.refuse_new_identity() returns trigger language plpgsql as $$
begin
  if (new.book_id, new.account_id, new.name, new.currency, new.normal_balance, new.class, new.created_at)
    is distinct from (old.book_id, old.account_id, old.name, old.currency, old.normal_balance, old.class, old.created_at)
  then
    raise exception 'name, currency, normal balance and class of an account never change'
      using errcode = 'LG001', constraint = 'account_identity';
  end if;
  return new;
end $$;
create trigger account_identity before update on ledger.account
  for each row execute function ledger.refuse_new_identity();

do $$
declare
  target text;
begin
  foreach target in array array['journal', 'entry', 'command', 'seal', 'book'] loop
    execute format('create trigger append_only before update or delete on ledger.%I
      for each row execute function ledger.refuse_change()', target);
  end loop;
  foreach target in array array['account', 'account_balance', 'class_total', 'book_head'] loop
    execute format('create trigger never_deleted before delete on ledger.%I
      for each row execute function ledger.refuse_change()', target);
  end loop;
  -- Depth 0 means that nobody's trigger is at work: a person or a service wrote it by hand.
  foreach target in array array['account_balance', 'class_total', 'book_head', 'seal'] loop
    execute format('create trigger derived_by_trigger_only before insert or update on ledger.%I
      for each row when (pg_trigger_depth() = 0) execute function ledger.refuse_direct_write()', target);
  end loop;
  -- Statement triggers of a parent do not fire for an insert straight into a partition: each has its own.
  for target in
    select c.relname from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'ledger' and c.relname ~ '^(journal|entry)(_[0-9]+)?$' and c.relkind in ('r', 'p')
  loop
    execute format('create trigger never_truncated before truncate on ledger.%I
      for each statement execute function ledger.refuse_change()', target);
    if target like 'entry%' then
      execute format('create trigger entries_move_balances after insert on ledger.%I
        referencing new table as new_entry
        for each statement execute function ledger.entries_move_balances()', target);
    else
      execute format('create trigger headers_seal_the_batch after insert on ledger.%I
        referencing new table as new_journal
        for each statement execute function ledger.headers_seal_the_batch()', target);
    end if;
  end loop;
  foreach target in array array['command', 'seal', 'book', 'account', 'account_balance', 'class_total', 'book_head'] loop
    execute format('create trigger never_truncated before truncate on ledger.%I
      for each statement execute function ledger.refuse_change()', target);
  end loop;
end $$;

-- A role without UPDATE can't `select … for update`: the service locks heads through this, in book order.
create function ledger.lock_books(in_books uuid[])
returns table (book_id uuid, last_seq bigint)
language sql volatile security definer set search_path = ledger, pg_temp as $$
  select h.book_id, h.last_seq
  from book_head h
  where h.book_id = any (in_books)
  order by h.book_id
  for update
$$;

revoke all on function ledger.lock_books(uuid[]) from public;
grant usage on schema ledger to ledger;
grant execute on function ledger.lock_books(uuid[]) to ledger;
grant select, insert on ledger.book, ledger.account, ledger.journal, ledger.entry, ledger.command to ledger;
grant select on ledger.book_head, ledger.account_balance, ledger.class_total, ledger.seal to ledger;
