-- Returns that are of no order, and payments that their receivers sent back: inbound payments without a virtual
-- account.
--
-- A return of no order has its trace number as its bank reference, and is booked once per trace number and code. It
-- moves money in or out of Suspense by a kind of journal of its own. A payment that was sent back names its order.

alter type ledger.journal_kind add value 'UnmatchedReturn';

alter table ledger.inbound_payment
  add column returns_order_id uuid,
  add column return_code text,
  -- The trace number of the entry that was returned.
  add column original_trace text;

create unique index inbound_payment_once_per_code
  on ledger.inbound_payment (bank_reference, book_id, coalesce(return_code, ''));
drop index ledger.inbound_payment_once;

alter table ledger.inbound_payment drop constraint inbound_payment_fits_its_status;
alter table ledger.inbound_payment add constraint inbound_payment_fits_its_status check (
  case status
    when 'Attributed' then direction = 'Credit' and num_nonnulls(virtual_account_id, returns_order_id) = 1
      and ledger_account_id is not null and seq is not null and reason is null and assigned_seq is null
    when 'Suspended' then (direction = 'Credit' or return_code is not null) and ledger_account_id is null
      and seq is not null and reason is not null and assigned_seq is null
    when 'Assigned' then (direction = 'Credit' or return_code is not null) and ledger_account_id is not null
      and reason is not null and seq is not null
      and num_nulls(assigned_seq, assigned_transaction_id, assigned_by, assigned_at) = 0
    when 'Returned' then direction = 'Debit' and ledger_account_id is null and seq is null and reason is not null
      and assigned_seq is null
    else false
  end
);
alter table ledger.inbound_payment add constraint inbound_payment_return_of_no_order check (
  case
    when return_code is null then original_trace is null and (returns_order_id is null or direction = 'Credit')
    else original_trace is not null and reason = 'UnmatchedReturn' and status in ('Suspended', 'Assigned')
      and num_nonnulls(virtual_account_id, returns_order_id) = 0
  end
);

-- As in 0006, and: a return of no order has its own kind of journal, and where it took money, source and target change
-- places.
create or replace function ledger.inbound_payment_is_booked() returns trigger
language plpgsql
set search_path = ledger, pg_temp
as $$
declare
  booked boolean;
begin
  if tg_op = 'UPDATE' and (
    old.status <> 'Suspended' or new.status <> 'Assigned'
    or (new.book_id, new.inbound_payment_id, new.bank_reference, new.rail, new.direction, new.amount_cents, new.currency,
        new.originator_name, new.account_number_last4, new.reason, new.virtual_account_id, new.seq, new.occurred_at,
        new.created_at, new.returns_order_id, new.return_code, new.original_trace)
      is distinct from (old.book_id, old.inbound_payment_id, old.bank_reference, old.rail, old.direction,
        old.amount_cents, old.currency, old.originator_name, old.account_number_last4, old.reason,
        old.virtual_account_id, old.seq, old.occurred_at, old.created_at, old.returns_order_id, old.return_code,
        old.original_trace)
  ) then
    raise exception 'inbound payment % is assigned out of Suspense, once; nothing else of it changes', old.inbound_payment_id
      using errcode = 'LG001', constraint = 'inbound_payment_identity';
  end if;
  if new.status = 'Returned' then return new; end if;
  select count(*) = 1 into booked
  from journal j
  join entry debit on debit.book_id = j.book_id and debit.seq = j.seq and debit.line = 1
  join entry credit on credit.book_id = j.book_id and credit.seq = j.seq and credit.line = 2
  join account source on source.book_id = j.book_id
    and source.account_id = case new.direction when 'Credit' then debit.account_id else credit.account_id end
  join account target on target.book_id = j.book_id
    and target.account_id = case new.direction when 'Credit' then credit.account_id else debit.account_id end
  where j.book_id = new.book_id
    and j.seq = case when tg_op = 'INSERT' then new.seq else new.assigned_seq end
    and j.kind::text = case
      when tg_op = 'UPDATE' then 'Assign'
      when new.return_code is null then 'Inbound'
      else 'UnmatchedReturn'
    end
    and j.transaction_id = case when tg_op = 'INSERT' then new.inbound_payment_id else new.assigned_transaction_id end
    and j.line_count = 2
    and debit.direction = 'Debit' and debit.amount_cents = new.amount_cents and debit.currency = new.currency
    and case
      when tg_op = 'UPDATE' then source.class = 'Suspense'
      when new.rail = 'Usdc' then source.class = 'StablecoinWallet'
      else source.class = 'SettlementCash'
    end
    and case
      when new.ledger_account_id is null then target.class = 'Suspense'
      else target.account_id = new.ledger_account_id and target.class = 'Tenant'
    end;
  if not booked then
    raise exception 'inbound payment % does not agree with its journal', new.inbound_payment_id
      using errcode = 'LG017', constraint = 'inbound_payment_is_booked';
  end if;
  return new;
