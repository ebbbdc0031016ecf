-- The second computation of every balance. Entries arrive with the running totals that the writer claims. The
-- database computes the same from the stored balances, refuses a difference, and moves the balances itself: the
-- service can't write them.
-- Plans must not depend on statistics (a new database has none). A batch probes an index of each big table once per
-- row. The settings below forbid every other join and keep one plan: planning each batch costs 2 ms.
-- Locks: the heads of the books in book order (the writer holds them already; raw SQL takes them here).

-- A book starts with a head hash of its own: the chains of two books never meet.
create function ledger.book_creates_head() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  insert into book_head (book_id, head_hash)
  values (new.book_id, sha256(convert_to('quittance.ledger.book.v1' || chr(10) || new.book_id, 'UTF8')));
  return null;
end $$;
create trigger book_creates_head after insert on ledger.book
  for each row execute function ledger.book_creates_head();

-- Created with the book, so that no worker inserts it.
create function ledger.book_creates_audit() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  insert into audit (book_id) values (new.book_id);
  return null;
end $$;
create trigger book_creates_audit after insert on ledger.book
  for each row execute function ledger.book_creates_audit();

-- An account opens at zero. The service can't insert a balance.
create function ledger.account_opens_at_zero() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  insert into account_balance (book_id, account_id) values (new.book_id, new.account_id);
  insert into class_total (book_id, class, normal_balance, currency)
  values (new.book_id, new.class, new.normal_balance, new.currency)
  on conflict on constraint class_total_pk do nothing;
  return null;
end $$;
create trigger account_opens_at_zero after insert on ledger.account
  for each row execute function ledger.account_opens_at_zero();

-- Raises LG002 entry_before_header, LG003 entry_running_totals, LG011 entry_account_currency and LG012
-- entry_account_closed: a closed account takes no entry of any kind. Money that the bank still sends for it goes to
-- Suspense, and an open hold kept it from closing (account_closes_empty, 0006).
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
      raise exception 'entries of journal % are late: the journals of book % are complete up to %',
        late.first_seq, late.book_id, late.last_seq
        using errcode = 'LG002', constraint = 'entry_before_header';
    end if;
  end loop;

  -- Each row minus its own amount must equal the account's row before it; the first one, the stored balance. Accounts
  -- are looked up one by one (lateral, offset 0): a join would let the planner scan the whole table.
  with step as (
    select n.*,
      lag(n.account_version) over lines as p_version,
      lag(n.seq * 1000 + n.line) over lines as p_position,
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
      coalesce(s.p_position, b.last_seq * 1000 + 999) as b_position,
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
    or l.b_position >= l.seq * 1000 + l.line
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

-- The differences between balances by effective day and by record time. Fires after headers_close_batch (triggers
-- fire in the order of their names). For a batch whose journals take effect on the day they are recorded, it runs
-- only its first statement.
create function ledger.journals_move_days() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  batch record;
  today date;
begin
  select min(n.effective_at) as first_effective, max(n.effective_at) as last_effective,
    min(n.recorded_at) as first_recorded, max(n.recorded_at) as last_recorded
  into batch
  from new_journal n;
  today := (batch.last_recorded at time zone 'America/New_York')::date;
  if least(batch.first_effective, batch.first_recorded) >= today::timestamp at time zone 'America/New_York'
    and batch.last_effective < (today + 1)::timestamp at time zone 'America/New_York'
  then return null;
  end if;

  with differing as materialized (
    select j.book_id, j.seq, v.day, v.sign
    from (
      select n.book_id, n.seq, (n.effective_at at time zone 'America/New_York')::date as effective_on,
        -- A book's batch has one checkpoint, dated as its last journal.
        (max(n.recorded_at) over (partition by n.book_id) at time zone 'America/New_York')::date as recorded_on
      from new_journal n
    ) j
    cross join lateral (values (j.effective_on, 1), (j.recorded_on, -1)) v (day, sign)
    where j.effective_on <> j.recorded_on
  ), moved as materialized (
    select d.book_id, e.account_id, d.day,
      total(d.sign * e.amount_cents)
        filter (where e.layer = 'Pending' and e.role = 'Normal' and e.direction = 'Debit') as held_debit,
      total(d.sign * e.amount_cents)
        filter (where e.layer = 'Pending' and e.role = 'Normal' and e.direction = 'Credit') as held_credit,
      total(d.sign * e.amount_cents) filter (where e.role = 'Discharge' and e.direction = 'Credit') as released_debit,
      total(d.sign * e.amount_cents) filter (where e.role = 'Discharge' and e.direction = 'Debit') as released_credit,
      total(d.sign * e.amount_cents) filter (where e.layer = 'Posted' and e.direction = 'Debit') as posted_debit,
      total(d.sign * e.amount_cents) filter (where e.layer = 'Posted' and e.direction = 'Credit') as posted_credit
    from differing d
    cross join lateral (
      select * from entry x where x.book_id = d.book_id and x.seq = d.seq offset 0
    ) e
    group by d.book_id, e.account_id, d.day
  ), by_account as (
    insert into account_day as o
    select m.* from moved m
    on conflict on constraint account_day_pk do update
    set held_debit = o.held_debit + excluded.held_debit, held_credit = o.held_credit + excluded.held_credit,
      released_debit = o.released_debit + excluded.released_debit,
      released_credit = o.released_credit + excluded.released_credit,
      posted_debit = o.posted_debit + excluded.posted_debit, posted_credit = o.posted_credit + excluded.posted_credit
  )
  insert into class_day as o
  select m.book_id, a.class, a.normal_balance, a.currency, m.day, total(m.held_debit), total(m.held_credit),
    total(m.released_debit), total(m.released_credit), total(m.posted_debit), total(m.posted_credit)
  from moved m
  cross join lateral (
    select * from account x where x.book_id = m.book_id and x.account_id = m.account_id offset 0
  ) a
  group by m.book_id, a.class, a.normal_balance, a.currency, m.day
  on conflict on constraint class_day_pk do update
  set held_debit = o.held_debit + excluded.held_debit, held_credit = o.held_credit + excluded.held_credit,
    released_debit = o.released_debit + excluded.released_debit,
    released_credit = o.released_credit + excluded.released_credit,
    posted_debit = o.posted_debit + excluded.posted_debit, posted_credit = o.posted_credit + excluded.posted_credit;
  return null;
end $$;

-- A statement trigger of the parent does not fire for an insert into a partition: each partition has its own.
do $$
declare
  target text;
begin
  for target in
    select c.relname from pg_class c
    where c.relnamespace = 'ledger'::regnamespace and c.relname ~ '^(journal|entry)(_[0-9]+)?$' and c.relkind in ('r', 'p')
  loop
    if target like 'entry%' then
      execute format('create trigger entries_move_balances after insert on ledger.%I
        referencing new table as new_entry
        for each statement execute function ledger.entries_move_balances()', target);
    else
      execute format('create trigger journals_move_days after insert on ledger.%I
        referencing new table as new_journal
        for each statement execute function ledger.journals_move_days()', target);
    end if;
  end loop;
end $$;
