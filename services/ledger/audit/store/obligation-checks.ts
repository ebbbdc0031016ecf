/** The cents of an obligation's lines; what is no number is left out. */
const sumOf = (lines: string) =>
  `(select coalesce(sum((cents #>> '{}')::numeric), 0)
    from jsonb_path_query(${lines}, '$[*].amountCents ? (@.type() == "number")') cents)`;

/**
 * Events whose kind, order, transaction or amount is not that of their journal. An accrual's amount is that of its
 * journal, an order's that of its hold. An amendment within the same sum and a refused hold have no journal.
 */
const eventsUnlikeJournals = (range: string) => `
  select format('event %s of obligation %s', s.position, s.obligation_id) as violation
  from obligation o
  cross join lateral (
    select x.*,
      sum(x.amount_cents) filter (where x.order_id is null) over w as accrued,
      max(x.seq) over (w rows between unbounded preceding and 1 preceding) as before
    from obligation_event x
    where x.book_id = o.book_id and x.obligation_id = o.obligation_id
    window w as (order by x.position)
  ) s
  left join lateral (
    select x.kind from journal x
    where x.book_id = s.book_id and x.seq = s.seq and x.transaction_id = s.transaction_id
    offset 0
  ) j on true
  cross join lateral (
    select sum(case e.direction when 'Credit' then e.amount_cents else -e.amount_cents end) as cents
    from journal x
    join entry e on e.book_id = x.book_id and e.seq = x.seq and e.account_id = s.obligation_id
    where x.transaction_id = s.transaction_id
      and x.book_id = s.book_id
      and (x.kind = 'Hold' or x.kind = 'Accrue' and x.seq = s.seq)
    offset 0
  ) booked
  where o.book_id = $1 ${range}
    and (
      coalesce(s.seq <= s.before, false)
      or case
        when s.kind = 'Refused' then s.seq is not null
        when s.order_id is not null then (
          (s.kind, j.kind::text) in (('Held', 'Hold'), ('Cleared', 'Settle'), ('Failed', 'Release'),
            ('Cancelled', 'Release'), ('Returned', 'Release'), ('Returned', 'LateReturn'))
          and s.order_id = s.transaction_id
          and s.amount_cents = -booked.cents
        ) is not true
        else (
          (s.kind = 'Fixed') = (s.position = 1)
          and ${sumOf("s.lines")} = s.accrued
          and case when s.seq is null
            then s.amount_cents = 0
            else j.kind = 'Accrue' and s.amount_cents = booked.cents
          end
        ) is not true
      end
    )`;

const linesUnlikeAccruals = (range: string) => `
  select format('obligation %s', o.obligation_id) as violation
  from obligation o
  left join lateral (
    select s.lines
    from obligation_event s
    where s.book_id = o.book_id and s.obligation_id = o.obligation_id and s.order_id is null
    order by s.position desc
    limit 1
  ) last on true
  where o.book_id = $1 ${range}
    and o.status <> 'Open'
    and (o.lines, ${sumOf("o.lines")}) is distinct from (last.lines, o.fixed_cents::numeric)`;

/** Obligations that name another order than that of their open hold, or of their last payment. */
const obligationsOfOtherOrders = (range: string) => `
  select format('obligation %s is %s', o.obligation_id, o.status) as violation
  from obligation o
  left join lateral (
    select s.kind, s.order_id, s.amount_cents
    from obligation_event s
    where s.book_id = o.book_id and s.obligation_id = o.obligation_id and s.seq is not null
    order by s.position desc
    limit 1
  ) last on true
  left join lateral (
    select s.order_id, s.amount_cents
    from obligation_event s
    where s.book_id = o.book_id
      and s.obligation_id = o.obligation_id
      and s.kind = 'Held'
      and not exists (
        select
        from obligation_event x
        where x.book_id = s.book_id
          and x.obligation_id = s.obligation_id
          and x.order_id = s.order_id
          and x.position > s.position
      )
    limit 1
  ) held on true
  where o.book_id = $1 ${range}
    and (
      held.order_id is not null
      and (o.status, o.payment_order_id, o.remittance_cents)
        is distinct from ('Remitting', held.order_id, held.amount_cents)
      or o.status = 'Relieved'
      and o.payment_order_id is distinct from case last.kind when 'Cleared' then last.order_id end
    )`;

