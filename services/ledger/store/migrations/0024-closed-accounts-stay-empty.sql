-- 0008, and a closed account takes no entry of any kind: what the bank still brings for it goes to Suspense, and what was
-- held on it kept it open (0010). The account's row is read here anyway. LG012 `entry_account_closed`.

create or replace function ledger.entries_move_balances() returns trigger
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

  -- Each row less its own amount must be the row before it; an account's first row, the stored balance. Accounts are
  -- looked up one by one (lateral, offset 0): a join would let the planner scan all that there are.
  with step as (
    select n.*,
      lag(n.account_version) over lines as p_version,
      lag(n.seq * 1000 + n.line) over lines as p_place,
      lag(n.held_debit) over lines as p_held_debit,
      lag(n.held_credit) over lines as p_held_credit,
      lag(n.released_debit) over lines as p_released_debit,
      lag(n.released_credit) over lines as p_released_credit,
      lag(n.posted_debit) over lines as p_posted_debit,
      lag(n.posted_credit) over lines as p_posted_credit,
      lead(n.account_version) over lines is null as last
    from new_entry n
    window lines as (partition by n.book_id, n.account_id order by n.account_version)
  ), looked_up as materialized (
    select s.*,
      a.currency as a_currency, a.class, a.normal_balance, a.closed_at is not null as a_closed,
      coalesce(s.p_version, b.version) as b_version,
      coalesce(s.p_place, b.last_seq * 1000 + 999) as b_place,
      coalesce(s.p_held_debit, b.held_debit) as b_held_debit,
      coalesce(s.p_held_credit, b.held_credit) as b_held_credit,
      coalesce(s.p_released_debit, b.released_debit) as b_released_debit,
      coalesce(s.p_released_credit, b.released_credit) as b_released_credit,
      coalesce(s.p_posted_debit, b.posted_debit) as b_posted_debit,
      coalesce(s.p_posted_credit, b.posted_credit) as b_posted_credit
    from step s
    left join lateral (
      select x.*
      from account_balance x
      where s.p_version is null and x.book_id = s.book_id and x.account_id = s.account_id
      offset 0
    ) b on true
    left join lateral (
      select x.currency, x.class, x.normal_balance, x.closed_at
      from account x
      where x.book_id = s.book_id and x.account_id = s.account_id
      offset 0
    ) a on true
  ), moved as (
    select l.book_id, l.class, l.normal_balance, l.a_currency,
      total(l.held_debit - l.b_held_debit) as held_debit,
      total(l.held_credit - l.b_held_credit) as held_credit,
      total(l.released_debit - l.b_released_debit) as released_debit,
      total(l.released_credit - l.b_released_credit) as released_credit,
      total(l.posted_debit - l.b_posted_debit) as posted_debit,
      total(l.posted_credit - l.b_posted_credit) as posted_credit
    from looked_up l
    group by l.book_id, l.class, l.normal_balance, l.a_currency
  ), balances as (
    update account_balance b
    set version = l.account_version, last_seq = l.seq,
      held_debit = l.held_debit, held_credit = l.held_credit,
      released_debit = l.released_debit, released_credit = l.released_credit,
      posted_debit = l.posted_debit, posted_credit = l.posted_credit
    from looked_up l
    where l.last and b.book_id = l.book_id and b.account_id = l.account_id
  ), totals as (
    update class_total t
    set held_debit = t.held_debit + m.held_debit, held_credit = t.held_credit + m.held_credit,
      released_debit = t.released_debit + m.released_debit, released_credit = t.released_credit + m.released_credit,
      posted_debit = t.posted_debit + m.posted_debit, posted_credit = t.posted_credit + m.posted_credit
    from moved m
    where t.book_id = m.book_id and t.class = m.class
      and t.normal_balance = m.normal_balance and t.currency = m.a_currency
  )
  select l.account_id, l.seq, l.line, l.a_currency is not distinct from l.currency as belongs, l.a_closed as closed
  into wrong
  from looked_up l
  where l.a_currency is distinct from l.currency
    or l.a_closed
    or l.account_version - 1 is distinct from l.b_version
    or l.b_place >= l.seq * 1000 + l.line
    or l.held_debit - l.b_held_debit is distinct from
      case when l.layer = 'Pending' and l.role = 'Normal' and l.direction = 'Debit' then l.amount_cents else 0 end
    or l.held_credit - l.b_held_credit is distinct from
      case when l.layer = 'Pending' and l.role = 'Normal' and l.direction = 'Credit' then l.amount_cents else 0 end
    or l.released_debit - l.b_released_debit is distinct from
      case when l.role = 'Discharge' and l.direction = 'Credit' then l.amount_cents else 0 end
    or l.released_credit - l.b_released_credit is distinct from
      case when l.role = 'Discharge' and l.direction = 'Debit' then l.amount_cents else 0 end
    or l.posted_debit - l.b_posted_debit is distinct from
      case when l.layer = 'Posted' and l.direction = 'Debit' then l.amount_cents else 0 end
    or l.posted_credit - l.b_posted_credit is distinct from
      case when l.layer = 'Posted' and l.direction = 'Credit' then l.amount_cents else 0 end
  limit 1;
  if found and not wrong.belongs then
    raise exception 'journal % line %: book has no account % in that currency', wrong.seq, wrong.line, wrong.account_id
      using errcode = 'LG011', constraint = 'entry_account_currency';
  elsif found and wrong.closed then
    raise exception 'journal % line %: account % is closed', wrong.seq, wrong.line, wrong.account_id
      using errcode = 'LG012', constraint = 'entry_account_closed';
  elsif found then
    raise exception 'running totals of account % differ at journal % line %', wrong.account_id, wrong.seq, wrong.line
      using errcode = 'LG003', constraint = 'entry_running_totals';
  end if;

  update book_head h
  set entered_seq = n.last_seq
  from (select book_id, max(seq) as last_seq from new_entry group by book_id) n
  where h.book_id = n.book_id;
  return null;
end $$;
