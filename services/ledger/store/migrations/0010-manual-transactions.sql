-- What a caller says of a transaction beside its entries, the periods that are closed to new effective dates, and the end
-- of an account. All of it is append-only; what money moved stands in journals alone.

-- A manual transaction's own words. An order's, inbound payment's or obligation's transaction has no row: its owner has.
create table ledger.transaction_detail (
  book_id uuid not null,
  transaction_id uuid not null,
  description text not null,
  basis text not null,
  external_id text,
  metadata jsonb not null default '{}',
  constraint transaction_detail_pk primary key (book_id, transaction_id),
  constraint transaction_detail_book_fk foreign key (book_id) references ledger.book,
  constraint transaction_detail_description_length check (char_length(description) between 1 and 255),
  constraint transaction_detail_basis_known check (basis in ('Actual', 'Demo', 'Missing'))
);
-- `greatest` keeps the book in the key and out of the planner's sight (0001).
create unique index transaction_external_id_unique on ledger.transaction_detail
  (external_id, greatest(book_id, '00000000-0000-0000-0000-000000000000'))
  where external_id is not null;

-- Why a journal that goes on with a transaction was written (a reversal's description).
create table ledger.journal_note (
  book_id uuid not null,
  seq bigint not null,
  description text not null,
  constraint journal_note_pk primary key (book_id, seq),
  constraint journal_note_book_fk foreign key (book_id) references ledger.book,
  constraint journal_note_description_length check (char_length(description) between 1 and 255)
);

-- Nothing manual takes effect at or before the newest `closed_through` of its book.
create table ledger.closed_period (
  book_id uuid not null,
  closed_through timestamptz not null,
  reason text not null,
  recorded_at timestamptz not null default clock_timestamp(),
  constraint closed_period_pk primary key (book_id, closed_through),
  constraint closed_period_book_fk foreign key (book_id) references ledger.book,
  constraint closed_period_reason_said check (reason <> '')
);

do $$
declare
  target text;
begin
  foreach target in array array['transaction_detail', 'journal_note', 'closed_period'] loop
    execute format('create trigger append_only before update or delete on ledger.%I
      for each row execute function ledger.refuse_change()', target);
    execute format('create trigger never_truncated before truncate on ledger.%I
      for each statement execute function ledger.refuse_change()', target);
    execute format('grant select, insert on ledger.%I to ledger', target);
  end loop;
end $$;

-- An account closes once, for ever, and empty: what would still land on it has nowhere else that is right. Under the
-- head's lock no journal slips in between the look and the close.
create function ledger.account_closes_empty() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  perform from book_head h where h.book_id = new.book_id for update;
  if old.closed_at is not null then
    raise exception 'account % was closed at %, for ever', old.account_id, old.closed_at
      using errcode = 'LG001', constraint = 'account_identity';
  end if;
  if new.class <> 'Tenant' or not exists (
    select
    from account_balance b
    where b.book_id = new.book_id and b.account_id = new.account_id
      and b.held_debit = b.released_debit and b.held_credit = b.released_credit and b.posted_debit = b.posted_credit
  ) then
    raise exception 'account % is the chart''s or not empty', new.account_id
      using errcode = 'LG012', constraint = 'account_closes_empty';
  end if;
  return new;
end $$;
create trigger account_closes_empty before update on ledger.account
  for each row when (new.closed_at is distinct from old.closed_at)
  execute function ledger.account_closes_empty();

-- The service's role can't update: this is all that it may change of an account.
create function ledger.close_account(in_book uuid, in_account uuid) returns void
language sql volatile security definer set search_path = ledger, pg_temp as $$
  update account a set closed_at = clock_timestamp() where a.book_id = in_book and a.account_id = in_account
$$;
revoke all on function ledger.close_account(uuid, uuid) from public;
grant execute on function ledger.close_account(uuid, uuid) to ledger;

-- The first journal recorded at or after a time; one past the last where none was. Sequences have no gap and record time
-- rises with them, so some forty probes of the primary key find it in any book: no index on time is kept for a filter.
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
grant execute on function ledger.first_journal_at(uuid, timestamptz) to ledger;

-- The same among one account's entries, by version: the first that stands at or behind a sequence.
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
grant execute on function ledger.first_version_at(uuid, uuid, bigint) to ledger;
