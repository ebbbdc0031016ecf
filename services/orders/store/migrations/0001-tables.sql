-- Payment orders, what waits for them, counterparties, approval policies and the status of books. Every key leads with
-- the book, so no statement can reach another book's rows by mistake. Ids are UUIDv7, so lists run newest first along
-- the key.

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
  -- The order keeps its own copy of the counterparty's details; the id tells where the copy is from. No foreign key:
  -- creating orders is a hot path, counterparties are never deleted, and the id is read from their table in the same
  -- transaction.
  counterparty_id uuid,
  counterparty_name text,
  -- { keyId, ciphertext, last4 }: encrypted. Decrypted only to check a submission, and by the rail.
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
  -- The obligation that the order pays. The ledger requests such orders; tenants cannot name one.
  obligation_id uuid,
  -- What has happened to the order so far: approvals, ledger, rail, ending, timers (order/payment-order.ts, Progress).
  progress jsonb not null,
  due_at timestamptz,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint payment_order_pkey primary key (book_id, id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);

-- Indexes of a hot table. An order is written about five times, and because `due_at` is indexed no update is HOT:
-- every full index takes five entries per order. Measured with 64 orders per statement, one insert and four updates:
-- 175 µs of Postgres' CPU per order without by_kind, by_account and by_amount, 240 µs with them (an order costs 3,900
-- µs over all services). A side table that is written once per order was no cheaper (185 to 285 µs) and costs another
-- join.
--
-- Each filter of the list reads a bounded number of index rows per page (query-orders.plans.db.spec.ts, 100,000 rows):
--   by_kind     status, rail and direction, alone and together: one walk per combination (at most 96), each newest
--               first, merged. A page of n reads at most 96 n entries.
--   by_account  the account, alone or with a status: one walk per status.
--   by_amount   a narrow range; for a wide one the planner walks the primary key.
--   by_return   returned orders only.
-- The creation time needs no index: ids are UUIDv7, so it is a range of the primary key and of each index.
--
-- `where sequence >= 0` is true of every order. It keeps these indexes away from statements that do not repeat it: a
-- plan made while the table was empty could otherwise use one of them instead of the primary key, and be cached.
create index payment_order_by_kind on orders.payment_order (book_id, rail, direction, status, id) where sequence >= 0;
create index payment_order_by_account on orders.payment_order (book_id, ledger_account_id, status, id)
where sequence >= 0;
create index payment_order_by_amount on orders.payment_order (book_id, amount_cents, id) where sequence >= 0;
create index payment_order_by_return on orders.payment_order (book_id, (progress #>> '{rail,return,code}'), id)
where (progress #>> '{rail,return,code}') is not null;
create index payment_order_external_id on orders.payment_order (book_id, external_id, id) where external_id is not null;
create index payment_order_counterparty on orders.payment_order (book_id, counterparty_id, id)
where counterparty_id is not null;
-- Phase timeouts read only what is due.
create index payment_order_due on orders.payment_order (due_at) where due_at is not null;

-- One row per pair of metadata, filled by trigger. An order without metadata costs nothing; one with metadata is
-- indexed once and not at each of its writes. A list walks one pair, newest first. (A GIN index knows neither books
-- nor id order.)
create table orders.order_metadata (
  book_id uuid not null,
  -- orders.metadata_pair(key, value)
  pair uuid not null,
  order_id uuid not null,
  constraint order_metadata_pkey primary key (book_id, pair, order_id)
);

-- One row per status, from Draft on. Never changed.
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

-- Events that came before their phase. They are replayed in the transaction that brings it.
create table orders.deferred_event (
  book_id uuid not null,
  order_id uuid not null,
  message_id uuid not null,
  event jsonb not null,
  received_at timestamptz not null default now(),
  constraint deferred_event_pkey primary key (book_id, order_id, message_id)
);

-- Events that no later phase expects, or that moved money after the order had ended. A person looks at them: npm run
-- orders -- parked.
create table orders.parked_event (
  message_id uuid not null,
  book_id uuid not null,
  order_id text not null,
  reason text not null,
  event jsonb not null,
  parked_at timestamptz not null default now(),
  -- Set if the event moved money: the ledger transaction in Suspense, and its journal once that is posted.
  ledger_transaction_id uuid,
  journal_sequence bigint,
  constraint parked_event_pkey primary key (message_id)
);
create index parked_event_ledger_transaction on orders.parked_event (book_id, ledger_transaction_id)
where ledger_transaction_id is not null;

-- What operators reported about orders that are stuck at their rails. Two that agree resolve the order.
create table orders.resolution_vote (
  book_id uuid not null,
  order_id uuid not null,
  -- Counted under the order's row lock.
  position int not null,
  outcome text not null constraint resolution_vote_outcome check (outcome in ('settled', 'failed')),
  operator text not null,
  evidence text not null,
  at timestamptz not null,
  constraint resolution_vote_pkey primary key (book_id, order_id, position)
);

-- Whether a book's orders may go on. Events can come in any order, so each part remembers how new it is.
create table orders.book_status (
  book_id uuid not null,
  -- The operator's: false suspends the tenant. `since` is the time of the event.
  active boolean not null,
  since timestamptz not null,
  -- The ledger's: in a frozen book nothing is created and nothing is handed off. `frozen_version` numbers its events.
  frozen boolean not null default false,
  frozen_version int not null default 0,
  constraint book_status_pkey primary key (book_id)
);

-- The Credits in cents that a book with a daily limit has submitted on a New York day. A row of a book without a limit
-- is left over from a lifted one, and not read. Lock order: the advisory locks of the idempotency key, the policy and
-- the daily limit; then rows of orders, rows of this table in key order, rows of idempotency keys. `limitDate` in an
-- order's progress records that it is counted, so nothing is given back twice.
create table orders.daily_usage (
  book_id uuid not null,
  day date not null,
  used_cents bigint not null constraint daily_usage_used check (used_cents >= 0),
  constraint daily_usage_pkey primary key (book_id, day)
) with (fillfactor = 50);

-- One row per change of a book's policy, never changed or deleted: who put which policy into force, and when. The
-- highest version is in force; a book without a row has the default (order/approval-policy.ts). Versions are assigned
-- under the advisory lock of the book's policy (lockPolicy). Every create and every batch of events reads the last row
-- of its books: one probe of the key per book.
create table orders.approval_policy (
  book_id uuid not null,
  version int not null constraint approval_policy_version check (version >= 1),
  policy jsonb not null,
  put_by text not null,
  -- The proposal that it came from, if it loosened the policy; the proposal says who approved it.
  proposal_id uuid,
  put_at timestamptz not null,
  constraint approval_policy_pkey primary key (book_id, version)
);

-- A looser policy waits for another principal. Any change of the policy in force supersedes the open proposals, so
-- that approving an old one cannot undo a tightening.
create table orders.policy_proposal (
  book_id uuid not null,
  id uuid not null,
  status text not null constraint policy_proposal_status check (status in ('Open', 'Approved', 'Denied', 'Superseded')),
  policy jsonb not null,
  loosens text[] not null,
  -- The version that it was compared with; 0 is the default policy.
  against_version int not null,
  proposed_by text not null,
  proposed_at timestamptz not null,
  decided_by text,
  decided_at timestamptz,
  constraint policy_proposal_pkey primary key (book_id, id),
  constraint policy_proposal_decided check ((status = 'Open') = (decided_at is null)),
  constraint policy_proposal_two_principals check (status not in ('Approved', 'Denied') or decided_by <> proposed_by)
);
create index policy_proposal_status on orders.policy_proposal (book_id, status, id);

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
  -- Every principal that entered or edited the payment details since it was last Verified. None of them may verify it.
  details_entered_by text[] not null constraint counterparty_details_entered_by check (
    cardinality(details_entered_by) > 0
  ),
  -- Counts changes from 1: the ETag. The ORM inserts a row without it and reads the default back.
  version int not null default 1 constraint counterparty_version check (version > 0),
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint counterparty_pkey primary key (book_id, id),
  constraint counterparty_verified_by_somebody_else check (
    verified_by is null or verified_by <> all (details_entered_by)
  ),
  constraint counterparty_verified_by_somebody check (
    (verification_status = 'Verified') = (verified_by is not null and verified_at is not null)
  )
);
create unique index counterparty_external_id on orders.counterparty (book_id, external_id) where external_id is not null;
-- `where version > 0` is true of every row; it keeps these two away from statements that do not repeat it, as above.
create index counterparty_name on orders.counterparty (book_id, name, id) where version > 0;
create index counterparty_verification on orders.counterparty (book_id, verification_status, id) where version > 0;

-- Account numbers are encrypted; key_id names the key. `npm run encryption -- rotate` walks these rows.
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
