-- What a rail may do wrong, and whom payments come from.

alter table rails.step
  -- When a step that waits for an inquiry is due after it; null: at once.
  add column due_when_asked timestamptz,
  -- How many times the rail says it, each time.
  add column copies smallint not null default 1,
  -- Of a return: 0, or which further return with the same code. Each has a trace number of its own.
  add column repetition smallint not null default 0,
  -- Of a notice of change. An account number in it is encrypted.
  add column corrected_data jsonb;

alter table rails.step drop constraint step_kind_known;
alter table rails.step add constraint step_kind_known
  check (kind in ('Accepted', 'Settled', 'Failed', 'Returned', 'NoticeOfChange'));
alter table rails.step drop constraint step_code_where_it_has_one;
alter table rails.step add constraint step_code_where_it_has_one
  check ((code is not null) = (kind in ('Failed', 'Returned', 'NoticeOfChange')));

create unique index step_return_once_each on rails.step (order_id, code, repetition) where kind = 'Returned';
drop index rails.step_return_once;

alter table rails.instruction
  -- Its rail is out, and says nothing of it.
  add column silenced boolean not null default false,
  -- Whom the money comes from, where it may arrive at a virtual account.
  add column originator_tenant_id uuid,
  add column originator_name text;

-- Steps of a book that are due at one time are published in the order in which orders handed the payments off: the ids
-- of its messages grow.
drop index rails.instruction_due_in_book;
create index instruction_due_in_book on rails.instruction (book_id, next_due_at, cause_id)
  where next_due_at is not null and on_book_clock;
create index instruction_silenced on rails.instruction (book_id) where silenced;

-- Instructions that the rail has not got: Held ones go to it when its outage ends; Lost ones arrive if they come again.
create table rails.undelivered_instruction (
  order_id uuid not null,
  book_id uuid not null,
  kind text not null,
  message_id uuid not null,
  -- The message as it came. Its account number is encrypted.
  submission jsonb not null,
  constraint undelivered_instruction_pkey primary key (order_id),
  constraint undelivered_instruction_kind_known check (kind in ('Held', 'Lost'))
);
create index undelivered_instruction_held on rails.undelivered_instruction (book_id) where kind = 'Held';
grant select, insert, delete on rails.undelivered_instruction to rails;
