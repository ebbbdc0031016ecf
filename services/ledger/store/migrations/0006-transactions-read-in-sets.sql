-- The transactions that a batch of commands goes on with: opening journal and its lines, resolution, reversal.
-- A function, so that its plan (30 index scans over partitions, 1.3 ms to plan) is made once per connection; probes
-- only (`lateral … offset 0`), so that the plan holds whatever the statistics say. Locks nothing: the heads are held.

create function ledger.read_transactions(in_books uuid[], in_transactions uuid[])
returns table (
  book_id uuid, transaction_id uuid, order_id uuid, opening_seq bigint, opening_kind ledger.journal_kind,
  resolution_seq bigint, resolution_kind ledger.journal_kind, reversal_seq bigint,
  account_id uuid, currency text, layer ledger.layer, direction ledger.side, amount_cents bigint
)
language plpgsql stable
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set jit = off
as $$
begin
  return query
  select u.book_id, u.transaction_id, o.order_id, o.seq, o.kind, r.seq, r.kind, v.seq,
    e.account_id, e.currency, e.layer, e.direction, e.amount_cents
  from unnest(in_books, in_transactions) with ordinality as u (book_id, transaction_id, place)
  cross join lateral (
    select j.order_id, j.seq, j.kind
    from journal j
    where j.transaction_id = u.transaction_id and j.book_id = u.book_id and j.kind in ('Hold', 'Post')
    offset 0
  ) o
  left join lateral (
    select j.seq, j.kind
    from journal j
    where j.resolves_seq = o.seq and j.book_id = u.book_id
    offset 0
  ) r on true
  left join lateral (
    select j.seq
    from journal j
    where j.reverses_seq = coalesce(r.seq, o.seq) and j.book_id = u.book_id
    offset 0
  ) v on true
  cross join lateral (
    select x.line, x.account_id, x.currency, x.layer, x.direction, x.amount_cents
    from entry x
    where x.book_id = u.book_id and x.seq = o.seq
    offset 0
  ) e
  order by u.place, e.line;
end $$;
grant execute on function ledger.read_transactions(uuid[], uuid[]) to ledger;
