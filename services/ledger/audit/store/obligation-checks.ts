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
    having count(s.position) <> o.event_count or coalesce(max(s.position), 0) <> o.event_count`,
});

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
