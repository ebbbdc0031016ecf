-- The record itself: journal headers, their entries, and the outcome of every command.
-- Hash partitions by book keep indexes small and let a big tenant's vacuum run apart.
-- A foreign key to a partitioned table costs some 50 µs a row (it opens every partition), so what refers to journals is
-- checked per batch instead: `resolves_seq` and `reverses_seq` by 0004, and that entries have headers by the deferred
-- key of book_head below, one row a batch.

create type ledger.journal_kind as enum ('Hold', 'Settle', 'Release', 'LateReturn', 'Post', 'Reverse');
create type ledger.layer as enum ('Pending', 'Posted');
create type ledger.entry_role as enum ('Normal', 'Discharge');

create table ledger.journal (
  book_id uuid not null,
  seq bigint not null,
  transaction_id uuid not null,
  order_id uuid,
  command_id uuid not null,
  resolves_seq bigint,
  reverses_seq bigint,
  effective_at timestamptz not null,
  recorded_at timestamptz not null,
  kind ledger.journal_kind not null,
  line_count smallint not null,
  digest bytea not null,
  constraint journal_pk primary key (book_id, seq),
  constraint journal_seq_positive check (seq > 0),
  constraint journal_resolves_a_hold check ((kind in ('Settle', 'Release')) = (resolves_seq is not null)),
  constraint journal_reverses_a_posting check ((kind in ('LateReturn', 'Reverse')) = (reverses_seq is not null)),
  constraint journal_refers_back check (resolves_seq < seq and reverses_seq < seq),
  constraint journal_line_count check (line_count between 2 and 200),
  constraint journal_digest_is_sha256 check (octet_length(digest) = 32)
) partition by hash (book_id);

-- A hold is resolved at most once, a posting reversed at most once, a transaction opened at most once:
-- three indexes, not a status column, so no interleaving can pass them.
create unique index journal_one_resolution on ledger.journal (resolves_seq, book_id) where resolves_seq is not null;
create unique index journal_one_reversal on ledger.journal (reverses_seq, book_id) where reverses_seq is not null;
create unique index journal_one_opening on ledger.journal (transaction_id, book_id) where kind in ('Hold', 'Post');

-- A transaction's journals, all of them, by an id that is unique by itself: the one way in that names no book.
create index journal_by_transaction on ledger.journal (transaction_id);

create table ledger.entry (
  book_id uuid not null,
  account_id uuid not null,
  seq bigint not null,
  amount_cents bigint not null,
  account_version bigint not null,
  held_debit bigint not null,
  held_credit bigint not null,
  released_debit bigint not null,
  released_credit bigint not null,
  posted_debit bigint not null,
  posted_credit bigint not null,
  layer ledger.layer not null,
  role ledger.entry_role not null,
  direction ledger.side not null,
  line smallint not null,
  currency text not null,
  constraint entry_pk primary key (book_id, seq, line),
  constraint entry_account_currency_fk foreign key (book_id, account_id, currency)
    references ledger.account (book_id, account_id, currency),
  constraint entry_amount_range check (amount_cents between 1 and 9007199254740991),
  constraint entry_line_range check (line between 1 and 200),
  constraint entry_discharge_is_pending check (role = 'Normal' or layer = 'Pending')
) partition by hash (book_id);
-- Entries come before their headers (0003 moves `entered_seq`); at commit the last must have one, and since headers are
-- gap-free and complete (0004), then all have.
alter table ledger.book_head add constraint entry_has_header
  foreign key (book_id, entered_seq) references ledger.journal deferrable initially deferred;

-- The inbox with outcomes: a command is answered alike for ever. A refusal is a row here and nothing elsewhere.
create table ledger.command (
  book_id uuid not null,
  command_id uuid not null,
  request_hash bytea not null,
  transaction_id uuid not null,
  seq bigint,
  refusal_code text,
  refusal_detail text,
  recorded_at timestamptz not null default now(),
  constraint command_pk primary key (book_id, command_id),
  constraint command_one_outcome check ((seq is null) = (refusal_code is not null)),
  constraint command_refusal_explained check ((refusal_code is null) = (refusal_detail is null))
);

do $$
declare
  made record;
begin
  for part in 0..7 loop
    execute format('create table ledger.journal_%s partition of ledger.journal
      for values with (modulus 8, remainder %s)', part, part);
    execute format('create table ledger.entry_%s partition of ledger.entry
      for values with (modulus 8, remainder %s)', part, part);
    -- On the partitions, where it needs no book_id: an account lives in one book, and a book in one partition.
    execute format('create unique index entry_account_version_%s on ledger.entry_%s (account_id, account_version)',
      part, part);
  end loop;
  -- A violation names the partition's index: it shall say what was violated.
  for made in
    select child.relname as child, parent.relname || '_' || substring(child.relname from '^[a-z]+_([0-9]+)_') as name
    from pg_inherits i
    join pg_class child on child.oid = i.inhrelid
    join pg_class parent on parent.oid = i.inhparent
    where parent.relkind = 'I' and parent.relnamespace = 'ledger'::regnamespace
      and parent.relname ~ '^(journal|entry)_'
  loop
    execute format('alter index ledger.%I rename to %I', made.child, made.name);
  end loop;
end $$;
