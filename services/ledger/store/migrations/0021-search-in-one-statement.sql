-- A read as of a time ran one statement per probe. One recursive statement probes the same keys in the same order, and
-- Postgres sets it up once: with 600,000 entries a read costs it 704 µs of CPU instead of 869 (ADR 30). For an unknown
-- book or account both functions return 1, as before. Plans must use the index even if they are made while the tables
-- are empty. Locks: none.

-- The first journal recorded at or after a time; one past the last if there is none. Sequences have no gap and
-- record time rises with them, so a binary search of some twenty probes of the primary key finds it: no index on
-- time is needed.
create or replace function ledger.first_journal_at(in_book uuid, in_time timestamptz) returns bigint
language plpgsql stable set search_path = ledger, pg_temp set plan_cache_mode = force_generic_plan
set enable_seqscan = off as $$
begin
  return coalesce((
    with recursive search (low, high) as (
      select 1::bigint, h.last_seq + 1 from book_head h where h.book_id = in_book
      union all
      select
        case when j.recorded_at < in_time then m.middle + 1 else s.low end,
        case when j.recorded_at < in_time then s.high else m.middle end
      from search s
      cross join lateral (select s.low + (s.high - s.low) / 2 as middle) m
      left join lateral (
        select x.recorded_at from journal x where x.book_id = in_book and x.seq = m.middle offset 0
      ) j on true
      where s.low < s.high
    )
    select s.low from search s where s.low >= s.high
  ), 1);
end $$;

-- The same among one account's entries, by version: the first entry at or after a sequence.
create or replace function ledger.first_version_at(in_book uuid, in_account uuid, in_seq bigint) returns bigint
language plpgsql stable set search_path = ledger, pg_temp set plan_cache_mode = force_generic_plan
set enable_seqscan = off as $$
begin
  return coalesce((
    with recursive search (low, high) as (
      select 1::bigint, b.version + 1
      from account_balance b
      where b.book_id = in_book and b.account_id = in_account
      union all
      select
        case when e.seq < in_seq then m.middle + 1 else s.low end,
        case when e.seq < in_seq then s.high else m.middle end
      from search s
      cross join lateral (select s.low + (s.high - s.low) / 2 as middle) m
      left join lateral (
        select x.seq
        from entry x
        where x.book_id = in_book and x.account_id = in_account and x.account_version = m.middle
        offset 0
      ) e on true
      where s.low < s.high
    )
    select s.low from search s where s.low >= s.high
  ), 1);
end $$;
