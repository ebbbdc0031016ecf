-- Statements of accounts, entries by effective time, and descriptions that can be changed.
--
-- Most entries count for the New York day of their record, so an account's versions have them in the order of their
-- effective days. `dated_entry` has the others, backdated ones above all. The trigger writes it in the statement that
-- already moves days, so an entry of the same day costs nothing.
-- Locks: journals wait while the entries of the past are copied, so that none is missed between copy and trigger.

create table ledger.dated_entry (
  book_id uuid not null,
  account_id uuid not null,
  effective_on date not null,
  account_version bigint not null,
  layer ledger.layer not null,
  constraint dated_entry_pk primary key (book_id, account_id, effective_on, account_version)
);
select ledger.restrict_to_own_book('ledger.dated_entry');
grant select on ledger.dated_entry to ledger;
lock table ledger.journal in share row exclusive mode;
insert into ledger.dated_entry (book_id, account_id, effective_on, account_version, layer)
select j.book_id, e.account_id, (j.effective_at at time zone 'America/New_York')::date, e.account_version, e.layer
from ledger.journal j
join ledger.entry e on e.book_id = j.book_id and e.seq = j.seq
where (j.effective_at at time zone 'America/New_York')::date <> (j.recorded_at at time zone 'America/New_York')::date;

create trigger derived_by_trigger_only before insert or update on ledger.dated_entry
  for each row when (pg_trigger_depth() = 0) execute function ledger.refuse_direct_write();
create trigger never_deleted before delete on ledger.dated_entry
  for each row execute function ledger.refuse_change();
create trigger never_truncated before truncate on ledger.dated_entry
  for each statement execute function ledger.refuse_change();
alter table ledger.dated_entry enable always trigger derived_by_trigger_only;
alter table ledger.dated_entry enable always trigger never_deleted;
alter table ledger.dated_entry enable always trigger never_truncated;

-- As in 0004, and the entries that count for another day.
create or replace function ledger.journals_move_days() returns trigger
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
  ), dated as (
    insert into dated_entry (book_id, account_id, effective_on, account_version, layer)
    select n.book_id, e.account_id, n.effective_on, e.account_version, e.layer
    from (
      select x.book_id, x.seq, (x.effective_at at time zone 'America/New_York')::date as effective_on,
        (x.recorded_at at time zone 'America/New_York')::date as recorded_on
      from new_journal x
    ) n
    cross join lateral (
      select * from entry x where x.book_id = n.book_id and x.seq = n.seq offset 0
    ) e
    where n.effective_on <> n.recorded_on
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

alter table ledger.account add column updated_at timestamptz;
grant update (description, updated_at) on ledger.account to ledger;
alter table ledger.virtual_account add column description text;
grant update (description) on ledger.virtual_account to ledger;

-- As in 0006, over the description too.
create or replace function ledger.refuse_other_virtual_account() returns trigger
language plpgsql set search_path = ledger, pg_temp as $$
begin
  if old.status = 'Closed' and new.status <> 'Closed'
    or (new.book_id, new.virtual_account_id, new.name, new.ledger_account_id, new.counterparty_id, new.external_id,
        new.metadata, new.number_hash, new.created_at)
      is distinct from (old.book_id, old.virtual_account_id, old.name, old.ledger_account_id, old.counterparty_id,
        old.external_id, old.metadata, old.number_hash, old.created_at)
  then
    raise exception
      'only the status and the description of virtual account % may change, and the status never from Closed',
      old.virtual_account_id
      using errcode = 'LG001', constraint = 'virtual_account_identity';
  end if;
  return new;
end $$;
