-- Three more ways to open a transaction: money that came in (Inbound), what of Suspense finds its account (Assign), and
-- a liability that becomes fixed (Accrue). From now on an opening is a journal that neither resolves nor reverses, so
-- that the next kind changes nothing here. A manual transaction may wait as a hold, so a Reverse may offset a Settle,
-- of no order: an order's settlement comes back by LateReturn alone.

alter type ledger.journal_kind add value 'Inbound';
alter type ledger.journal_kind add value 'Assign';
alter type ledger.journal_kind add value 'Accrue';

drop index ledger.journal_one_opening;
create unique index journal_one_opening on ledger.journal (transaction_id, book_id)
  where resolves_seq is null and reverses_seq is null;
-- A violation names the partition's index: it shall say what was violated (0002).
do $$
declare
  made record;
begin
  for made in
    select child.relname as child, 'journal_one_opening_' || substring(child.relname from '^journal_([0-9]+)_') as name
    from pg_inherits i
    join pg_class child on child.oid = i.inhrelid
    where i.inhparent = 'ledger.journal_one_opening'::regclass
  loop
    execute format('alter index ledger.%I rename to %I', made.child, made.name);
  end loop;
end $$;

-- As in 0004, but for what fits what.
create or replace function ledger.faulty_journal(in_book uuid, in_first bigint, in_last bigint,
  out seq bigint, out complete boolean, out balanced boolean)
language plpgsql stable as $$
begin
  with header as materialized (
    select j.seq, j.kind, j.line_count, j.resolves_seq, j.reverses_seq,
      coalesce(j.resolves_seq, j.reverses_seq) as origin_seq,
      coalesce(j.resolves_seq, j.reverses_seq) is null or (
        o.transaction_id = j.transaction_id
        and o.order_id is not distinct from j.order_id
        and case j.kind
          when 'Settle' then o.kind = 'Hold' and j.line_count = o.line_count * 2
          when 'Release' then o.kind = 'Hold' and j.line_count = o.line_count
          when 'LateReturn' then o.kind = 'Settle' and o.order_id is not null and j.line_count * 2 = o.line_count
          when 'Reverse' then o.order_id is null and case o.kind
            when 'Post' then j.line_count = o.line_count
            when 'Settle' then j.line_count * 2 = o.line_count
            else false
          end
          else false
        end
      ) as fits,
      -- What is offset of a settlement is its second half: the first discharged the hold.
      o.kind = 'Settle' as origin_settles
    from journal j
    left join lateral (
      select x.kind, x.transaction_id, x.order_id, x.line_count
      from journal x
      where x.book_id = in_book and x.seq = coalesce(j.resolves_seq, j.reverses_seq)
      offset 0
    ) o on true
    where j.book_id = in_book and j.seq between in_first and in_last
  ), placed as (
    select e.*, h.kind, h.origin_seq,
      h.kind = 'Settle' and e.line * 2 > h.line_count as posts_hold,
      case h.kind
        when 'Settle' then e.line - case when e.line * 2 > h.line_count then h.line_count / 2 else 0 end
        else e.line + case when h.origin_settles then h.line_count else 0 end
      end as origin_line
    from header h
    join (
      select x.seq, x.line, x.account_id, x.currency, x.layer, x.role, x.direction, x.amount_cents
      from entry x
      where x.book_id = in_book and x.seq between in_first and in_last
    ) e on e.seq = h.seq
  ), part as (
    select e.seq, count(*) as lines, max(e.line) as last_line,
      total(case e.direction when 'Debit' then e.amount_cents else -e.amount_cents end) as cents,
      bool_and(
        case when e.kind = 'Settle' and not e.posts_hold or e.kind = 'Release'
          then e.layer = 'Pending' and e.role = 'Discharge'
          else e.role = 'Normal' and e.layer = (case e.kind when 'Hold' then 'Pending' else 'Posted' end)::layer
        end
        and (e.origin_seq is null or coalesce(
          o.currency = e.currency
          and o.amount_cents = e.amount_cents
          and (o.direction = e.direction) = e.posts_hold
          and (o.account_id = e.account_id or e.layer = 'Posted' and e.kind <> 'Reverse' and exists (
            select
            from account a
            join account s on s.book_id = a.book_id and s.account_id = e.account_id and s.class = 'Suspense'
            where a.book_id = in_book and a.account_id = o.account_id and a.closed_at is not null
          )), false))
      ) as exact
    from placed e
    left join lateral (
      select x.account_id, x.currency, x.amount_cents, x.direction
      from entry x
      where x.book_id = in_book and x.seq = e.origin_seq and x.line = e.origin_line
      offset 0
    ) o on true
    group by e.seq, e.layer, e.currency
  ), whole as (
    select p.seq, total(p.lines) as lines, max(p.last_line) as last_line,
      bool_and(p.cents = 0) as balanced, bool_and(p.exact) as exact
    from part p
    group by p.seq
  )
  select h.seq,
    coalesce(w.lines = h.line_count and w.last_line = h.line_count, false),
    coalesce(w.balanced, false)
  into seq, complete, balanced
  from header h
  left join whole w on w.seq = h.seq
  where (w.lines = h.line_count and w.last_line = h.line_count and w.balanced and w.exact and h.fits) is not true
  order by h.seq
  limit 1;
end $$;

-- As in 0006, whatever kind opens.
create or replace function ledger.read_transactions(in_books uuid[], in_transactions uuid[])
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
    select (array_agg(j.order_id) filter (where j.opens))[1] as order_id,
      max(j.seq) filter (where j.opens) as opening_seq,
      max(j.kind) filter (where j.opens) as opening_kind,
      max(j.seq) filter (where j.kind in ('Settle', 'Release')) as resolution_seq,
      max(j.kind) filter (where j.kind in ('Settle', 'Release')) as resolution_kind,
      max(j.seq) filter (where j.kind in ('LateReturn', 'Reverse')) as reversal_seq
    from (
      -- By its id alone, in every partition: with the book in the clause, a kept plan may come by the primary key.
      select x.book_id, x.seq, x.kind, x.order_id,
        x.resolves_seq is null and x.reverses_seq is null as opens
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
