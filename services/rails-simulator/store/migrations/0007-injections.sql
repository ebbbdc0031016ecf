-- Rules that testers make for what rails do with payments, and a log of all that was done to a book's simulation.

create table rails.injection (
  book_id uuid not null,
  injection_id uuid not null,
  -- Counts the book's rules: of two that match a payment, the older one acts.
  number int not null,
  status text not null default 'Active',
  -- What it matches: an order's uuid, an external id, a rail, or the keyed hash of an account number.
  match_kind text not null,
  match_value text not null,
  direction text,
  account_key_id text,
  account_last4 text,
  -- The rails and directions, such as Ach/Credit, on which it can act at all.
  acts_on text[] not null,
  fault text not null,
  code text,
  then_does text,
  delay_seconds int,
  -- An account number in it is encrypted.
  corrected_data jsonb,
  share double precision,
  seed text,
  max_count int,
  until timestamptz,
  applied int not null default 0,
  created_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  ended_by text,
  ended_at timestamptz,
  constraint injection_pkey primary key (book_id, injection_id),
  constraint injection_numbered unique (book_id, number),
  constraint injection_status_known check (status in ('Active', 'Used', 'Ended')),
  constraint injection_match_known check (match_kind in ('Order', 'ExternalId', 'Rail', 'Account')),
  constraint injection_account_shown check ((match_kind = 'Account') = (account_key_id is not null)),
  constraint injection_share_a_part check (share > 0 and share <= 1),
  constraint injection_applied_at_most check (applied between 0 and coalesce(max_count, applied)),
  constraint injection_used_when_counted check (status <> 'Used' or applied = max_count),
  constraint injection_ended_at_end check ((ended_at is not null) = (status <> 'Active'))
);
create index injection_active on rails.injection (book_id, number) where status = 'Active';
-- The rules that leave nothing to newer ones.
create index injection_that_shadows on rails.injection (book_id, match_kind, match_value, number)
  where status = 'Active' and max_count is null and coalesce(share, 1) = 1;

-- A book that ever had a rule. Its changes tell a rail whether the rules that it remembers are still those in force.
create table rails.injection_book (
  book_id uuid not null,
  rules int not null,
  changes bigint not null,
  -- Counts the orders without an external id that were handed off: what is random is decided by their numbers.
  orders bigint not null default 0,
  constraint injection_book_pkey primary key (book_id)
);

create table rails.simulation_log (
  book_id uuid not null,
  entry_id uuid not null,
  kind text not null,
  -- Null: the rail itself.
  actor text,
  order_id uuid,
  injection_id uuid,
  details jsonb not null,
  book_time timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint simulation_log_pkey primary key (book_id, entry_id)
);
create index simulation_log_of_order on rails.simulation_log (book_id, order_id, entry_id) where order_id is not null;

-- A rule acts once on a payment, however often it is handed off.
create unique index simulation_log_applied on rails.simulation_log (order_id) where kind = 'InjectionApplied';

create trigger simulation_log_append_only
before update or delete on rails.simulation_log
for each row execute function rails.refuse_change();
create trigger simulation_log_never_truncated
before truncate on rails.simulation_log
for each statement execute function rails.refuse_change();
alter table rails.simulation_log enable always trigger simulation_log_append_only;
alter table rails.simulation_log enable always trigger simulation_log_never_truncated;

grant select, insert, update on rails.injection to rails;
grant select, insert, update on rails.injection_book to rails;
grant select, insert on rails.simulation_log to rails;
