-- What a book asks of its approvers. Every key leads with the book.

-- One row per change, never changed or deleted: who put which policy into force, and when. The highest version holds;
-- a book without a row has the default (domain/approval-policy.ts). Versions are given out under a lock of the book
-- (store/approval-policies.ts). Every create and every batch of events reads its books' last rows: one probe of the key
-- per book.
create table orders.approval_policy (
  book_id uuid not null,
  version int not null constraint approval_policy_version check (version >= 1),
  policy jsonb not null,
  put_by text not null,
  -- The proposal that it came from: who approved it stands there.
  proposal_id uuid,
  put_at timestamptz not null,
  constraint approval_policy_pkey primary key (book_id, version)
);

-- A looser policy waits for another principal. Whatever changes the policy in force supersedes what was proposed
-- against it, so that a tightening is never undone by an approval that did not know of it.
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
  -- UUIDv7 behind the book: the list runs newest first along the key.
  constraint policy_proposal_pkey primary key (book_id, id),
  constraint policy_proposal_decided check ((status = 'Open') = (decided_at is null)),
  constraint policy_proposal_two_principals check (status not in ('Approved', 'Denied') or decided_by <> proposed_by)
);
create index policy_proposal_status on orders.policy_proposal (book_id, status, id);

-- What a book with a daily limit has submitted in Credits on a New York day. A book without a limit has no row that
-- anybody reads or writes. Locked before the idempotency keys of a submission, after the rows of existing orders, and
-- among each other in key order. An order's own `limitDate` says that it is counted, so nothing is given back twice.
create table orders.daily_usage (
  book_id uuid not null,
  day date not null,
  used_cents bigint not null constraint daily_usage_used check (used_cents >= 0),
  constraint daily_usage_pkey primary key (book_id, day)
) with (fillfactor = 50);

grant select, insert on orders.approval_policy to orders;
grant select, insert, update (status, decided_by, decided_at) on orders.policy_proposal to orders;
grant select, insert, update (used_cents) on orders.daily_usage to orders;
