-- What others send to virtual accounts: the bank's own lines of it, as bank_movement is of what we sent. Only a Credit
-- moves the settlement account (Usdc: the wallet); a Debit is a collection that was tried on a number that only takes
-- money in, and goes back with R29.

create table rails.inbound_transfer (
  book_id uuid not null,
  bank_reference text not null,
  rail text not null,
  direction text not null,
  amount_cents bigint not null,
  originator_name text not null,
  -- AES-256-GCM, as it came; whose number it is, the bank does not know.
  account_key_id text not null,
  account_ciphertext text not null,
  occurred_at timestamptz not null,
  constraint inbound_transfer_pkey primary key (book_id, bank_reference),
  constraint inbound_transfer_rail_known check (rail in ('Ach', 'SameDayAch', 'Rtp', 'Wire', 'Usdc')),
  constraint inbound_transfer_direction_known check (direction in ('Credit', 'Debit')),
  constraint inbound_transfer_amount_positive check (amount_cents > 0)
);

-- A statement reads one book's lines of a banking day.
create index inbound_transfer_by_time on rails.inbound_transfer (book_id, occurred_at);

create function rails.refuse_inbound_change() returns trigger
language plpgsql as $$
begin
  raise exception 'the bank''s book is append-only: % refused', lower(tg_op)
    using errcode = 'restrict_violation', constraint = 'inbound_transfer_append_only';
end $$;

create trigger inbound_transfer_append_only
before update or delete on rails.inbound_transfer
for each row execute function rails.refuse_inbound_change();

create trigger inbound_transfer_never_truncated
before truncate on rails.inbound_transfer
for each statement execute function rails.refuse_inbound_change();

grant select, insert on rails.inbound_transfer to rails;
