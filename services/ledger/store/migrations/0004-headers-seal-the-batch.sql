-- Journal headers close a batch: the database checks the whole of it by itself, advances the chain and seals.
-- One range scan per book and check, with scalar bounds: a join with the transition table would scan the big tables.
-- What joins batch with batch must hash whatever the statistics say, so nested loops are left to `lateral … offset 0`.
-- The functions below run under the trigger's settings, which are set there once.
-- Locks: the heads of the books in book order. Raised codes: LG004 to LG010, each with a constraint name.

-- What is wrong with the journals of a range, the first of them. Every (journal, layer, currency) sums to zero and every
-- line is there. A journal that resolves or reverses another is exactly its opposite, line for line, in the same
-- transaction: a settlement discharges its hold's lines first and then posts them. What a closed account was to get,
-- Suspense gets. (The prover has its own check: it shares nothing with what it judges.)
create function ledger.faulty_journal(in_book uuid, in_first bigint, in_last bigint,
  out seq bigint, out complete boolean, out balanced boolean)
language plpgsql stable as $$
begin
  with header as materialized (
    select j.seq, j.kind, j.line_count, j.resolves_seq, j.reverses_seq,
      coalesce(j.resolves_seq, j.reverses_seq) as origin_seq,
      j.kind in ('Hold', 'Post') or (
        o.transaction_id = j.transaction_id
        and o.order_id is not distinct from j.order_id
        and case j.kind
          when 'Settle' then o.kind = 'Hold' and j.line_count = o.line_count * 2
          when 'Release' then o.kind = 'Hold' and j.line_count = o.line_count
          when 'LateReturn' then o.kind = 'Settle' and j.line_count * 2 = o.line_count
          else o.kind = 'Post' and j.line_count = o.line_count
        end
      ) as fits
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
        when 'LateReturn' then e.line + h.line_count
        else e.line
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

-- Floors: once per (journal, account), after its last line, for holds and manual postings only, and only where the
-- journal lowers available. What the bank forces is booked below zero too.
create function ledger.journal_below_floor(in_book uuid, in_first bigint, in_last bigint,
  out seq bigint, out account_id uuid)
language plpgsql stable as $$
begin
  select touched.seq, touched.account_id into seq, account_id
  from (
    select distinct on (e.seq, e.account_id) e.seq, e.account_id, f.normal_balance,
      e.posted_credit - e.posted_debit as posted,
      e.held_debit - e.released_debit as open_debit,
      e.held_credit - e.released_credit as open_credit,
      total(case when e.layer = 'Posted' or e.direction = 'Debit'
        then case e.direction when 'Debit' then -e.amount_cents else e.amount_cents end else 0 end)
        over lines as moved_if_credit_normal,
      total(case when e.layer = 'Posted' or e.direction = 'Credit'
        then case e.direction when 'Credit' then -e.amount_cents else e.amount_cents end else 0 end)
        over lines as moved_if_debit_normal
    from (
      select a.account_id, a.normal_balance
      from (
        select distinct r.account_id
        from (
          select x.account_id
          from entry x
          where x.book_id = in_book and x.seq between in_first and in_last
          offset 0
        ) r
      ) t
      cross join lateral (
        select x.account_id, x.normal_balance
        from account x
        where x.book_id = in_book and x.account_id = t.account_id and x.overdraft = 'Refused'
        offset 0
      ) a
    ) f
    join entry e on e.account_id = f.account_id and e.book_id = in_book and e.seq between in_first and in_last
    join journal j on j.book_id = in_book and j.seq = e.seq and j.seq between in_first and in_last
      -- A hold or a posting, said so that no partial index fits.
      and j.resolves_seq is null and j.reverses_seq is null
    window lines as (partition by e.seq, e.account_id)
    order by e.seq, e.account_id, e.account_version desc
  ) touched
  where case touched.normal_balance
    when 'Credit' then touched.moved_if_credit_normal < 0 and touched.posted - touched.open_debit < 0
    else touched.moved_if_debit_normal < 0 and -touched.posted - touched.open_credit < 0
  end
  limit 1;
end $$;

create function ledger.headers_seal_the_batch() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_nestloop = off
set enable_mergejoin = off
set jit = off
as $$
declare
  batch record;
  head book_head%rowtype;
  fault record;
  digest bytea;
begin
  for batch in
    select n.book_id, min(n.seq) as first_seq, max(n.seq) as last_seq, count(*) as journals,
      max(n.recorded_at) as recorded_at, array_agg(n.digest order by n.seq) as digests
    from new_journal n
    group by n.book_id
    order by n.book_id
  loop
    select * into strict head from book_head h where h.book_id = batch.book_id for update;
    if batch.first_seq <> head.last_seq + 1 or batch.last_seq - batch.first_seq + 1 <> batch.journals then
      raise exception 'book % stands at %: journals % to % leave a gap',
        batch.book_id, head.last_seq, batch.first_seq, batch.last_seq
        using errcode = 'LG006', constraint = 'journal_sequence_gap_free';
    end if;

    select j.seq into fault
    from (
      select n.seq, n.recorded_at, lag(n.recorded_at, 1, head.recorded_at) over (order by n.seq) as before
      from new_journal n
      where n.book_id = batch.book_id
    ) j
    where j.recorded_at <= j.before
    limit 1;
    if found then
      raise exception 'journal % of book % was recorded before its predecessor', fault.seq, batch.book_id
        using errcode = 'LG009', constraint = 'journal_recorded_at_rises';
    end if;

    select * into fault from faulty_journal(batch.book_id, batch.first_seq, batch.last_seq);
    if fault.seq is not null and not fault.complete then
      raise exception 'journal % of book % lacks lines', fault.seq, batch.book_id
        using errcode = 'LG007', constraint = 'journal_lines_complete';
    elsif fault.seq is not null and not fault.balanced then
      raise exception 'journal % of book % does not balance', fault.seq, batch.book_id
        using errcode = 'LG005', constraint = 'journal_balances';
    elsif fault.seq is not null then
      raise exception 'journal % of book % is not exactly what its kind demands', fault.seq, batch.book_id
        using errcode = 'LG008', constraint = 'journal_resolution_exact';
    end if;

    select * into fault from journal_below_floor(batch.book_id, batch.first_seq, batch.last_seq);
    if fault.seq is not null then
      raise exception 'journal % of book % takes account % below its floor',
        fault.seq, batch.book_id, fault.account_id
        using errcode = 'LG004', constraint = 'account_floor';
    end if;

    foreach digest in array batch.digests loop
      head.head_hash := sha256(head.head_hash || digest);
    end loop;
    update book_head h
    set last_seq = batch.last_seq, head_hash = head.head_hash, recorded_at = batch.recorded_at
    where h.book_id = batch.book_id;
    perform seal_book(batch.book_id, batch.first_seq);
  end loop;
  return null;
end $$;

-- The seal: trial balance per layer (constraints of the table) and the equation of money held for others:
-- cash + wallet = tenant accounts + Suspense + (obligation liabilities - obligation expenses), all posted.
create function ledger.seal_book(in_book uuid, in_first bigint) returns void
language plpgsql as $$
declare
  broken record;
begin
  select t.currency into broken
  from class_total t
  where t.book_id = in_book
  group by t.currency
  having coalesce(sum(t.posted_debit - t.posted_credit) filter (where t.class in ('SettlementCash', 'StablecoinWallet')), 0)
    <> coalesce(sum(t.posted_credit - t.posted_debit) filter (where t.class in ('Tenant', 'Suspense')), 0)
      + coalesce(sum(t.posted_credit - t.posted_debit) filter (where t.class = 'ObligationLiability'), 0)
      - coalesce(sum(t.posted_debit - t.posted_credit)
          filter (where t.class in ('FuelTaxExpense', 'OperatorSettlementExpense')), 0)
  limit 1;
  if found then
    raise exception 'book % holds more or less % than it owes', in_book, broken.currency
      using errcode = 'LG010', constraint = 'seal_equation';
  end if;
  insert into seal (book_id, first_seq, last_seq, head_hash, sealed_at,
    posted_debit, posted_credit, pending_debit, pending_credit)
  select h.book_id, in_first, h.last_seq, h.head_hash, h.recorded_at,
    total(t.posted_debit), total(t.posted_credit),
    total(t.held_debit + t.released_credit), total(t.held_credit + t.released_debit)
  from book_head h
  join class_total t on t.book_id = h.book_id
  where h.book_id = in_book
  group by h.book_id;
end $$;
