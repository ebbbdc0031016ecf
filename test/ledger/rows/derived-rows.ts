/**
 * Computes what the triggers derive (class totals of checkpoints, days of accounts and classes) from the journals
 * alone, in one pass each. It shares nothing with the triggers. Run it as a superuser with triggers off, on emptied
 * columns and tables.
 */
export const deriveClassTotals = `
with moved as (
  select s.book_id, s.last_seq, a.class, a.normal_balance, a.currency,
    total(e.amount_cents)
      filter (where e.layer = 'Pending' and e.role = 'Normal' and e.direction = 'Debit') as held_debit,
    total(e.amount_cents)
      filter (where e.layer = 'Pending' and e.role = 'Normal' and e.direction = 'Credit') as held_credit,
    total(e.amount_cents) filter (where e.role = 'Discharge' and e.direction = 'Credit') as released_debit,
    total(e.amount_cents) filter (where e.role = 'Discharge' and e.direction = 'Debit') as released_credit,
    total(e.amount_cents) filter (where e.layer = 'Posted' and e.direction = 'Debit') as posted_debit,
    total(e.amount_cents) filter (where e.layer = 'Posted' and e.direction = 'Credit') as posted_credit
  from checkpoint s
  cross join lateral (
    select * from entry x where x.book_id = s.book_id and x.seq between s.first_seq and s.last_seq offset 0
  ) e
  join account a on a.book_id = e.book_id and a.account_id = e.account_id
  group by s.book_id, s.last_seq, a.class, a.normal_balance, a.currency
), summed as (
  select s.book_id, s.last_seq, t.class, t.normal_balance, t.currency,
    coalesce(total(m.held_debit) over so_far, 0) as held_debit,
    coalesce(total(m.held_credit) over so_far, 0) as held_credit,
    coalesce(total(m.released_debit) over so_far, 0) as released_debit,
    coalesce(total(m.released_credit) over so_far, 0) as released_credit,
    coalesce(total(m.posted_debit) over so_far, 0) as posted_debit,
    coalesce(total(m.posted_credit) over so_far, 0) as posted_credit
  from checkpoint s
  join class_total t on t.book_id = s.book_id
  left join moved m
    on m.book_id = s.book_id and m.last_seq = s.last_seq
    and m.class = t.class and m.normal_balance = t.normal_balance and m.currency = t.currency
  window so_far as (partition by s.book_id, t.class, t.normal_balance, t.currency order by s.last_seq)
), filled as (
  select c.book_id, c.last_seq, array_agg(
    (c.class, c.normal_balance, c.currency, c.held_debit, c.held_credit, c.released_debit, c.released_credit,
      c.posted_debit, c.posted_credit)::class_counters order by c.class, c.normal_balance, c.currency) as totals
  from summed c
  where c.held_debit + c.held_credit + c.posted_debit + c.posted_credit > 0
  group by c.book_id, c.last_seq
)
update checkpoint s
set class_totals = k.totals
from filled k
where k.book_id = s.book_id and k.last_seq = s.last_seq`;

export const deriveDays = `
with differing as (
  select s.book_id, j.seq, (j.effective_at at time zone 'America/New_York')::date as effective_on, s.recorded_on
  from (
    select x.*, (x.recorded_at at time zone 'America/New_York')::date as recorded_on from checkpoint x
  ) s
  cross join lateral (
    select * from journal x where x.book_id = s.book_id and x.seq between s.first_seq and s.last_seq offset 0
  ) j
  where (j.effective_at at time zone 'America/New_York')::date <> s.recorded_on
), step as (
  select e.*, v.day, v.sign * e.amount_cents as cents
  from differing d
  cross join lateral (
    select * from entry x where x.book_id = d.book_id and x.seq = d.seq offset 0
  ) e
  cross join lateral (values (d.effective_on, 1), (d.recorded_on, -1)) v (day, sign)
), account_days as (
  insert into account_day
  select s.book_id, s.account_id, s.day,
    total(s.cents) filter (where s.layer = 'Pending' and s.role = 'Normal' and s.direction = 'Debit'),
    total(s.cents) filter (where s.layer = 'Pending' and s.role = 'Normal' and s.direction = 'Credit'),
    total(s.cents) filter (where s.role = 'Discharge' and s.direction = 'Credit'),
    total(s.cents) filter (where s.role = 'Discharge' and s.direction = 'Debit'),
    total(s.cents) filter (where s.layer = 'Posted' and s.direction = 'Debit'),
    total(s.cents) filter (where s.layer = 'Posted' and s.direction = 'Credit')
  from step s
  group by s.book_id, s.account_id, s.day
  returning *
)
insert into class_day
select d.book_id, a.class, a.normal_balance, a.currency, d.day, total(d.held_debit), total(d.held_credit),
  total(d.released_debit), total(d.released_credit),
  total(d.posted_debit), total(d.posted_credit)
from account_days d
join account a on a.book_id = d.book_id and a.account_id = d.account_id
group by d.book_id, a.class, a.normal_balance, a.currency, d.day`;

/** The entries whose effective day is not the day of their record. */
export const deriveDatedEntries = `
insert into dated_entry (book_id, account_id, effective_on, account_version, layer)
select e.book_id, e.account_id, (j.effective_at at time zone 'America/New_York')::date, e.account_version, e.layer
from entry e
join journal j using (book_id, seq)
where (j.effective_at at time zone 'America/New_York')::date <> (j.recorded_at at time zone 'America/New_York')::date`;
