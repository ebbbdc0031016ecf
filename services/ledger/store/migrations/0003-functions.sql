-- Functions that the service calls. Those marked `security definer` do what the service's own role may not (0007).

-- A role without UPDATE can't `select … for update`: the service locks book heads through this, in book order.
create function ledger.lock_books(in_books uuid[])
returns table (book_id uuid, last_seq bigint, account_changes bigint, state ledger.book_state)
language sql volatile security definer set search_path = ledger, pg_temp as $$
  select h.book_id, h.last_seq, h.account_changes, h.state
  from book_head h
  where h.book_id = any (in_books)
  order by h.book_id
  for update
$$;

-- All that the service may change of an account.
create function ledger.close_account(in_book uuid, in_account uuid) returns void
language sql volatile security definer set search_path = ledger, pg_temp as $$
  update account a set closed_at = clock_timestamp() where a.book_id = in_book and a.account_id = in_account
$$;

-- The transactions that a batch of commands continues: opening journal with its lines, resolution, reversal.
-- A function, so that its plan (index scans over all partitions, 1.3 ms to plan) is made once per connection. It only
-- probes indexes (`lateral … offset 0`), so that the plan is right whatever the statistics say. One probe finds all
-- journals of a transaction, because resolutions and reversals belong to the same transaction (0005).
-- Takes no locks: the caller holds the heads.
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
  from unnest(in_books, in_transactions) with ordinality as u (book_id, transaction_id, position)
  cross join lateral (
    select (array_agg(j.order_id) filter (where j.opens))[1] as order_id,
      max(j.seq) filter (where j.opens) as opening_seq,
      max(j.kind) filter (where j.opens) as opening_kind,
      max(j.seq) filter (where j.kind in ('Settle', 'Release')) as resolution_seq,
      max(j.kind) filter (where j.kind in ('Settle', 'Release')) as resolution_kind,
      max(j.seq) filter (where j.kind in ('LateReturn', 'Reverse')) as reversal_seq
    from (
      -- By its id alone, in every partition: with the book in the clause, a cached plan may use the primary key.
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
  order by u.position, e.line;
end $$;

-- The first journal recorded at or after a time; one past the last if there is none. Sequences have no gap and
-- record time rises with them, so a binary search of some forty probes of the primary key finds it: no index on
-- time is needed.
create function ledger.first_journal_at(in_book uuid, in_time timestamptz) returns bigint
language plpgsql stable set search_path = ledger, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  low bigint := 1;
  high bigint;
  middle bigint;
begin
  select h.last_seq + 1 into high from book_head h where h.book_id = in_book;
  while low < high loop
    middle := low + (high - low) / 2;
    if (select j.recorded_at from journal j where j.book_id = in_book and j.seq = middle) < in_time
    then low := middle + 1;
    else high := middle;
    end if;
  end loop;
  return coalesce(low, 1);
end $$;

-- The same among one account's entries, by version: the first entry at or after a sequence.
create function ledger.first_version_at(in_book uuid, in_account uuid, in_seq bigint) returns bigint
language plpgsql stable set search_path = ledger, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  low bigint := 1;
  high bigint;
  middle bigint;
begin
  select b.version + 1 into high from account_balance b where b.book_id = in_book and b.account_id = in_account;
  while low < high loop
    middle := low + (high - low) / 2;
    if (
      select e.seq from entry e
      where e.book_id = in_book and e.account_id = in_account and e.account_version = middle
    ) < in_seq
    then low := middle + 1;
    else high := middle;
    end if;
  end loop;
  return coalesce(low, 1);
end $$;

-- Balances as of a time. By record time: the state after the last batch that was recorded before it. Entries carry
-- their account's running totals, checkpoints those of the classes, so nothing is summed. By effective day (New
-- York): that state, plus the sum of account_day or class_day up to the day.

-- Waits until no journal can still be recorded before `in_end`, then returns true, so that an answer about that
-- time never changes. Returns false if `in_end` is in the future (it waits for at most the current millisecond). A
-- batch reads its clock under the head's lock, so waiting for that lock waits for the batch. The inner block fails
-- on purpose: that gives the lock back at once. A book that has a later batch already is not locked at all.
create function ledger.no_more_journals_before(in_book uuid, in_end timestamptz) returns boolean
language plpgsql volatile security definer set search_path = ledger, pg_temp as $$
begin
  if in_end > clock_timestamp() then
    if in_end > clock_timestamp() + interval '1 millisecond' then
      return false;
    end if;
    perform pg_sleep(extract(epoch from in_end - clock_timestamp()));
  end if;
  if exists (select from book_head h where h.book_id = in_book and h.recorded_at < in_end) then
    begin
      perform from book_head h where h.book_id = in_book for update;
      raise sqlstate 'LG099';
    exception when sqlstate 'LG099' then null;
    end;
  end if;
  return true;
end $$;

-- The last journal of the last batch recorded before a time; 0 before the first. Probes primary keys only.
create function ledger.checkpoint_before(in_book uuid, in_end timestamptz) returns bigint
language plpgsql stable set search_path = ledger, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  next_seq bigint := first_journal_at(in_book, in_end);
begin
  return coalesce(
    (select c.last_seq
    from checkpoint c
    where c.book_id = in_book and c.last_seq < next_seq
    order by c.last_seq desc
    limit 1), 0);
end $$;

-- An account's counters after journal `in_seq`, plus the differences of the days up to `in_day` (null: none). The
-- stored balance answers for an account without later entries; for others, some twenty probes find the entry.
create function ledger.account_as_of(in_book uuid, in_account uuid, in_seq bigint, in_day date,
  out last_seq bigint, out held_debit bigint, out held_credit bigint, out released_debit bigint,
  out released_credit bigint, out posted_debit bigint, out posted_credit bigint)
language plpgsql stable set search_path = ledger, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  newest bigint;
  found_version bigint;
  difference record;
begin
  select b.last_seq, b.held_debit, b.held_credit, b.released_debit, b.released_credit, b.posted_debit, b.posted_credit
  into last_seq, held_debit, held_credit, released_debit, released_credit, posted_debit, posted_credit
  from account_balance b
  where b.book_id = in_book and b.account_id = in_account;
  newest := last_seq;
  if last_seq > in_seq then
    found_version := first_version_at(in_book, in_account, in_seq + 1) - 1;
    select e.seq, e.held_debit, e.held_credit, e.released_debit, e.released_credit, e.posted_debit, e.posted_credit
    into last_seq, held_debit, held_credit, released_debit, released_credit, posted_debit, posted_credit
    from entry e
    where e.book_id = in_book and e.account_id = in_account
      and e.account_version = found_version;
    if not found then
      select 0, 0, 0, 0, 0, 0, 0
      into last_seq, held_debit, held_credit, released_debit, released_credit, posted_debit, posted_credit;
    end if;
  end if;
  if in_day is not null then
    select total(d.held_debit) as held_debit, total(d.held_credit) as held_credit,
      total(d.released_debit) as released_debit, total(d.released_credit) as released_credit,
      total(d.posted_debit) as posted_debit, total(d.posted_credit) as posted_credit
    into difference
    from account_day d
    where d.book_id = in_book and d.account_id = in_account and d.day <= in_day;
    held_debit := held_debit + difference.held_debit;
    held_credit := held_credit + difference.held_credit;
    released_debit := released_debit + difference.released_debit;
    released_credit := released_credit + difference.released_credit;
    posted_debit := posted_debit + difference.posted_debit;
    posted_credit := posted_credit + difference.posted_credit;
    -- The days hold everything recorded until now, whatever `in_seq` is.
    last_seq := newest;
  end if;
end $$;

-- The same per class: what the checkpoint holds, plus the differences of the days.
create function ledger.classes_as_of(in_book uuid, in_seq bigint, in_day date) returns setof ledger.class_counters
language plpgsql stable set search_path = ledger, pg_temp set plan_cache_mode = force_generic_plan as $$
begin
  return query
  select c.class, c.normal_balance, c.currency, total(c.held_debit), total(c.held_credit), total(c.released_debit),
    total(c.released_credit), total(c.posted_debit), total(c.posted_credit)
  from (
    select k.*
    from checkpoint s
    cross join lateral unnest(s.class_totals) k
    where s.book_id = in_book and s.last_seq = in_seq
    union all
    select d.class, d.normal_balance, d.currency, d.held_debit, d.held_credit, d.released_debit, d.released_credit,
      d.posted_debit, d.posted_credit
    from class_day d
    where d.book_id = in_book and d.day <= in_day
    union all
    -- A class without entries is zero, not missing.
    select t.class, t.normal_balance, t.currency, 0, 0, 0, 0, 0, 0 from class_total t where t.book_id = in_book
  ) c
  group by c.class, c.normal_balance, c.currency;
end $$;