end $$;

-- As before, and: a return of no order moves money between the bank and Suspense. What one took is assigned to the
-- account that bears it, so an Assign goes either way.
create or replace function ledger.journals_use_their_accounts() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_nestloop = off
set enable_mergejoin = off
set jit = off
as $$
declare
  batch record;
  violation record;
begin
  for batch in
    select n.book_id, min(n.seq) as first_seq, max(n.seq) as last_seq
    from new_journal n
    where n.resolves_seq is null and n.reverses_seq is null
    group by n.book_id
  loop
    select h.seq, h.kind into violation
    from (
      select n.seq, n.kind, n.order_id is not null as ordered
      from new_journal n
      where n.book_id = batch.book_id and n.resolves_seq is null and n.reverses_seq is null
    ) h
    join (
      select e.seq, count(*) as lines,
        count(*) filter (where a.class = 'Tenant') as own,
        count(*) filter (where a.class in ('SettlementCash', 'StablecoinWallet')) as bank,
        count(*) filter (where a.class = 'Suspense') as suspense,
        count(*) filter (where a.class = 'ObligationLiability') as liability,
        count(*) filter (where a.class in ('FuelTaxExpense', 'OperatorSettlementExpense', 'ObligationExpense')) as expense,
        -- For a journal of two lines: the source and the target of the money.
        max(a.class) filter (where e.direction = 'Debit') as debited,
        max(a.class) filter (where e.direction = 'Credit') as credited
      from (
        select x.seq, x.account_id, x.direction
        from entry x
        where x.book_id = batch.book_id and x.seq between batch.first_seq and batch.last_seq
      ) e
      cross join lateral (
        select x.class
        from account x
        where x.book_id = batch.book_id and x.account_id = e.account_id
        offset 0
      ) a
      group by e.seq
    ) t on t.seq = h.seq
    where case h.kind
      when 'Hold' then case
        when not h.ordered then t.own = t.lines
        when t.lines = 2 then t.own > 0 and t.own + t.bank = 2
        else t.lines = 4 and t.own = 1 and t.bank = 1 and t.liability = 1 and t.expense = 1
      end
      when 'Post' then case
        when not h.ordered then t.own = t.lines
        else t.lines = 2 and t.suspense = 1 and t.bank = 1
      end
      when 'Inbound' then t.lines = 2 and t.bank = 1 and t.debited in ('SettlementCash', 'StablecoinWallet')
        and t.credited in ('Tenant', 'Suspense')
      when 'UnmatchedReturn' then t.lines = 2 and t.bank = 1 and t.suspense = 1
      when 'Assign' then t.lines = 2 and t.suspense = 1 and t.own = 1
      when 'Accrue' then t.lines = 2 and t.liability = 1 and t.expense = 1
      else false
    end is not true
    limit 1;
    if found then
      raise exception 'journal % of book % uses accounts that a % may not', violation.seq, batch.book_id, violation.kind
        using errcode = 'LG013', constraint = 'journal_accounts_of_its_kind';
    end if;
  end loop;
  return null;
end $$;
