import {
  checksOfAll,
  checksOfEach,
  liabilitiesWithoutObligation,
  liabilityCheck,
} from "./obligation-checks.ts";
import { changedAccounts } from "./account-chain.ts";
import {
  wrongAccountDays,
  wrongCheckpointClasses,
  wrongClassDays,
  wrongDatedEntries,
} from "./as-of-checks.ts";

/** Inbound payments whose amount is not that of the journal that booked them. */
export const wrongInboundPayments = (range: string) => `
  select format('payment %s, journal %s', p.inbound_payment_id, j.seq) as violation
  from journal j
  cross join lateral (
    select *
    from inbound_payment x
    where x.book_id = $1 and x.inbound_payment_id = j.transaction_id
    offset 0
  ) p
  left join lateral (
    select * from entry x where x.book_id = $1 and x.seq = j.seq and x.line = 1 offset 0
  ) e on true
  where j.book_id = $1 ${range}
    and j.kind in ('Inbound', 'UnmatchedReturn')
    and (p.seq, p.amount_cents, p.currency) is distinct from (j.seq, e.amount_cents, e.currency)`;

/**
 * Checks of a whole book ($1), one statement each. Each selects its violations as text; a sound book gives no rows.
 * They read the stored rows and share no code with the triggers, so they also find changes made with the triggers off.
 */
