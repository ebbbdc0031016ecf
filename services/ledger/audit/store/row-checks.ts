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
    and j.kind = 'Inbound'
    and (p.seq, p.amount_cents, p.currency) is distinct from (j.seq, e.amount_cents, e.currency)`;

/**
 * Accounts that are not as they were made, and the first position of the chain after one that was removed. Computes
 * every head again from the head before.
 */
export const changedAccounts = `
  select format('account %s, position %s', coalesce(a.account_id, c.account_id), c.position) as violation
  from (
    select x.position, x.account_id, x.head_hash, lag(x.position, 1, 0) over chain as position_before,
      coalesce(lag(x.head_hash) over chain, sha256(convert_to('quittance.ledger.accounts.v1' || chr(10) || x.book_id, 'UTF8')))
        as head_before
    from account_chain x
    where x.book_id = $1
    window chain as (order by x.position)
  ) c
  full join (select * from account x where x.book_id = $1) a on a.account_id = c.account_id
  where c.position is distinct from c.position_before + 1
    or a.account_id is null
    or c.head_hash is distinct from sha256(c.head_before || sha256(convert_to(
      'quittance.ledger.account.v1' || chr(10) || a.book_id || chr(10) || c.position || chr(10) || a.account_id || chr(10)
      || a.currency || chr(10) || a.normal_balance || chr(10) || a.class || chr(10) || a.name, 'UTF8')))`;
