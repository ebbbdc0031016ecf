-- The second computation: entries arrive with the running totals that the writer claims; the database works out the
-- same from the stored balances, refuses a difference, and moves the balances itself. The service can't write them.
-- Plans must not hang on statistics (a new database has none): what the batch needs of a big table is one index probe a
-- row, so the planner gets no other kind of join, and plans once (planning each batch anew costs 2 ms of it).
-- Locks: the heads of the books in book order (the writer holds them already; raw SQL gets them here).

create function ledger.entries_move_balances() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  late record;
  wrong record;
begin
  for late in
    select h.last_seq, n.first_seq, h.book_id
    from (select book_id, min(seq) as first_seq from new_entry group by book_id) n
    join book_head h on h.book_id = n.book_id
    order by h.book_id
    for update of h
  loop
    if late.first_seq <= late.last_seq then
      raise exception 'entries of journal % come late: book % is sealed up to %',
        late.first_seq, late.book_id, late.last_seq
        using errcode = 'LG002', constraint = 'entry_before_header';
    end if;
  end loop;

  -- Each row less its own amount must be the row before it; an account's first row, the stored balance.
  select s.account_id, s.seq, s.line into wrong
  from (
    select n.book_id, n.account_id, n.seq, n.line,
      n.account_version - 1 as version,
      n.held_debit - case when n.layer = 'Pending' and n.role = 'Normal' and n.direction = 'Debit'
        then n.amount_cents else 0 end as held_debit,
      n.held_credit - case when n.layer = 'Pending' and n.role = 'Normal' and n.direction = 'Credit'
        then n.amount_cents else 0 end as held_credit,
      n.released_debit - case when n.role = 'Discharge' and n.direction = 'Credit'
        then n.amount_cents else 0 end as released_debit,
      n.released_credit - case when n.role = 'Discharge' and n.direction = 'Debit'
        then n.amount_cents else 0 end as released_credit,
      n.posted_debit - case when n.layer = 'Posted' and n.direction = 'Debit'
        then n.amount_cents else 0 end as posted_debit,
      n.posted_credit - case when n.layer = 'Posted' and n.direction = 'Credit'
        then n.amount_cents else 0 end as posted_credit,
      lag(n.account_version) over account as p_version,
      lag(n.seq * 1000 + n.line) over account as p_place,
      lag(n.held_debit) over account as p_held_debit,
      lag(n.held_credit) over account as p_held_credit,
      lag(n.released_debit) over account as p_released_debit,
      lag(n.released_credit) over account as p_released_credit,
      lag(n.posted_debit) over account as p_posted_debit,
      lag(n.posted_credit) over account as p_posted_credit
    from new_entry n
    window account as (partition by n.book_id, n.account_id order by n.account_version)
  ) s
  left join lateral (
    select b.*
    from account_balance b
    where s.p_version is null and b.book_id = s.book_id and b.account_id = s.account_id
    offset 0
  ) b on true
  where s.version is distinct from coalesce(s.p_version, b.version)
    or s.held_debit is distinct from coalesce(s.p_held_debit, b.held_debit)
    or s.held_credit is distinct from coalesce(s.p_held_credit, b.held_credit)
    or s.released_debit is distinct from coalesce(s.p_released_debit, b.released_debit)
    or s.released_credit is distinct from coalesce(s.p_released_credit, b.released_credit)
    or s.posted_debit is distinct from coalesce(s.p_posted_debit, b.posted_debit)
    or s.posted_credit is distinct from coalesce(s.p_posted_credit, b.posted_credit)
    or coalesce(s.p_place, b.last_seq * 1000 + 999) >= s.seq * 1000 + s.line
  limit 1;
  if found then
    raise exception 'running totals of account % differ at journal % line %', wrong.account_id, wrong.seq, wrong.line
      using errcode = 'LG003', constraint = 'entry_running_totals';
  end if;

  -- Accounts are looked up one by one (lateral, offset 0): a join would let the planner scan every balance there is.
  with last as materialized (
    select distinct on (n.book_id, n.account_id) n.*
    from new_entry n
    order by n.book_id, n.account_id, n.account_version desc
  ), moved as materialized (
    select l.book_id, a.class, a.normal_balance, a.currency,
      total(l.held_debit - b.held_debit) as held_debit,
      total(l.held_credit - b.held_credit) as held_credit,
      total(l.released_debit - b.released_debit) as released_debit,
      total(l.released_credit - b.released_credit) as released_credit,
      total(l.posted_debit - b.posted_debit) as posted_debit,
      total(l.posted_credit - b.posted_credit) as posted_credit
    from last l
    cross join lateral (
      select * from account_balance x where x.book_id = l.book_id and x.account_id = l.account_id offset 0
    ) b
    cross join lateral (
      select * from account x where x.book_id = l.book_id and x.account_id = l.account_id offset 0
    ) a
    group by l.book_id, a.class, a.normal_balance, a.currency
  ), balances as (
    update account_balance b
    set version = l.account_version, last_seq = l.seq,
      held_debit = l.held_debit, held_credit = l.held_credit,
      released_debit = l.released_debit, released_credit = l.released_credit,
      posted_debit = l.posted_debit, posted_credit = l.posted_credit
    from last l
    where b.book_id = l.book_id and b.account_id = l.account_id
  )
  update class_total t
  set held_debit = t.held_debit + m.held_debit, held_credit = t.held_credit + m.held_credit,
    released_debit = t.released_debit + m.released_debit, released_credit = t.released_credit + m.released_credit,
    posted_debit = t.posted_debit + m.posted_debit, posted_credit = t.posted_credit + m.posted_credit
  from moved m
  where t.book_id = m.book_id and t.class = m.class
    and t.normal_balance = m.normal_balance and t.currency = m.currency;

  update book_head h
  set entered_seq = n.last_seq
  from (select book_id, max(seq) as last_seq from new_entry group by book_id) n
  where h.book_id = n.book_id;
  return null;
end $$;
