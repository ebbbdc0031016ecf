-- Sums of counters over several accounts are numeric. Each account's counters fit 64 bits: the writer refuses what a
-- tenant causes beyond 2^62, and keeps the rest for what the bank forces (rejectGrossTotal in book/rejections.ts). The
-- sum over accounts has no such bound: two accounts at 2^62 overflowed their class, and then no journal of the book
-- could be appended, not even what the bank had moved.
--
-- What stays 64 bits: entry, account_balance and account_day (one account; a sum over some of its journals is never
-- beyond its counters), `moved` in entries_move_balances and journals_move_days (one batch).
--
-- Run it while no ledger of the previous version runs: it rewrites `checkpoint` under its lock, and the previous
-- auditor reads these columns as 64-bit numbers.

create aggregate ledger.total(numeric) (sfunc = numeric_add, stype = numeric, initcond = '0');

alter table ledger.class_total
  alter column held_debit type numeric, alter column held_credit type numeric,
  alter column released_debit type numeric, alter column released_credit type numeric,
  alter column posted_debit type numeric, alter column posted_credit type numeric;

alter table ledger.class_day
  alter column held_debit type numeric, alter column held_credit type numeric,
  alter column released_debit type numeric, alter column released_credit type numeric,
  alter column posted_debit type numeric, alter column posted_credit type numeric;

-- A type that a table uses can't be altered.
create type ledger.class_sums as (
  class ledger.account_class,
  normal_balance ledger.side,
  currency text,
  held_debit numeric,
  held_credit numeric,
  released_debit numeric,
  released_credit numeric,
  posted_debit numeric,
  posted_credit numeric
);
drop function ledger.classes_as_of(uuid, bigint, date);
alter table ledger.checkpoint
  alter column posted_debit type numeric, alter column posted_credit type numeric,
  alter column pending_debit type numeric, alter column pending_credit type numeric,
  alter column class_totals type ledger.class_sums[] using class_totals::text::ledger.class_sums[];
drop type ledger.class_counters;
alter type ledger.class_sums rename to class_counters;

-- As in 0003, over numeric sums.
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
grant execute on function ledger.classes_as_of(uuid, bigint, date) to ledger;
