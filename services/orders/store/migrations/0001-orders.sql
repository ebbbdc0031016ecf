-- Payment orders and what waits with them. Every key leads with the book: another book's order can't be reached.

create table orders.payment_order (
  book_id uuid not null,
  id uuid not null,
  tenant_id uuid not null,
  mode text not null constraint payment_order_mode check (mode in ('Test', 'Live')),
  phase text not null,
  status text not null constraint payment_order_status check (
    status in ('Draft', 'Submitted', 'Pending', 'Processing', 'Completed', 'Failed', 'Returned', 'Cancelled')
  ),
  sequence int not null constraint payment_order_sequence check (sequence >= 0),
  direction text not null constraint payment_order_direction check (direction in ('Credit', 'Debit')),
  rail text not null,
  amount_cents bigint not null constraint payment_order_amount check (amount_cents between 1 and 999999999999),
  currency text not null constraint payment_order_currency check (currency = 'USD'),
  ledger_account_id uuid not null,
  ledger_account_name text not null,
  counterparty_name text,
  -- { keyId, ciphertext, last4 }: sealed, opened only to check a submission and by the rail.
  counterparty_account jsonb,
  counterparty_ledger_account_id uuid,
  counterparty_routing_number text,
  external_id text,
  description text,
  statement_descriptor text,
  effective_date date,
  purpose text,
  basis text not null constraint payment_order_basis check (basis in ('Actual', 'Demo', 'Missing')),
  metadata jsonb not null,
  -- What has happened to it so far: approvals, references, failure, return (domain/payment-order.ts, Progress).
  progress jsonb not null,
  due_at timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- UUIDv7 behind the book: lists run newest first along the key.
  constraint payment_order_pkey primary key (book_id, id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

-- The chaser reads only what is due.
create index payment_order_due on orders.payment_order (due_at) where due_at is not null;
create index payment_order_external_id on orders.payment_order (book_id, external_id, id) where external_id is not null;

-- Business fields freeze at submission: not by good will, by the database. Fires only for statements that name them.
create function orders.refuse_frozen_change() returns trigger language plpgsql as $$
begin
  if old.phase <> 'Draft' then
    raise exception 'order % is frozen: its business fields can''t change', old.id using errcode = 'OR001';
  end if;
  return new;
end $$;
create trigger payment_order_frozen
before update of book_id, id, tenant_id, mode, direction, rail, amount_cents, currency, ledger_account_id,
  ledger_account_name, counterparty_name, counterparty_account, counterparty_ledger_account_id,
  counterparty_routing_number, external_id, description, statement_descriptor, effective_date, purpose, basis, metadata,
  created_by, created_at
on orders.payment_order
for each row execute function orders.refuse_frozen_change();

-- History: one row per status, from Draft on. Never changed.
create table orders.status_change (
  book_id uuid not null,
  order_id uuid not null,
  position int not null,
  from_status text,
  to_status text not null,
  at timestamptz not null,
  actor text not null,
  reason text,
  constraint status_change_pkey primary key (book_id, order_id, position)
);

-- Events that came before their phase; applied in the transaction that brings it.
create table orders.deferred_event (
  book_id uuid not null,
  order_id uuid not null,
  message_id uuid not null,
  event jsonb not null,
  received_at timestamptz not null default now(),
  constraint deferred_event_pkey primary key (book_id, order_id, message_id)
);

-- Events that fit nothing that can still come. A person decides: npm run orders -- parked.
create table orders.parked_event (
  message_id uuid not null,
  book_id uuid not null,
  order_id text not null,
  reason text not null,
  event jsonb not null,
  parked_at timestamptz not null default now(),
  constraint parked_event_pkey primary key (message_id)
);

-- What the operator last said of a book's tenant: a suspended one's orders stay where they are. `since` is the event's
-- own time, for events may come in any order.
create table orders.book_status (
  book_id uuid not null,
  active boolean not null,
  since timestamptz not null,
  constraint book_status_pkey primary key (book_id)
);

grant select, insert, update on orders.payment_order to orders;
grant select, insert on orders.status_change to orders;
grant select, insert, delete on orders.deferred_event to orders;
grant select, insert on orders.parked_event to orders;
grant select, insert, update on orders.book_status to orders;