/**
 * Checks of each obligation of a book ($1), in the form of book-checks.ts. A sound book gives no rows. `range` is a
 * condition that limits the obligations `o`.
 */
export const checksOfEach = (range: string) => ({
  "an obligation is what its journals made of it": `
    select format('obligation %s is %s, with %s cents fixed, %s accrued and %s outstanding',
      o.obligation_id, o.status, o.fixed_cents, booked.accrued, booked.outstanding) as violation
    from obligation o
    cross join lateral (
      select
        coalesce((
          select b.posted_credit - b.posted_debit
          from account_balance b
          join account a on a.book_id = b.book_id and a.account_id = b.account_id and a.class = 'ObligationLiability'
          where b.book_id = o.book_id
            and b.account_id = o.obligation_id
        ), 0) as outstanding,
        coalesce((
          select sum(case e.direction when 'Credit' then e.amount_cents else -e.amount_cents end)
          from obligation_event s
          join journal j on j.book_id = s.book_id and j.seq = s.seq and j.transaction_id = s.transaction_id
          join entry e on e.book_id = s.book_id and e.seq = s.seq and e.account_id = s.obligation_id
          where s.book_id = o.book_id
            and s.obligation_id = o.obligation_id
            and j.kind = 'Accrue'
        ), 0) as accrued
      offset 0
    ) booked
    where o.book_id = $1 ${range}
      and (
        booked.accrued <> o.fixed_cents
        or booked.outstanding not between 0 and o.fixed_cents
        or case o.status
          when 'Open' then booked.outstanding <> 0
          when 'Relieved' then booked.outstanding <> 0
          else booked.outstanding = 0
        end
      )`,
  "an obligation has all its events": `
    select format('obligation %s has %s of %s events', o.obligation_id, count(s.position), o.event_count) as violation
    from obligation o
    left join obligation_event s on s.book_id = o.book_id and s.obligation_id = o.obligation_id
    where o.book_id = $1 ${range}
    group by o.book_id, o.obligation_id, o.event_count
    having count(s.position) <> o.event_count or coalesce(max(s.position), 0) <> o.event_count
    union all
    select format('obligation %s has no event of journal %s', o.obligation_id, e.seq)
    from obligation o
    join entry e on e.book_id = o.book_id and e.account_id = o.obligation_id
    where o.book_id = $1 ${range}
      and not exists (
        select
        from obligation_event s
        where s.book_id = e.book_id and s.obligation_id = e.account_id and s.seq = e.seq
      )`,
  "an obligation's event is what its journal booked": eventsUnlikeJournals(range),
  "an obligation's lines are those of its last accrual": linesUnlikeAccruals(range),
  "an obligation names the order that pays it": obligationsOfOtherOrders(range),
});

/** Liabilities of a book ($1) whose obligation is gone, or not fixed. `range` limits the accounts `a`. */
export const liabilitiesWithoutObligation = (range: string) => `
  select format('account %s', a.account_id) as violation
  from account a
  where a.book_id = $1 ${range}
    and a.class = 'ObligationLiability'
    and not exists (
      select
      from obligation o
      where o.book_id = a.book_id and o.obligation_id = a.account_id and o.status <> 'Open'
    )`;
export const liabilityCheck = "every liability has its obligation";

/** Compares a sum over all obligations of a book, so it can't be checked page by page. */
export const checksOfAll = {
  "what obligations owe is what their expenses hold": `
    select format('%s: %s cents owed, %s expensed', kind.type, owed.cents, coalesce(spent.cents, 0)) as violation
    from (values
      ('FuelTaxReturn', 'FuelTaxExpense'),
      ('OperatorSettlement', 'OperatorSettlementExpense'),
      ('Other', 'ObligationExpense')
    ) as kind (type, expense)
    cross join lateral (
      select coalesce(sum(b.posted_credit - b.posted_debit), 0) as cents
      from obligation o
      join account_balance b on b.book_id = o.book_id and b.account_id = o.obligation_id
      where o.book_id = $1
        and o.type = kind.type
    ) owed
    left join lateral (
      select sum(t.posted_debit - t.posted_credit) as cents
      from class_total t
      where t.book_id = $1
        and t.class::text = kind.expense
    ) spent on true
    where owed.cents <> coalesce(spent.cents, 0)`,
} as const;
