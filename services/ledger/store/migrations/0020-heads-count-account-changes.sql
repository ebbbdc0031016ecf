-- The writer keeps accounts in memory from batch to batch (known-accounts.ts). They stand while the head's last sequence
-- and this number do: no journal was appended by anybody else, and no account was closed or otherwise changed.
alter table ledger.book_head add column account_changes bigint not null default 0;

create function ledger.account_change_is_counted() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  update book_head h set account_changes = h.account_changes + 1 where h.book_id = new.book_id;
  return null;
end $$;
create trigger account_change_is_counted after update on ledger.account
  for each row execute function ledger.account_change_is_counted();

-- As in 0015, with that number as of the lock.
drop function ledger.lock_books(uuid[]);
create function ledger.lock_books(in_books uuid[])
returns table (book_id uuid, last_seq bigint, account_changes bigint, state ledger.book_state)
language sql volatile security definer set search_path = ledger, pg_temp as $$
  select h.book_id, h.last_seq, h.account_changes, h.state
  from book_head h
  where h.book_id = any (in_books)
  order by h.book_id
  for update
$$;
revoke all on function ledger.lock_books(uuid[]) from public;
grant execute on function ledger.lock_books(uuid[]) to ledger;
