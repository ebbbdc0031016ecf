/** The six counters, summed over entries `e` with each amount multiplied by `times`. */
const countersOfEntries = (times: string) =>
  [
    "e.layer = 'Pending' and e.role = 'Normal' and e.direction = 'Debit'",
    "e.layer = 'Pending' and e.role = 'Normal' and e.direction = 'Credit'",
    "e.role = 'Discharge' and e.direction = 'Credit'",
    "e.role = 'Discharge' and e.direction = 'Debit'",
    "e.layer = 'Posted' and e.direction = 'Debit'",
    "e.layer = 'Posted' and e.direction = 'Credit'",
  ]
    .map((counted) => `coalesce(sum(${times} * e.amount_cents) filter (where ${counted}), 0)`)
    .join(", ");
const names = [
  "held_debit",
  "held_credit",
  "released_debit",
  "released_credit",
  "posted_debit",
  "posted_credit",
];
const countersOf = (of: string, sign = "") => names.map((name) => `${sign}${of}.${name}`).join(", ");
const anyIsOff = names.map((name) => `sum(${name}) <> 0`).join(" or ");

/** Checkpoints whose class totals are not those of the previous checkpoint plus the entries in between. */
export const wrongCheckpointClasses = `
  select format('checkpoint of journals up to %s, %s', last_seq, class) as violation
  from (
    select s.last_seq, k.class, k.normal_balance, k.currency, ${countersOf("k")}
    from checkpoint s
    cross join lateral unnest(s.class_totals) k
    where s.book_id = $1
    union all
    select s.last_seq, k.class, k.normal_balance, k.currency, ${countersOf("k", "-")}
    from checkpoint s
    cross join lateral (
      select * from checkpoint x where x.book_id = s.book_id and x.last_seq = s.first_seq - 1 offset 0
    ) before
    cross join lateral unnest(before.class_totals) k
    where s.book_id = $1
    union all
    select s.last_seq, a.class, a.normal_balance, a.currency, ${countersOfEntries("-1")}
    from checkpoint s
    cross join lateral (
      select * from entry x where x.book_id = s.book_id and x.seq between s.first_seq and s.last_seq offset 0
    ) e
    join account a on a.book_id = e.book_id and a.account_id = e.account_id
    where s.book_id = $1
    group by s.last_seq, a.class, a.normal_balance, a.currency
  ) difference (last_seq, class, normal_balance, currency, ${names.join(", ")})
  group by last_seq, class, normal_balance, currency
  having ${anyIsOff}`;

/** Journals `j` whose effective day is not the day of their checkpoint: +1 on the former, -1 on the latter. */
const daysOfEntries = `
  from checkpoint s
  cross join lateral (
    select *
    from journal x
    where x.book_id = s.book_id
      and x.seq between s.first_seq and s.last_seq
      and (x.effective_at at time zone 'America/New_York')::date <> (s.recorded_at at time zone 'America/New_York')::date
    offset 0
  ) j
  cross join lateral (
    select * from entry x where x.book_id = j.book_id and x.seq = j.seq offset 0
  ) e
  cross join lateral (values (j.effective_at, 1), (s.recorded_at, -1)) v (at, times)
  where s.book_id = $1`;
const day = "(v.at at time zone 'America/New_York')::date";

/** Rows of account_day that differ from the entries whose effective day is not the day of their checkpoint. */
export const wrongAccountDays = `
  select format('account %s, %s', account_id, day) as violation
  from (
    select d.account_id, d.day, ${countersOf("d", "-")}
    from account_day d
    where d.book_id = $1
    union all
    select e.account_id, ${day}, ${countersOfEntries("v.times")}
    ${daysOfEntries}
    group by 1, 2
  ) difference (account_id, day, ${names.join(", ")})
  group by account_id, day
  having ${anyIsOff}`;

/** Rows of dated_entry without such an entry, and entries of journals that take effect on another day without a row. */
export const wrongDatedEntries = `
  select format('account %s at version %s', account_id, account_version) as violation
  from (
    select e.account_id, e.account_version, (j.effective_at at time zone 'America/New_York')::date as effective_on, e.layer
    from (
      select *
      from journal x
      where x.book_id = $1
        and (x.effective_at at time zone 'America/New_York')::date <> (x.recorded_at at time zone 'America/New_York')::date
    ) j
    cross join lateral (
      select * from entry x where x.book_id = j.book_id and x.seq = j.seq offset 0
    ) e
  ) e
  full join (select * from dated_entry x where x.book_id = $1) d
    using (account_id, account_version, effective_on, layer)
  where e.account_id is null
    or d.account_id is null`;

/** Days of classes that are not the sums of their accounts' days. */
export const wrongClassDays = `
  select format('%s %s %s, %s', class, normal_balance, currency, day) as violation
  from (
    select d.class, d.normal_balance, d.currency, d.day, ${countersOf("d", "-")}
    from class_day d
    where d.book_id = $1
    union all
    select a.class, a.normal_balance, a.currency, d.day, ${countersOf("d")}
    from account_day d
    join account a on a.book_id = d.book_id and a.account_id = d.account_id
    where d.book_id = $1
  ) difference (class, normal_balance, currency, day, ${names.join(", ")})
  group by class, normal_balance, currency, day
  having ${anyIsOff}`;
