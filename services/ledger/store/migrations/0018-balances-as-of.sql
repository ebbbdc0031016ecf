-- Balances as of a time. By record time: what stood when the last batch that was sealed by then was committed; an
-- account's entries carry its running totals, and every seal now carries those of the classes. By effective day (New
-- York): what was recorded by the end of that day, plus what was recorded later and takes effect by then, less what was
-- recorded by then and takes effect later. Only journals whose effective day is not the day of their seal move that
-- difference, so it is kept apart, per day: the common journal costs one look at its batch, and nobody sums entries.

-- What one class holds; a domain type, so that a seal carries the two or three classes that hold anything and no more.
create type ledger.class_counters as (
  class ledger.account_class,
  normal_balance ledger.side,
  currency text,
  held_debit bigint,
  held_credit bigint,
  released_debit bigint,
  released_credit bigint,
  posted_debit bigint,
  posted_credit bigint
);
alter table ledger.seal add column class_totals ledger.class_counters[];

-- What the effective balances at the end of `day` have more than the recorded ones than they had a day before: a journal
-- adds its counters on its effective day and takes them away on the day of its seal, so the sum over all days up to one
-- is the difference on it. Per account or class at most a row a day, however many entries.
create table ledger.account_day (
  book_id uuid not null,
  account_id uuid not null,
  day date not null,
  held_debit bigint not null,
  held_credit bigint not null,
  released_debit bigint not null,
  released_credit bigint not null,
  posted_debit bigint not null,
  posted_credit bigint not null,
  constraint account_day_pk primary key (book_id, account_id, day),
  constraint account_day_account_fk foreign key (book_id, account_id) references ledger.account
);
create table ledger.class_day (
  book_id uuid not null,
  class ledger.account_class not null,
  normal_balance ledger.side not null,
  currency text not null,
  day date not null,
  held_debit bigint not null,
  held_credit bigint not null,
  released_debit bigint not null,
  released_credit bigint not null,
  posted_debit bigint not null,
  posted_credit bigint not null,
  constraint class_day_pk primary key (book_id, class, normal_balance, currency, day),
  constraint class_day_book_fk foreign key (book_id) references ledger.book
);

-- Seals and journals that stand already, in one pass each.
alter table ledger.seal disable trigger append_only;
alter table ledger.seal disable trigger derived_by_trigger_only;
with moved as (
  select s.book_id, s.last_seq, a.class, a.normal_balance, a.currency,
    ledger.total(e.amount_cents)
      filter (where e.layer = 'Pending' and e.role = 'Normal' and e.direction = 'Debit') as held_debit,
    ledger.total(e.amount_cents)
      filter (where e.layer = 'Pending' and e.role = 'Normal' and e.direction = 'Credit') as held_credit,
    ledger.total(e.amount_cents) filter (where e.role = 'Discharge' and e.direction = 'Credit') as released_debit,
    ledger.total(e.amount_cents) filter (where e.role = 'Discharge' and e.direction = 'Debit') as released_credit,
    ledger.total(e.amount_cents) filter (where e.layer = 'Posted' and e.direction = 'Debit') as posted_debit,
    ledger.total(e.amount_cents) filter (where e.layer = 'Posted' and e.direction = 'Credit') as posted_credit
  from ledger.seal s
  cross join lateral (
    select * from ledger.entry x where x.book_id = s.book_id and x.seq between s.first_seq and s.last_seq offset 0
  ) e
  join ledger.account a on a.book_id = e.book_id and a.account_id = e.account_id
  group by s.book_id, s.last_seq, a.class, a.normal_balance, a.currency
), summed as (
  select s.book_id, s.last_seq, t.class, t.normal_balance, t.currency,
    coalesce(ledger.total(m.held_debit) over so_far, 0) as held_debit,
    coalesce(ledger.total(m.held_credit) over so_far, 0) as held_credit,
    coalesce(ledger.total(m.released_debit) over so_far, 0) as released_debit,
    coalesce(ledger.total(m.released_credit) over so_far, 0) as released_credit,
    coalesce(ledger.total(m.posted_debit) over so_far, 0) as posted_debit,
    coalesce(ledger.total(m.posted_credit) over so_far, 0) as posted_credit
  from ledger.seal s
  join ledger.class_total t on t.book_id = s.book_id
  left join moved m
    on m.book_id = s.book_id and m.last_seq = s.last_seq
    and m.class = t.class and m.normal_balance = t.normal_balance and m.currency = t.currency
  window so_far as (partition by s.book_id, t.class, t.normal_balance, t.currency order by s.last_seq)
), kept as (
  select c.book_id, c.last_seq, array_agg(
    (c.class, c.normal_balance, c.currency, c.held_debit, c.held_credit, c.released_debit, c.released_credit,
      c.posted_debit, c.posted_credit)::ledger.class_counters order by c.class, c.normal_balance, c.currency) as totals
  from summed c
  where c.held_debit + c.held_credit + c.posted_debit + c.posted_credit > 0
  group by c.book_id, c.last_seq
)
update ledger.seal s
set class_totals = k.totals
from kept k
where k.book_id = s.book_id and k.last_seq = s.last_seq;
alter table ledger.seal enable trigger append_only;
alter table ledger.seal enable trigger derived_by_trigger_only;
alter table ledger.seal alter column class_totals set not null;

