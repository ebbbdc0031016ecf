-- The checks of a batch of journals. Headers close a batch: the database verifies the whole batch by itself,
-- advances the hash chain and writes a checkpoint.
-- Each check scans one range per book, between two constants: a join with the transition table would scan the big
-- tables. Joins inside a batch are hash joins; nested loops are off except in `lateral … offset 0`. The plain
-- functions run under the settings of the trigger that calls them.
-- Locks: the heads of the books in book order. Raises LG004 to LG010, LG013 and LG014, each with a constraint name.

-- The first journal of a range that breaks a rule. Every (journal, layer, currency) sums to zero and every line
-- exists. A journal that resolves or reverses another is its exact opposite, line for line, in the same
-- transaction: a settlement first discharges its hold's lines and then posts them. A Reverse offsets a Post or a
-- Settle of no order: an order's settlement comes back by LateReturn alone. Suspense may replace an account that
-- has been closed. (The prover has a check of its own: it shares nothing with what it verifies.)
create function ledger.invalid_journal(in_book uuid, in_first bigint, in_last bigint,
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
      -- A late return or reversal offsets the second half of a settlement: the first half discharged the hold.
      o.kind = 'Settle' as origin_settles
    from journal j
    left join lateral (
      select x.kind, x.transaction_id, x.order_id, x.line_count
      from journal x
      where x.book_id = in_book and x.seq = coalesce(j.resolves_seq, j.reverses_seq)
      offset 0
    ) o on true
    where j.book_id = in_book and j.seq between in_first and in_last
  ), numbered as (
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
    from numbered e
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

-- Floors: once per (journal, account), after its last line, only for holds and manual postings, and only where the
-- journal lowers available. What the bank forces is booked even if it takes an account below zero. Kinds are
-- compared by name: in terms of resolves_seq and reverses_seq, a cached plan could pick the partial index on
-- openings.
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
      and j.kind in ('Hold', 'Post')
    window lines as (partition by e.seq, e.account_id)
    order by e.seq, e.account_id, e.account_version desc
  ) touched
  where case touched.normal_balance
    when 'Credit' then touched.moved_if_credit_normal < 0 and touched.posted - touched.open_debit < 0
    else touched.moved_if_debit_normal < 0 and -touched.posted - touched.open_credit < 0
  end
  limit 1;
end $$;

create function ledger.headers_close_batch() returns trigger
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
  violation record;
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
      raise exception 'the last journal of book % is %: journals % to % leave a gap',
        batch.book_id, head.last_seq, batch.first_seq, batch.last_seq
        using errcode = 'LG006', constraint = 'journal_sequence_gap_free';
    end if;

    select j.seq into violation
    from (
      select n.seq, n.recorded_at, lag(n.recorded_at, 1, head.recorded_at) over (order by n.seq) as before
      from new_journal n
      where n.book_id = batch.book_id
    ) j
    where j.recorded_at <= j.before
    limit 1;
    if found then
      raise exception 'journal % of book % was recorded before its predecessor', violation.seq, batch.book_id
        using errcode = 'LG009', constraint = 'journal_recorded_at_rises';
    end if;

    select * into violation from invalid_journal(batch.book_id, batch.first_seq, batch.last_seq);
    if violation.seq is not null and not violation.complete then
      raise exception 'journal % of book % lacks lines', violation.seq, batch.book_id
        using errcode = 'LG007', constraint = 'journal_lines_complete';
    elsif violation.seq is not null and not violation.balanced then
      raise exception 'journal % of book % does not balance', violation.seq, batch.book_id
        using errcode = 'LG005', constraint = 'journal_balances';
    elsif violation.seq is not null then
      raise exception 'journal % of book % does not have the lines that its kind demands', violation.seq, batch.book_id
        using errcode = 'LG008', constraint = 'journal_resolution_exact';
    end if;

    select * into violation from journal_below_floor(batch.book_id, batch.first_seq, batch.last_seq);
    if violation.seq is not null then
      raise exception 'journal % of book % takes account % below its floor',
        violation.seq, batch.book_id, violation.account_id
        using errcode = 'LG004', constraint = 'account_floor';
    end if;

    foreach digest in array batch.digests loop
      head.head_hash := sha256(head.head_hash || digest);
    end loop;
    update book_head h
    set last_seq = batch.last_seq, head_hash = head.head_hash, recorded_at = batch.recorded_at
    where h.book_id = batch.book_id;
    perform write_checkpoint(batch.book_id, batch.first_seq);
  end loop;
  return null;
end $$;

-- A checkpoint holds the trial balance per layer (checked by constraints of the table). Before it is written, the
-- accounting equation must hold: cash + wallet = tenant accounts + Suspense + (obligation liabilities - obligation
-- expenses), all posted.
create function ledger.write_checkpoint(in_book uuid, in_first bigint) returns void
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
          filter (where t.class in ('FuelTaxExpense', 'OperatorSettlementExpense', 'ObligationExpense')), 0)
  limit 1;
  if found then
    raise exception 'book % does not hold the % that it owes', in_book, broken.currency
      using errcode = 'LG010', constraint = 'accounting_equation';
  end if;
  insert into checkpoint (book_id, first_seq, last_seq, head_hash, recorded_at,
    posted_debit, posted_credit, pending_debit, pending_credit)
  select h.book_id, in_first, h.last_seq, h.head_hash, h.recorded_at,
    total(t.posted_debit), total(t.posted_credit),
    total(t.held_debit + t.released_credit), total(t.held_credit + t.released_debit)
  from book_head h
  join class_total t on t.book_id = h.book_id
  where h.book_id = in_book
  group by h.book_id;
