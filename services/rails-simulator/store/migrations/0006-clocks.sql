-- Jobs that advance the clock of a Manual book, and what decides everything random in a book's simulation.

create table rails.clock_advance (
  book_id uuid not null,
  advance_id uuid not null,
  tenant_id uuid not null,
  status text not null default 'Running',
  from_time timestamptz not null,
  to_time timestamptz not null,
  steps int not null default 0,
  waiting_for text,
  requested_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz,
  -- The instance that runs it; another one takes over once the lease is over.
  runner uuid,
  leased_until timestamptz,
  constraint clock_advance_pkey primary key (book_id, advance_id),
  constraint clock_advance_status_known check (status in ('Running', 'Done', 'Stuck')),
  constraint clock_advance_forward check (to_time >= from_time),
  constraint clock_advance_ended_when_done check ((ended_at is not null) = (status = 'Done'))
);
-- At most one advance of a book is under way.
create unique index clock_advance_running on rails.clock_advance (book_id) where status <> 'Done';

-- The steps of a book with a clock of its own are due at a time of that clock.
alter table rails.instruction add column on_book_clock boolean not null default false;
drop index rails.instruction_due;
create index instruction_due on rails.instruction (next_due_at) where next_due_at is not null and not on_book_clock;
create index instruction_due_in_book on rails.instruction (book_id, next_due_at)
  where next_due_at is not null and on_book_clock;

create table rails.simulation_seed (
  book_id uuid not null,
  seed text not null,
  constraint simulation_seed_pkey primary key (book_id)
);

grant select, insert, update on rails.clock_advance to rails;
grant select, insert, update on rails.simulation_seed to rails;
