-- What waits for an approver is listed without a search among all journals: the pending manual transactions of a book
-- have a row each, and proposed assignments have an index. Postgres itself inserts and deletes the rows, in the
-- transaction of their journals: the service can't. Its condition spares the journals of orders any cost.
-- Locks: `share row exclusive` on journal while the pending transactions are searched once, and `share` on
-- inbound_payment while the index is built: nothing is posted until then.
create table ledger.pending_transaction (
  book_id uuid not null,
  -- The journal that holds the money.
  seq bigint not null,
  constraint pending_transaction_pk primary key (book_id, seq)
);
alter table ledger.pending_transaction enable row level security;
create policy own_book on ledger.pending_transaction for select to ledger_reader
  using (book_id = (select current_setting('ledger.book')::uuid));
grant select on ledger.pending_transaction to ledger, ledger_reader;

-- The rows of one statement come in any order, after all of them are inserted: a hold that the same statement resolves
-- is never listed, whichever of the two comes first.
create function ledger.journal_lists_pending() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  if new.kind = 'Hold' then
    insert into pending_transaction (book_id, seq)
    select new.book_id, new.seq
    where not exists (select from journal j where j.resolves_seq = new.seq and j.book_id = new.book_id);
  else
    delete from pending_transaction p where p.book_id = new.book_id and p.seq = new.resolves_seq;
  end if;
  return null;
end $$;
revoke all on function ledger.journal_lists_pending() from public;
create trigger journal_lists_pending after insert on ledger.journal
  for each row when (new.order_id is null and new.kind in ('Hold', 'Settle', 'Release'))
  execute function ledger.journal_lists_pending();
alter table ledger.journal enable always trigger journal_lists_pending;

insert into ledger.pending_transaction (book_id, seq)
select h.book_id, h.seq
from ledger.journal h
where h.kind = 'Hold'
  and h.order_id is null
  and not exists (select from ledger.journal j where j.resolves_seq = h.seq and j.book_id = h.book_id);

create index inbound_payment_proposed on ledger.inbound_payment (book_id, inbound_payment_id)
  where status = 'Suspended' and proposed_by is not null;