with differing as (
  select s.book_id, j.seq, (j.effective_at at time zone 'America/New_York')::date as effective_on, s.recorded_on
  from (
    select x.*, (x.sealed_at at time zone 'America/New_York')::date as recorded_on from ledger.seal x
  ) s
  cross join lateral (
    select * from ledger.journal x where x.book_id = s.book_id and x.seq between s.first_seq and s.last_seq offset 0
  ) j
  where (j.effective_at at time zone 'America/New_York')::date <> s.recorded_on
), step as (
  select e.*, v.day, v.sign * e.amount_cents as cents
  from differing d
  cross join lateral (
    select * from ledger.entry x where x.book_id = d.book_id and x.seq = d.seq offset 0
  ) e
  cross join lateral (values (d.effective_on, 1), (d.recorded_on, -1)) v (day, sign)
), account_days as (
  insert into ledger.account_day
  select s.book_id, s.account_id, s.day,
    ledger.total(s.cents) filter (where s.layer = 'Pending' and s.role = 'Normal' and s.direction = 'Debit'),
    ledger.total(s.cents) filter (where s.layer = 'Pending' and s.role = 'Normal' and s.direction = 'Credit'),
    ledger.total(s.cents) filter (where s.role = 'Discharge' and s.direction = 'Credit'),
    ledger.total(s.cents) filter (where s.role = 'Discharge' and s.direction = 'Debit'),
    ledger.total(s.cents) filter (where s.layer = 'Posted' and s.direction = 'Debit'),
    ledger.total(s.cents) filter (where s.layer = 'Posted' and s.direction = 'Credit')
  from step s
  group by s.book_id, s.account_id, s.day
  returning *
)
insert into ledger.class_day
select d.book_id, a.class, a.normal_balance, a.currency, d.day, ledger.total(d.held_debit), ledger.total(d.held_credit),
  ledger.total(d.released_debit), ledger.total(d.released_credit),
  ledger.total(d.posted_debit), ledger.total(d.posted_credit)
from account_days d
join ledger.account a on a.book_id = d.book_id and a.account_id = d.account_id
group by d.book_id, a.class, a.normal_balance, a.currency, d.day;
-- Here the backfill ends.

-- The headers' batch has moved the class totals when its seal comes: the seal takes them along.
create function ledger.seal_keeps_class_totals() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  select array_agg((t.class, t.normal_balance, t.currency, t.held_debit, t.held_credit, t.released_debit,
    t.released_credit, t.posted_debit, t.posted_credit)::class_counters)
  into new.class_totals
  from class_total t
  where t.book_id = new.book_id
    and t.held_debit + t.held_credit + t.posted_debit + t.posted_credit > 0;
  return new;
end $$;
create trigger seal_keeps_class_totals before insert on ledger.seal
  for each row execute function ledger.seal_keeps_class_totals();

-- Fires behind headers_seal_the_batch (triggers go by name). Its first statement is all that a batch of today's costs.
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
        -- A batch of a book is sealed as one, on the day of its last journal.
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

do $$
declare
  target text;
