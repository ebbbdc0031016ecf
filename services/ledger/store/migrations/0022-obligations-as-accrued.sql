-- What an obligation was fixed at is the sum of its Accrue journals: 0013 only bounds it by what is outstanding. And the
-- service may change of an obligation what its life changes, no more.

revoke update on ledger.obligation from ledger;
grant update (status, reference, jurisdiction, period, payee_counterparty_id, lines, fixed_cents, payment_order_id,
  remittance_cents, remittance_rail, funding_account_id, asked, ask_due_at, steps, updated_at)
  on ledger.obligation to ledger;

-- Reads the entries of one liability: its accruals, and a few of each order that pays it.
create function ledger.refuse_unless_accrued(in_book uuid, in_obligation uuid) returns void
language plpgsql
-- Not by a plan from when the tables were small.
set enable_seqscan = off
as $$
declare
  accrued bigint;
  fixed bigint;
begin
  select coalesce(sum(case e.direction when 'Credit' then e.amount_cents else -e.amount_cents end), 0) into accrued
  from (select * from entry x where x.book_id = in_book and x.account_id = in_obligation offset 0) e
  cross join lateral (
    select from journal x where x.book_id = in_book and x.seq = e.seq and x.kind::text = 'Accrue' offset 0
  ) j;
  select o.fixed_cents into fixed from obligation o where o.book_id = in_book and o.obligation_id = in_obligation;
  if fixed is distinct from accrued then
    raise exception 'obligation % of book % is fixed at % cents, and % are accrued', in_obligation, in_book, fixed, accrued
      using errcode = 'LG040', constraint = 'obligation_fixed_as_accrued';
  end if;
end $$;
revoke all on function ledger.refuse_unless_accrued(uuid, uuid) from public;

-- Fires on the row, which is written behind its journal.
create function ledger.obligation_was_accrued() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  if tg_op = 'INSERT' or new.fixed_cents <> old.fixed_cents then
    perform refuse_unless_accrued(new.book_id, new.obligation_id);
  end if;
  return null;
end $$;
create trigger obligation_was_accrued after insert or update on ledger.obligation
  for each row execute function ledger.obligation_was_accrued();

-- And at the commit of an accrual, by when its obligation's row must say the same.
create function ledger.accrual_is_of_an_obligation() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  perform refuse_unless_accrued(new.book_id, e.account_id)
  from entry e
  cross join lateral (
    select from account x
    where x.book_id = e.book_id and x.account_id = e.account_id and x.class = 'ObligationLiability'
    offset 0
  ) a
  where e.book_id = new.book_id and e.seq = new.seq;
  return null;
end $$;
create constraint trigger accrual_is_of_an_obligation after insert on ledger.journal
  deferrable initially deferred
  for each row when (new.kind::text = 'Accrue') execute function ledger.accrual_is_of_an_obligation();
revoke all on function ledger.obligation_was_accrued(), ledger.accrual_is_of_an_obligation() from public;
