-- What a kind of journal may move between. That a book balances does not say that the right accounts do: a forged Accrue
-- between two tenants' accounts would, too. What resolves or reverses has its origin's lines (0004), so only openings are
-- looked at: one probe by key for each of their entries.

create function ledger.journals_use_their_accounts() returns trigger
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
  fault record;
begin
  -- Kinds and classes as text: some came in the transaction that may run this first.
  for batch in
    select n.book_id, min(n.seq) as first_seq, max(n.seq) as last_seq
    from new_journal n
    where n.resolves_seq is null and n.reverses_seq is null
    group by n.book_id
  loop
    select h.seq, h.kind into fault
    from (
      select n.seq, n.kind::text as kind, n.order_id is not null as ordered
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
        -- What the money comes from, and where it goes, in a journal of two lines.
        max(a.class) filter (where e.direction = 'Debit') as debited,
        max(a.class) filter (where e.direction = 'Credit') as credited
      from (
        select x.seq, x.account_id, x.direction
        from entry x
        where x.book_id = batch.book_id and x.seq between batch.first_seq and batch.last_seq
      ) e
      cross join lateral (
        select x.class::text as class
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
      when 'Assign' then t.lines = 2 and t.debited = 'Suspense' and t.credited = 'Tenant'
      when 'Accrue' then t.lines = 2 and t.liability = 1 and t.expense = 1
      else false
    end is not true
    limit 1;
    if found then
      raise exception 'journal % of book % moves what a % never does', fault.seq, batch.book_id, fault.kind
        using errcode = 'LG013', constraint = 'journal_accounts_of_its_kind';
    end if;
  end loop;
  return null;
end $$;

-- Behind headers_seal_the_batch: triggers go by name.
do $$
declare
  target text;
begin
  for target in
    select c.relname from pg_class c
    where c.relnamespace = 'ledger'::regnamespace and c.relname ~ '^journal(_[0-9]+)?$' and c.relkind in ('r', 'p')
  loop
    execute format('create trigger journals_use_their_accounts after insert on ledger.%I
      referencing new table as new_journal
      for each statement execute function ledger.journals_use_their_accounts()', target);
  end loop;
end $$;
revoke all on function ledger.journals_use_their_accounts() from public;

-- As in 0004, for the kinds that can be refused and no other: with the words of 0004 an Inbound, which the bank forces,
-- had a floor too. (And since 0009 those words are the partial index's on openings, which a kept plan must not take.)
create or replace function ledger.journal_below_floor(in_book uuid, in_first bigint, in_last bigint,
  out seq bigint, out account_id uuid)
language plpgsql stable as $$
begin
  select touched.seq, touched.account_id into seq, account_id
  from (
    select distinct on (e.seq, e.account_id) e.seq, e.account_id, f.normal_balance,
      e.posted_credit - e.posted_debit as posted,
      e.held_debit - e.released_debit as open_debit,
      e.held_credit - e.released_credit as open_credit,
      total(case when e.layer = 'Posted' or e.direction = 'Debit'
        then case e.direction when 'Debit' then -e.amount_cents else e.amount_cents end else 0 end)
        over lines as moved_if_credit_normal,
      total(case when e.layer = 'Posted' or e.direction = 'Credit'
        then case e.direction when 'Credit' then -e.amount_cents else e.amount_cents end else 0 end)
        over lines as moved_if_debit_normal
    from (
      select a.account_id, a.normal_balance
      from (
        select distinct r.account_id
        from (
          select x.account_id
          from entry x
          where x.book_id = in_book and x.seq between in_first and in_last
          offset 0
        ) r
      ) t
      cross join lateral (
        select x.account_id, x.normal_balance
        from account x
        where x.book_id = in_book and x.account_id = t.account_id and x.overdraft = 'Refused'
        offset 0
      ) a
    ) f
    join entry e on e.account_id = f.account_id and e.book_id = in_book and e.seq between in_first and in_last
    join journal j on j.book_id = in_book and j.seq = e.seq and j.seq between in_first and in_last
      and j.kind in ('Hold', 'Post')
    window lines as (partition by e.seq, e.account_id)
    order by e.seq, e.account_id, e.account_version desc
  ) touched
  where case touched.normal_balance
    when 'Credit' then touched.moved_if_credit_normal < 0 and touched.posted - touched.open_debit < 0
    else touched.moved_if_debit_normal < 0 and -touched.posted - touched.open_credit < 0
  end
  limit 1;
end $$;