begin
  foreach target in array array['account_day', 'class_day'] loop
    execute format('create trigger never_deleted before delete on ledger.%I
      for each row execute function ledger.refuse_change()', target);
    execute format('create trigger never_truncated before truncate on ledger.%I
      for each statement execute function ledger.refuse_change()', target);
    execute format('create trigger derived_by_trigger_only before insert or update on ledger.%I
      for each row when (pg_trigger_depth() = 0) execute function ledger.refuse_direct_write()', target);
    execute format('grant select on ledger.%I to ledger', target);
    perform ledger.show_own_book_alone(format('ledger.%I', target));
  end loop;
  for target in
    select c.relname from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'ledger' and c.relname ~ '^journal(_[0-9]+)?$' and c.relkind in ('r', 'p')
  loop
    execute format('create trigger journals_move_days after insert on ledger.%I
      referencing new table as new_journal
      for each statement execute function ledger.journals_move_days()', target);
  end loop;
end $$;

-- False where the end of a time is still to come (never waits for more than the millisecond under way). Otherwise it
-- comes back when nothing can be recorded before that end any more, so that an answer, once given, stays: a batch under
-- way reads its clock under the head's lock, and who waits for that lock waits for the batch. The inner block gives
-- the lock back at once, by failing. A book that went on since then is not locked at all.
create function ledger.is_over(in_book uuid, in_end timestamptz) returns boolean
language plpgsql volatile security definer set search_path = ledger, pg_temp as $$
begin
  if in_end > clock_timestamp() then
    if in_end > clock_timestamp() + interval '1 millisecond' then
      return false;
    end if;
    perform pg_sleep(extract(epoch from in_end - clock_timestamp()));
  end if;
  if exists (select from book_head h where h.book_id = in_book and h.recorded_at < in_end) then
    begin
      perform from book_head h where h.book_id = in_book for update;
      raise sqlstate 'LG099';
    exception when sqlstate 'LG099' then null;
    end;
  end if;
  return true;
end $$;
revoke all on function ledger.is_over(uuid, timestamptz) from public;
grant execute on function ledger.is_over(uuid, timestamptz) to ledger;

-- The last journal of the last batch that was sealed before a time; 0 before the first. Probes of primary keys only
-- (first_journal_at), so no index on time is kept for it.
create function ledger.sealed_before(in_book uuid, in_end timestamptz) returns bigint
language plpgsql stable set search_path = ledger, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  next_seq bigint := first_journal_at(in_book, in_end);
begin
  return coalesce(
    (select s.last_seq
    from seal s
    where s.book_id = in_book and s.last_seq < next_seq
    order by s.last_seq desc
    limit 1), 0);
end $$;
grant execute on function ledger.sealed_before(uuid, timestamptz) to ledger;

-- An account's counters behind journal `in_seq`, with what the days up to `in_day` differ (null: nothing). An account
-- that nothing touched since then is as it is now; of another, some twenty probes find the entry.
create function ledger.account_as_of(in_book uuid, in_account uuid, in_seq bigint, in_day date,
  out last_seq bigint, out held_debit bigint, out held_credit bigint, out released_debit bigint,
  out released_credit bigint, out posted_debit bigint, out posted_credit bigint)
language plpgsql stable set search_path = ledger, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  newest bigint;
  found_version bigint;
  differs record;
begin
  select b.last_seq, b.held_debit, b.held_credit, b.released_debit, b.released_credit, b.posted_debit, b.posted_credit
  into last_seq, held_debit, held_credit, released_debit, released_credit, posted_debit, posted_credit
  from account_balance b
  where b.book_id = in_book and b.account_id = in_account;
  newest := last_seq;
  if last_seq > in_seq then
    found_version := first_version_at(in_book, in_account, in_seq + 1) - 1;
    select e.seq, e.held_debit, e.held_credit, e.released_debit, e.released_credit, e.posted_debit, e.posted_credit
    into last_seq, held_debit, held_credit, released_debit, released_credit, posted_debit, posted_credit
    from entry e
    where e.book_id = in_book and e.account_id = in_account
      and e.account_version = found_version;
    if not found then
      select 0, 0, 0, 0, 0, 0, 0
      into last_seq, held_debit, held_credit, released_debit, released_credit, posted_debit, posted_credit;
    end if;
  end if;
  if in_day is not null then
    select total(d.held_debit) as held_debit, total(d.held_credit) as held_credit,
      total(d.released_debit) as released_debit, total(d.released_credit) as released_credit,
      total(d.posted_debit) as posted_debit, total(d.posted_credit) as posted_credit
    into differs
    from account_day d
    where d.book_id = in_book and d.account_id = in_account and d.day <= in_day;
    held_debit := held_debit + differs.held_debit;
    held_credit := held_credit + differs.held_credit;
    released_debit := released_debit + differs.released_debit;
    released_credit := released_credit + differs.released_credit;
    posted_debit := posted_debit + differs.posted_debit;
    posted_credit := posted_credit + differs.posted_credit;
    -- All that is known now is in it, whenever it was recorded.
    last_seq := newest;
  end if;
end $$;
grant execute on function ledger.account_as_of(uuid, uuid, bigint, date) to ledger;

-- The same per class: what the seal kept, and what the days differ.
create function ledger.classes_as_of(in_book uuid, in_seq bigint, in_day date) returns setof ledger.class_counters
language plpgsql stable set search_path = ledger, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
  select c.class, c.normal_balance, c.currency, total(c.held_debit), total(c.held_credit), total(c.released_debit),
    total(c.released_credit), total(c.posted_debit), total(c.posted_credit)
  from (
    select k.* from seal s cross join lateral unnest(s.class_totals) k where s.book_id = in_book and s.last_seq = in_seq
    union all
    select d.class, d.normal_balance, d.currency, d.held_debit, d.held_credit, d.released_debit, d.released_credit,
      d.posted_debit, d.posted_credit
    from class_day d
    where d.book_id = in_book and d.day <= in_day
    union all
    -- Classes that held nothing yet are zero, not missing.
    select t.class, t.normal_balance, t.currency, 0, 0, 0, 0, 0, 0 from class_total t where t.book_id = in_book
  ) c
  group by c.class, c.normal_balance, c.currency;
end $$;
grant execute on function ledger.classes_as_of(uuid, bigint, date) to ledger;
