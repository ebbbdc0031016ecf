-- What was handed off to the rail and what it reports; the bank's own book; its statements and statement errors.

-- The instruction's row is the only lock: whoever changes what the rail will report (hand-off, injection, inquiry, due
-- step) locks it first, in order of order_id, or skips locked rows.
create table rails.instruction (
  order_id uuid not null,
  book_id uuid not null,
  -- Null before the hand-off: then the row stores only the pending injection.
  submitted_at timestamptz,
  rail text,
  direction text,
  amount_cents bigint,
  counterparty_name text,
  counterparty_routing_number text,
  -- AES-256-GCM. Decrypted only to recognise a magic account number.
  account_key_id text,
  account_ciphertext text,
  statement_descriptor text,
  rail_reference jsonb,
  -- Why the rail does what it does: Injection, MagicNumber or Success.
  reason text,
  -- The last injection before the hand-off.
  pending_action text,
  pending_code text,
  -- The earliest step that is due without an inquiry, or null.
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

-- The events of an instruction, published or still to come. number counts from 1 without gaps. An injection replaces
-- unpublished steps. A published step never changes; it is published again on an inquiry.
create table rails.step (
  order_id uuid not null,
  number int not null,
  kind text not null,
  code text,
  message text,
  -- Null: published only on an inquiry.
  due_at timestamptz,
  published_at timestamptz,
  constraint step_pkey primary key (order_id, number),
  constraint step_of_instruction foreign key (order_id) references rails.instruction (order_id),
  constraint step_numbered_from_one check (number >= 1),
  constraint step_kind_known check (kind in ('Accepted', 'Settled', 'Failed', 'Returned')),
  constraint step_code_where_it_has_one check ((code is not null) = (kind in ('Failed', 'Returned')))
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);
-- A return's trace number is derived from order and code, so the same code again is the same return.
create unique index step_return_once on rails.step (order_id, code) where kind = 'Returned';
create unique index step_settles_once on rails.step (order_id) where kind = 'Settled';

-- The bank's own book of the settlement account, part one: payments that we sent. A record independent of the ledger,
-- which reconciliation compares with it. Append-only.
create table rails.bank_movement (
  order_id uuid not null,
  -- The number of the step that moved the money.
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

-- Part two: transfers that others sent to virtual accounts. Only a Credit moves the settlement account (Usdc: the
-- wallet). A Debit is a collection from a number that only accepts money; it is returned with R29. Append-only.
create table rails.inbound_transfer (
  book_id uuid not null,
  bank_reference text not null,
  rail text not null,
  direction text not null,
  amount_cents bigint not null,
  originator_name text not null,
  -- AES-256-GCM, as received. The bank does not know whose number it is.
  account_key_id text not null,
  account_ciphertext text not null,
  occurred_at timestamptz not null,
  constraint inbound_transfer_pkey primary key (book_id, bank_reference),
  constraint inbound_transfer_rail_known check (rail in ('Ach', 'SameDayAch', 'Rtp', 'Wire', 'Usdc')),
  constraint inbound_transfer_direction_known check (direction in ('Credit', 'Debit')),
  constraint inbound_transfer_amount_positive check (amount_cents > 0)
);
-- A statement reads one book's transfers of a banking day.
create index inbound_transfer_by_time on rails.inbound_transfer (book_id, occurred_at);

-- The bank's statements, numbered per book; each opens with the closing balance of the one before. Append-only: an
-- error is corrected on a later statement. The issuer holds an advisory lock of the book (lockStatements); the keys
-- below hold without it too.
create table rails.bank_statement (
  book_id uuid not null,
  number int not null,
  statement_id uuid not null,
  banking_date date not null,
  -- It prints the movements before this time that were on no statement.
  ends_at timestamptz not null,
  opening_cents bigint not null,
  closing_cents bigint not null,
  line_count int not null,
  hash text not null,
  issued_at timestamptz not null default clock_timestamp(),
  constraint bank_statement_pkey primary key (book_id, number),
  constraint bank_statement_numbered_from_one check (number >= 1),
  constraint bank_statement_hash_is_sha256 check (hash ~ '^[0-9a-f]{64}$')
);
create unique index bank_statement_by_id on rails.bank_statement (statement_id);

create table rails.bank_statement_line (
  book_id uuid not null,
  number int not null,
  line int not null,
  account text not null,
  side text not null,
  amount_cents bigint not null,
  reference text not null,
  customer_reference text,
  kind text not null,
  occurred_at timestamptz not null,
  -- The movement that it prints (statements/store/unreported-movements.ts), or null for a line that the bank made up.
  source text,
  constraint bank_statement_line_pkey primary key (book_id, number, line),
  constraint bank_statement_line_of_statement foreign key (book_id, number) references rails.bank_statement,
  constraint bank_statement_line_account_known check (account in ('SettlementCash', 'StablecoinWallet')),
  constraint bank_statement_line_side_known check (side in ('In', 'Out')),
  constraint bank_statement_line_kind_known check (kind in ('Settlement', 'Return', 'Inbound', 'Adjustment')),
  constraint bank_statement_line_amount_positive check (amount_cents > 0)
);
-- A movement is printed once.
create unique index bank_statement_line_once on rails.bank_statement_line (source, book_id) where source is not null;

-- Errors that QA makes the bank print (the API calls them faults). Each is created, printed on a statement, marked for
-- correction, and corrected on a later statement.
create table rails.bank_statement_error (
  book_id uuid not null,
  error_id uuid not null,
  kind text not null,
  order_id uuid,
  reference text,
  amount_cents bigint,
  side text,
  created_at timestamptz not null default clock_timestamp(),
  printed_on int,
  correction_requested boolean not null default false,
  corrected_on int,
  -- The movement of an omitted or changed line; the true line; the wrong line that was printed.
  source text,
  withheld jsonb,
  printed jsonb,
  constraint bank_statement_error_pkey primary key (book_id, error_id),
  constraint bank_statement_error_kind_known check (kind in ('LineMissing', 'LineAdded', 'AmountChanged', 'WrongHash'))
) with (fillfactor = 80);
-- A withheld movement is on no statement, and at most one error withholds it.
create unique index bank_statement_error_source on rails.bank_statement_error (source, book_id) where source is not null;
create index bank_statement_error_open on rails.bank_statement_error (error_id, book_id) where corrected_on is null;