end $$;

-- The batch has moved the class totals before its checkpoint is written: the checkpoint gets a copy.
create function ledger.checkpoint_copies_class_totals() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  select array_agg((t.class, t.normal_balance, t.currency, t.held_debit, t.held_credit, t.released_debit,
    t.released_credit, t.posted_debit, t.posted_credit)::class_counters)
  into new.class_totals
  from class_total t
  where t.book_id = new.book_id
    and t.held_debit + t.held_credit + t.posted_debit + t.posted_credit > 0;
  return new;
end $$;
create trigger checkpoint_copies_class_totals before insert on ledger.checkpoint
  for each row execute function ledger.checkpoint_copies_class_totals();

-- Which classes of account each kind of journal may move money between. Balance alone does not prove that the
-- accounts are right: a forged Accrue between two tenants' accounts balances, too. Resolutions and reversals have
-- their origin's lines (invalid_journal), so only openings are checked, with one probe by key for each entry.
create function ledger.journals_use_their_accounts() returns trigger
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
  violation record;
begin
  for batch in
    select n.book_id, min(n.seq) as first_seq, max(n.seq) as last_seq
    from new_journal n
    where n.resolves_seq is null and n.reverses_seq is null
    group by n.book_id
  loop
    select h.seq, h.kind into violation
    from (
      select n.seq, n.kind, n.order_id is not null as ordered
      from new_journal n
      where n.book_id = batch.book_id and n.resolves_seq is null and n.reverses_seq is null
    ) h
    join (
      select e.seq, count(*) as lines,
        count(*) filter (where a.class = 'Tenant') as own,
        count(*) filter (where a.class in ('SettlementCash', 'StablecoinWallet')) as bank,
        count(*) filter (where a.class = 'Suspense') as suspense,
        count(*) filter (where a.class = 'ObligationLiability') as liability,
        count(*) filter (where a.class in ('FuelTaxExpense', 'OperatorSettlementExpense', 'ObligationExpense')) as expense,
        -- For a journal of two lines: the source and the target of the money.
        max(a.class) filter (where e.direction = 'Debit') as debited,
        max(a.class) filter (where e.direction = 'Credit') as credited
      from (
        select x.seq, x.account_id, x.direction
        from entry x
        where x.book_id = batch.book_id and x.seq between batch.first_seq and batch.last_seq
      ) e
      cross join lateral (
        select x.class
        from account x
        where x.book_id = batch.book_id and x.account_id = e.account_id
        offset 0
      ) a
      group by e.seq
    ) t on t.seq = h.seq
    where case h.kind
      when 'Hold' then case
        when not h.ordered then t.own = t.lines
        when t.lines = 2 then t.own > 0 and t.own + t.bank = 2
        else t.lines = 4 and t.own = 1 and t.bank = 1 and t.liability = 1 and t.expense = 1
      end
      when 'Post' then case
        when not h.ordered then t.own = t.lines
        else t.lines = 2 and t.suspense = 1 and t.bank = 1
      end
      when 'Inbound' then t.lines = 2 and t.bank = 1 and t.debited in ('SettlementCash', 'StablecoinWallet')
        and t.credited in ('Tenant', 'Suspense')
      when 'Assign' then t.lines = 2 and t.debited = 'Suspense' and t.credited = 'Tenant'
      when 'Accrue' then t.lines = 2 and t.liability = 1 and t.expense = 1
      else false
    end is not true
    limit 1;
    if found then
      raise exception 'journal % of book % uses accounts that a % may not', violation.seq, batch.book_id, violation.kind
        using errcode = 'LG013', constraint = 'journal_accounts_of_its_kind';
    end if;
  end loop;
  return null;
end $$;

-- No manual transaction takes effect in a closed period: what was reconciled with the bank stays as it was. Checked for
-- journals of no order that open a transaction by hand or post a pending one: callers choose the date of these only.
-- What the bank forces is booked on the day it happened, closed or not. The service itself dates releases, reversals,
-- accruals and assignments, at the time of the request. Periods are closed under the head's lock, which the batch
-- holds.
create function ledger.journal_in_open_period() returns trigger
language plpgsql security definer
set search_path = ledger, pg_temp
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
declare
  closed_until timestamptz;
begin
  select c.closed_through into closed_until
  from closed_period c
  where c.book_id = new.book_id
  order by c.closed_through desc
  limit 1;
  if new.effective_at <= closed_until then
    raise exception 'manual journal % of book % takes effect at %, and its period is closed through %',
      new.seq, new.book_id, new.effective_at, closed_until
      using errcode = 'LG014', constraint = 'journal_period_open';
  end if;
  return null;
end $$;

-- For each row, so that its condition spares the journals of orders any cost. Partitions inherit it.
create trigger journal_in_open_period after insert on ledger.journal
  for each row when (new.order_id is null and new.kind in ('Post', 'Hold', 'Settle'))
  execute function ledger.journal_in_open_period();

-- Attached to the parent and to each partition: a statement trigger of the parent does not fire for an insert into a
-- partition. They fire in the order of their names.
do $$
declare
  target text;
begin
  for target in
    select c.relname from pg_class c
    where c.relnamespace = 'ledger'::regnamespace and c.relname ~ '^journal(_[0-9]+)?$' and c.relkind in ('r', 'p')
  loop
    execute format('create trigger headers_close_batch after insert on ledger.%I
      referencing new table as new_journal
      for each statement execute function ledger.headers_close_batch()', target);
    execute format('create trigger journals_use_their_accounts after insert on ledger.%I
      referencing new table as new_journal
      for each statement execute function ledger.journals_use_their_accounts()', target);
  end loop;
end $$;
