-- The bank's own book of the settlement account: a second record, which reconciliation compares with the ledger.
-- Append-only, as a bank's book is.

create table rails.bank_movement (
  order_id uuid not null,
  -- The number of the rail's event that moved the money.
  number int not null,
  book_id uuid not null,
  kind text not null,
  side text not null,
  amount_cents bigint not null,
  reference text not null,
  occurred_at timestamptz not null,
  constraint bank_movement_pkey primary key (order_id, number),
  constraint bank_movement_kind_known check (kind in ('Settlement', 'Return')),
  constraint bank_movement_side_known check (side in ('In', 'Out')),
  constraint bank_movement_amount_positive check (amount_cents > 0)
);

-- A statement reads one book's movements of a banking day.
create index bank_movement_by_time on rails.bank_movement (book_id, occurred_at);

create function rails.refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception 'the bank''s book is append-only: % refused', lower(tg_op)
    using errcode = 'restrict_violation', constraint = 'bank_movement_append_only';
end $$;

create trigger bank_movement_append_only
before update or delete on rails.bank_movement
for each row execute function rails.refuse_change();

create trigger bank_movement_never_truncated
before truncate on rails.bank_movement
for each statement execute function rails.refuse_change();

grant select, insert on rails.bank_movement to rails;
