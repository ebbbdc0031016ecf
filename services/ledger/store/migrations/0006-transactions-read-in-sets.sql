-- The transactions that a batch of commands goes on with: opening journal and its lines, resolution, reversal.
-- A function, so that its plan (index scans over all partitions, 1.3 ms to plan) is made once per connection; probes
-- only (`lateral … offset 0`), so that the plan holds whatever the statistics say. One probe finds all journals of a
-- transaction: what resolves or reverses is of the same transaction (0004). Locks nothing: the heads are held.

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
  select u.book_id, u.transaction_id, t.order_id, t.opening_seq, t.opening_kind, t.resolution_seq, t.resolution_kind,
    t.reversal_seq, e.account_id, e.currency, e.layer, e.direction, e.amount_cents
  from unnest(in_books, in_transactions) with ordinality as u (book_id, transaction_id, place)
  cross join lateral (
    select (array_agg(j.order_id) filter (where j.kind in ('Hold', 'Post')))[1] as order_id,
      max(j.seq) filter (where j.kind in ('Hold', 'Post')) as opening_seq,
      max(j.kind) filter (where j.kind in ('Hold', 'Post')) as opening_kind,
      max(j.seq) filter (where j.kind in ('Settle', 'Release')) as resolution_seq,
      max(j.kind) filter (where j.kind in ('Settle', 'Release')) as resolution_kind,
      max(j.seq) filter (where j.kind in ('LateReturn', 'Reverse')) as reversal_seq
    from (
      -- By its id alone, in every partition: with the book in the clause, a kept plan may come by the primary key.
      select x.book_id, x.seq, x.kind, x.order_id
      from journal x
      where x.transaction_id = u.transaction_id
      offset 0
    ) j
    where j.book_id = u.book_id
  ) t
  cross join lateral (
    select x.line, x.account_id, x.currency, x.layer, x.direction, x.amount_cents
    from entry x
    where x.book_id = u.book_id and x.seq = t.opening_seq
    offset 0
  ) e
  order by u.place, e.line;
end $$;
grant execute on function ledger.read_transactions(uuid[], uuid[]) to ledger;
