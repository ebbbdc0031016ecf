-- What was handed to the rail, and what it says of it. The instruction's row is the one lock point: whoever changes
-- what a rail will say (hand-off, injection, inquiry, a due step) holds it first, in the order of order_id, or skips.

create table rails.instruction (
  order_id uuid not null,
  book_id uuid not null,
  -- Null until the hand-off: a row may be here before it, to keep what QA injected.
  submitted_at timestamptz,
  rail text,
  direction text,
  amount_cents bigint,
  counterparty_name text,
  counterparty_routing_number text,
  -- AES-256-GCM; opened only to read a magic account number.
  account_key_id text,
  account_ciphertext text,
  statement_descriptor text,
  rail_reference jsonb,
  -- Why the rail does what it does: Injection, MagicNumber or Success.
  reason text,
  -- The last injection before the hand-off.
  kept_action text,
  kept_code text,
  -- The earliest step that is due by itself; null when nothing is.
  next_due_at timestamptz,
  correlation_id text,
  cause_id uuid,
  traceparent text,
  constraint instruction_pkey primary key (order_id),
  constraint instruction_direction_known check (direction in ('Credit', 'Debit')),
  constraint instruction_rail_known check (rail in ('Ach', 'SameDayAch', 'Rtp', 'Wire', 'Usdc')),
  constraint instruction_amount_positive check (amount_cents > 0),
  constraint instruction_whole_once_submitted check (
    submitted_at is null
    or num_nulls(rail, direction, amount_cents, account_key_id, account_ciphertext, rail_reference, reason,
      correlation_id) = 0
  )
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02);

create index instruction_due on rails.instruction (next_due_at) where next_due_at is not null;

-- One row for each thing that the rail says or will say; `number` counts from 1 without a gap. A step that nobody
-- has heard may be replaced by an injection; one that was said stays as it was said, and is said again when asked.
create table rails.step (
  order_id uuid not null,
  number int not null,
  kind text not null,
  code text,
  message text,
  -- Null: only when somebody inquires.
  due_at timestamptz,
  said_at timestamptz,
  constraint step_pkey primary key (order_id, number),
  constraint step_of_instruction foreign key (order_id) references rails.instruction (order_id),
  constraint step_numbered_from_one check (number >= 1),
  constraint step_kind_known check (kind in ('Accepted', 'Settled', 'Failed', 'Returned')),
  constraint step_code_where_it_has_one check ((code is not null) = (kind in ('Failed', 'Returned')))
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);

-- The trace number of a return is derived from order and code: a repeat is the same return.
create unique index step_return_once on rails.step (order_id, code) where kind = 'Returned';
create unique index step_settles_once on rails.step (order_id) where kind = 'Settled';

grant select, insert, update on rails.instruction to rails;
grant select, insert, update, delete on rails.step to rails;
