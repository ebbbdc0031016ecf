-- Counterparties with one account per rail, and orders that name one. Locks: a new column without a default and empty
-- partial indexes, so running instances wait only for a moment. Orders of the version before know no counterparty_id and
-- would hash such an order without it: roll orders out before the gateway that lets callers name one.

create table orders.counterparty (
  book_id uuid not null,
  id uuid not null,
  name text not null,
  type text not null constraint counterparty_type check (type in ('Business', 'Individual')),
  email text,
  external_id text,
  metadata jsonb not null,
  verification_status text not null constraint counterparty_verification_status check (
    verification_status in ('Unverified', 'Verified', 'Failed')
  ),
  verified_by text,
  verified_at timestamptz,
  -- Every principal that entered or edited whom it pays since it was last Verified: none of them may verify it.
  details_entered_by text[] not null constraint counterparty_details_entered_by check (
    cardinality(details_entered_by) > 0
  ),
  -- Counts changes from 1: the ETag.
  version int not null constraint counterparty_version check (version > 0),
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- UUIDv7 behind the book: lists run newest first along the key.
  constraint counterparty_pkey primary key (book_id, id),
  constraint counterparty_verified_by_somebody_else check (
    verified_by is null or verified_by <> all (details_entered_by)
  ),
  constraint counterparty_verified_by_somebody check (
    (verification_status = 'Verified') = (verified_by is not null and verified_at is not null)
  )
);

create unique index counterparty_external_id on orders.counterparty (book_id, external_id) where external_id is not null;
-- `where version > 0` is true of every row, and keeps these two from statements that do not say so (0003).
create index counterparty_name on orders.counterparty (book_id, name, id) where version > 0;
create index counterparty_verification on orders.counterparty (book_id, verification_status, id) where version > 0;

-- A number rests sealed, with the key that opens it: `npm run seals -- rotate` walks these rows.
create table orders.counterparty_account (
  book_id uuid not null,
  counterparty_id uuid not null,
  rail text not null constraint counterparty_account_rail check (rail in ('Ach', 'SameDayAch', 'Rtp', 'Wire', 'Usdc')),
  position int not null,
  key_id text not null,
  ciphertext text not null,
  last4 text not null,
  routing_number text not null,
  account_type text constraint counterparty_account_type check (account_type in ('Checking', 'Savings', 'Wallet')),
  constraint counterparty_account_pkey primary key (book_id, counterparty_id, rail),
  constraint counterparty_account_of_counterparty foreign key (book_id, counterparty_id)
    references orders.counterparty (book_id, id)
);

grant select, insert, update on orders.counterparty to orders;
grant select, insert, update, delete on orders.counterparty_account to orders;

-- An order keeps a copy of what it pays; the id says where the copy is from. No foreign key: creates are a hot path,
-- counterparties are never deleted, and the id was read from this table in the order's own transaction.
alter table orders.payment_order add column counterparty_id uuid;
create index payment_order_counterparty on orders.payment_order (book_id, counterparty_id, id)
where counterparty_id is not null;

-- The freeze, for the new column too.
create trigger payment_order_counterparty_frozen
before update of counterparty_id on orders.payment_order
for each row execute function orders.refuse_frozen_change();