export const bookChecks = {
  "every layer and currency of the trial balance is zero": `
    select format('%s %s is off by %s cents', layer, currency,
      sum(case direction when 'Debit' then amount_cents else -amount_cents end)) as violation
    from entry
    where book_id = $1
    group by layer, currency
    having sum(case direction when 'Debit' then amount_cents else -amount_cents end) <> 0`,
  "every journal balances, with all its lines": `
    select format('journal %s', j.seq) as violation
    from journal j
    left join (
      select seq, sum(lines) as lines, max(last_line) as last_line, bool_and(cents = 0) as balanced
      from (
        select seq, count(*) as lines, max(line) as last_line,
          sum(case direction when 'Debit' then amount_cents else -amount_cents end) as cents
        from entry
        where book_id = $1
        group by seq, layer, currency
      ) part
      group by seq
    ) e on e.seq = j.seq
    where j.book_id = $1
      and (e.balanced and e.lines = j.line_count and e.last_line = j.line_count) is not true`,
  "every entry has its header": `
    select format('entries of journal %s', e.seq) as violation
    from entry e
    where e.book_id = $1
      and not exists (select from journal j where j.book_id = e.book_id and j.seq = e.seq)
    group by e.seq`,
  "the sequence has no gap": `
    select format('%s journals from %s to %s, the head at %s', count(j.seq), min(j.seq), max(j.seq), h.last_seq) as violation
    from book_head h
    left join journal j on j.book_id = h.book_id
    where h.book_id = $1
    group by h.last_seq
    having count(j.seq) <> h.last_seq
      or coalesce(min(j.seq), 1) <> 1
      or coalesce(max(j.seq), 0) <> h.last_seq`,
  "checkpoints cover the sequence": `
    select format('checkpoint of journals %s to %s', first_seq, last_seq) as violation
    from (
      select first_seq, last_seq, lag(last_seq, 1, 0::bigint) over (order by last_seq) as before,
        lead(first_seq) over (order by last_seq) as after
      from checkpoint
      where book_id = $1
    ) s
    where first_seq <> before + 1
      or after is null and last_seq <> (select h.last_seq from book_head h where h.book_id = $1)
    union all
    select 'there are journals and no checkpoint'
    from book_head h
    where h.book_id = $1
      and h.last_seq > 0
      and not exists (select from checkpoint s where s.book_id = $1)`,
  "record time rises with the sequence": `
    select format('journal %s', seq) as violation
    from (
      select seq, recorded_at, lag(recorded_at) over (order by seq) as before
      from journal
      where book_id = $1
    ) j
    where recorded_at <= before`,
  "running totals are the sums of an account's entries": `
    select format('account %s at version %s', account_id, account_version) as violation
    from (
      select e.*, row_number() over w as position,
        sum(amount_cents) filter (where layer = 'Pending' and role = 'Normal' and direction = 'Debit') over w as f1,
        sum(amount_cents) filter (where layer = 'Pending' and role = 'Normal' and direction = 'Credit') over w as f2,
        sum(amount_cents) filter (where role = 'Discharge' and direction = 'Credit') over w as f3,
        sum(amount_cents) filter (where role = 'Discharge' and direction = 'Debit') over w as f4,
        sum(amount_cents) filter (where layer = 'Posted' and direction = 'Debit') over w as f5,
        sum(amount_cents) filter (where layer = 'Posted' and direction = 'Credit') over w as f6
      from entry e
      where book_id = $1
      window w as (partition by account_id order by seq, line)
    ) folded
    where position <> account_version
      or (held_debit, held_credit, released_debit, released_credit, posted_debit, posted_credit) is distinct from
        (coalesce(f1, 0), coalesce(f2, 0), coalesce(f3, 0), coalesce(f4, 0), coalesce(f5, 0), coalesce(f6, 0))`,
  "every balance is its last entry's running totals": `
    select format('account %s', b.account_id) as violation
    from account_balance b
    left join (
      select distinct on (account_id) *
      from entry
      where book_id = $1
      order by account_id, account_version desc
    ) e on e.account_id = b.account_id
    where b.book_id = $1
      and (b.version, b.last_seq, b.held_debit, b.held_credit, b.released_debit, b.released_credit, b.posted_debit,
        b.posted_credit) is distinct from
        (coalesce(e.account_version, 0), coalesce(e.seq, 0), coalesce(e.held_debit, 0), coalesce(e.held_credit, 0),
        coalesce(e.released_debit, 0), coalesce(e.released_credit, 0), coalesce(e.posted_debit, 0),
        coalesce(e.posted_credit, 0))`,
  "class totals are the sums of their accounts": `
    select format('%s %s %s', class, normal_balance, currency) as violation
    from (select * from class_total where book_id = $1) t
    full join (
      select a.class, a.normal_balance, a.currency, sum(b.held_debit) as held_debit, sum(b.held_credit) as held_credit,
        sum(b.released_debit) as released_debit, sum(b.released_credit) as released_credit,
        sum(b.posted_debit) as posted_debit, sum(b.posted_credit) as posted_credit
      from account a
      join account_balance b using (book_id, account_id)
      where book_id = $1
      group by a.class, a.normal_balance, a.currency
    ) s using (class, normal_balance, currency)
    where (s.held_debit, s.held_credit, s.released_debit, s.released_credit, s.posted_debit, s.posted_credit)
      is distinct from
      (t.held_debit, t.held_credit, t.released_debit, t.released_credit, t.posted_debit, t.posted_credit)`,
  "a hold ends at most once, a posting is reversed at most once, a transaction opens once": `
    select format('journals %s', string_agg(seq::text, ', ' order by seq)) as violation
    from (
      select seq, 'resolves ' || resolves_seq as effect from journal where book_id = $1 and resolves_seq is not null
      union all
      select seq, 'reverses ' || reverses_seq from journal where book_id = $1 and reverses_seq is not null
      union all
      select seq, 'opens ' || transaction_id
      from journal
      where book_id = $1 and resolves_seq is null and reverses_seq is null
    ) once
    group by effect
    having count(*) > 1`,
  "every journal has its command, and every posted command its journal": `
    select format('journal %s', coalesce(j.seq, c.seq)) as violation
    from (select * from journal where book_id = $1) j
    full join (select * from command where book_id = $1 and seq is not null) c
      on c.seq = j.seq
      and c.command_id = j.command_id
      and c.transaction_id = j.transaction_id
    where j.seq is null or c.seq is null`,
  "a refused command has no journal": `
    select format('command %s, journal %s', c.command_id, j.seq) as violation
    from command c
    join journal j on j.book_id = c.book_id and j.command_id = c.command_id
    where c.book_id = $1
      and c.seq is null`,
  "every account is as it was made": changedAccounts,
  "every inbound payment is what its journal booked": wrongInboundPayments(""),
  ...checksOfEach(""),
  ...checksOfAll,
  [liabilityCheck]: liabilitiesWithoutObligation(""),
  "checkpoints hold the class totals of their time": wrongCheckpointClasses,
  "days hold what takes effect on another day": wrongAccountDays,
  "days of a class are the sums of its accounts' days": wrongClassDays,
  "every entry of another day is listed": wrongDatedEntries,
} as const;
