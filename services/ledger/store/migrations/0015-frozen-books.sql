-- A book that fails its proof is frozen, alone: nothing is appended to it, and the commands that come for it wait here,
-- in order and without an outcome, until a person has it proven and released. Beside it: how far the auditor has come.

create type ledger.book_state as enum ('Open', 'Frozen', 'Releasing');

-- The state stands in the head's row, the book's only lock point: whoever locks it sees it as of the lock, and a plan or
-- an index of its own costs the writer nothing. HOT updates stay HOT, for the index names what a batch never moves.
alter table ledger.book_head add column state ledger.book_state not null default 'Open';
create index book_head_examined on ledger.book_head (book_id) where state <> 'Open';

-- Every word about a book's state, for ever. The newest is in force.
create table ledger.freeze_record (
  book_id uuid not null,
  number int not null,
  state ledger.book_state not null,
  reason text not null,
  said_by text not null,
  -- What the auditor found: [{ check, detail }].
  faults jsonb not null default '[]',
  recorded_at timestamptz not null default clock_timestamp(),
  constraint freeze_record_pk primary key (book_id, number),
  constraint freeze_record_book_fk foreign key (book_id) references ledger.book,
  constraint freeze_record_reason_said check (reason <> '' and said_by <> '')
);

-- Messages that came for a frozen book, whole, once per command: `place` is given under the head's lock, so it is the order
-- in which they came. Another request under a known command id is kept beside it: running it says that it is a conflict.
create table ledger.held_command (
  book_id uuid not null,
  place bigint not null generated always as identity,
  command_id uuid not null,
  request_hash bytea not null,
  message text not null,
  held_at timestamptz not null default clock_timestamp(),
  -- Why it could not be run: it waits for a person, and the others go on.
  failure text,
  constraint held_command_pk primary key (book_id, place),
  constraint held_command_once unique (command_id, request_hash, book_id)
);

-- Where the auditor stands in a book: journals that were gone through as they came (`tail`), and the daily pass from
-- the first (`pass`); both as the walk keeps them (walk-on.ts). Null means from the first.
create table ledger.audit (
  book_id uuid not null,
  audited_seq bigint not null default 0,
  audited_at timestamptz,
  passed_at timestamptz,
  tail jsonb,
  pass jsonb,
  constraint audit_pk primary key (book_id),
  constraint audit_book_fk foreign key (book_id) references ledger.book
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- With the book, so that no clock makes rows.
create function ledger.book_gets_its_audit() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  insert into audit (book_id) values (new.book_id);
  return null;
end $$;
create trigger book_gets_its_audit after insert on ledger.book
  for each row execute function ledger.book_gets_its_audit();
insert into ledger.audit (book_id) select book_id from ledger.book;

-- A word is lawful only behind the right one before it, and a book opens only when no command waits.
create function ledger.freeze_moves_head() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
declare
  head book_head%rowtype;
  last_number int;
begin
  select * into strict head from book_head h where h.book_id = new.book_id for update;
  select coalesce(max(f.number), 0) into last_number
  from freeze_record f
  where f.book_id = new.book_id and f.number <> new.number;
  if new.number <> last_number + 1
    or (head.state, new.state) not in (('Open', 'Frozen'), ('Frozen', 'Releasing'), ('Releasing', 'Open'), ('Releasing', 'Frozen'))
  then
    raise exception 'book % is % since word %: word % can''t make it %', new.book_id, head.state, last_number, new.number, new.state
      using errcode = 'LG021', constraint = 'freeze_in_order';
  end if;
  if new.state = 'Open' and exists (select from held_command c where c.book_id = new.book_id and c.failure is null) then
    raise exception 'book % has commands that wait', new.book_id
      using errcode = 'LG022', constraint = 'held_commands_first';
  end if;
  update book_head h set state = new.state where h.book_id = new.book_id;
  return null;
end $$;
create trigger freeze_moves_head after insert on ledger.freeze_record
  for each row execute function ledger.freeze_moves_head();

-- Whatever the writer thinks: no journal is appended to a frozen book.
create function ledger.refuse_frozen() returns trigger language plpgsql as $$
begin
  raise exception 'book % is frozen', old.book_id using errcode = 'LG020', constraint = 'book_is_frozen';
end $$;
create trigger book_is_frozen before update on ledger.book_head
  for each row when (old.state = 'Frozen' and new.last_seq is distinct from old.last_seq)
  execute function ledger.refuse_frozen();

create trigger append_only before update or delete on ledger.freeze_record
  for each row execute function ledger.refuse_change();
create trigger never_truncated before truncate on ledger.freeze_record
  for each statement execute function ledger.refuse_change();
create trigger never_truncated before truncate on ledger.held_command
  for each statement execute function ledger.refuse_change();

-- What a held command says never changes; only why it could not be run is noted.
create function ledger.refuse_other_command() returns trigger language plpgsql as $$
begin
  raise exception 'a held command keeps what it says' using errcode = 'LG001', constraint = 'held_command_identity';
end $$;
create trigger held_command_identity before update on ledger.held_command
  for each row
  when ((new.book_id, new.place, new.command_id, new.request_hash, new.message, new.held_at)
    is distinct from (old.book_id, old.place, old.command_id, old.request_hash, old.message, old.held_at))
  execute function ledger.refuse_other_command();

-- As in 0005, with the state as of the lock.
drop function ledger.lock_books(uuid[]);
create function ledger.lock_books(in_books uuid[])
returns table (book_id uuid, last_seq bigint, state ledger.book_state)
language sql volatile security definer set search_path = ledger, pg_temp as $$
  select h.book_id, h.last_seq, h.state
  from book_head h
  where h.book_id = any (in_books)
  order by h.book_id
  for update
$$;
revoke all on function ledger.lock_books(uuid[]) from public;
grant execute on function ledger.lock_books(uuid[]) to ledger;

grant select, insert on ledger.freeze_record to ledger;
grant select, insert, delete, update (failure) on ledger.held_command to ledger;
grant select, update on ledger.audit to ledger;
