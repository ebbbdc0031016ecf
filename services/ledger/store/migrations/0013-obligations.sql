-- Obligations: liabilities that become fixed, and are paid to zero by orders that the ledger chose.
-- An obligation's row is what it is now, its steps are how it came to be so: those are appended, never changed. What is
-- outstanding is no column: its liability account has it, and a trigger compares the two at every change.
-- Locks: a book's head first (lock_books), then the row; so nothing of a book's obligations moves beside its journals.

-- What is neither a fuel tax nor an operator's settlement; books that stand get the account at their first such accrual.
-- No statement here may name the new class: it exists from the commit on.
alter type ledger.account_class add value 'ObligationExpense';

-- One of each of the service's own accounts in a book (0007), of whatever class comes.
drop index ledger.account_chart_class_unique;
create unique index account_chart_class_unique on ledger.account (book_id, class)
  where class not in ('Tenant', 'ObligationLiability');

create table ledger.obligation (
  book_id uuid not null,
  obligation_id uuid not null,
  type text not null,
  status text not null,
  reference text not null,
  jurisdiction text,
  period text,
  payee_counterparty_id uuid,
  lines jsonb not null,
  fixed_cents bigint not null,
  payment_order_id uuid,
  -- The order that may pay it now.
  remittance_cents bigint,
  remittance_rail text,
  funding_account_id uuid,
  -- Who asked for it, until its hold is decided, and when orders is asked again.
  asked jsonb,
  ask_due_at timestamptz,
  steps int not null,
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint obligation_pk primary key (book_id, obligation_id),
  constraint obligation_book_fk foreign key (book_id) references ledger.book,
  constraint obligation_type_known check (type in ('FuelTaxReturn', 'OperatorSettlement', 'Other')),
  constraint obligation_status_known check (status in ('Open', 'Fixed', 'Remitting', 'Relieved')),
  constraint obligation_fixed_range check (fixed_cents between 0 and 999999999999),
  constraint obligation_open_is_unbooked check (status <> 'Open' or fixed_cents = 0 and steps = 0),
  constraint obligation_remitting_has_one_order check (
    num_nulls(payment_order_id, remittance_cents, remittance_rail, funding_account_id) = 0 and status = 'Remitting'
    or num_nonnulls(remittance_cents, remittance_rail, funding_account_id, asked) = 0 and status <> 'Remitting'
  ),
  constraint obligation_payable_has_no_order check (status not in ('Open', 'Fixed') or payment_order_id is null),
  constraint obligation_asked_is_due check ((asked is null) = (ask_due_at is null))
) with (fillfactor = 80);

-- The book is hidden (0001; by `greatest`, for 0016), and stands before the id that pages walk along. An order pays one obligation.
create unique index obligation_one_order on ledger.obligation (payment_order_id) where payment_order_id is not null;
create index obligation_by_status on ledger.obligation
  (status, greatest(book_id, '00000000-0000-0000-0000-000000000000'), obligation_id);
create index obligation_by_type on ledger.obligation
  (type, greatest(book_id, '00000000-0000-0000-0000-000000000000'), obligation_id);
create index obligation_by_reference on ledger.obligation
  (reference, greatest(book_id, '00000000-0000-0000-0000-000000000000'), obligation_id);
create index obligation_ask_due on ledger.obligation (ask_due_at) where ask_due_at is not null;

create table ledger.obligation_step (
  book_id uuid not null,
  obligation_id uuid not null,
  position int not null,
  kind text not null,
  order_id uuid,
  amount_cents bigint not null,
  transaction_id uuid,
  seq bigint,
  lines jsonb,
  reason text,
  actor text not null,
  at timestamptz not null,
  constraint obligation_step_pk primary key (book_id, obligation_id, position),
  constraint obligation_step_of_obligation foreign key (book_id, obligation_id) references ledger.obligation,
  constraint obligation_step_kind check (
    kind in ('Fixed', 'Amended', 'Held', 'Refused', 'Cleared', 'Failed', 'Returned', 'Cancelled')
  ),
  constraint obligation_step_accrues_or_pays check ((kind in ('Fixed', 'Amended')) = (order_id is null)),
  constraint obligation_step_journal check ((transaction_id is null) = (seq is null))
);

-- An obligation keeps what it is, from its accrual on also what it is called; and its status is what its liability
-- account says. Fires on each row that is written, once the batch's entries have moved the balances.
create function ledger.obligation_stands() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
declare
  outstanding bigint;
begin
  if tg_op = 'UPDATE' and (
    (new.book_id, new.obligation_id, new.type, new.created_by, new.created_at)
      is distinct from (old.book_id, old.obligation_id, old.type, old.created_by, old.created_at)
    or old.status <> 'Open' and (
      new.status = 'Open'
      or (new.reference, new.jurisdiction, new.period) is distinct from (old.reference, old.jurisdiction, old.period)
    )
    or new.steps < old.steps
  ) then
    raise exception 'an obligation keeps what it is, and from its accrual on what it is called'
      using errcode = 'LG001', constraint = 'obligation_identity';
  end if;
  -- The account has the obligation's own uuid.
  select b.posted_credit - b.posted_debit into outstanding
  from account_balance b
  join account a on a.book_id = b.book_id and a.account_id = b.account_id and a.class = 'ObligationLiability'
  where b.book_id = new.book_id and b.account_id = new.obligation_id;
  if (
    case new.status
      when 'Open' then coalesce(outstanding, 0) <> 0
      when 'Relieved' then outstanding is distinct from 0
      else coalesce(outstanding, 0) <= 0
    end or coalesce(outstanding, 0) > new.fixed_cents
  ) then
    raise exception 'obligation % of book % is % with % cents outstanding of %',
      new.obligation_id, new.book_id, new.status, outstanding, new.fixed_cents
      using errcode = 'LG040', constraint = 'obligation_agrees_with_liability';
  end if;
  return null;
end $$;
create trigger obligation_stands after insert or update on ledger.obligation
  for each row execute function ledger.obligation_stands();

create trigger append_only before update or delete on ledger.obligation_step
  for each row execute function ledger.refuse_change();
create trigger never_truncated before truncate on ledger.obligation_step
  for each statement execute function ledger.refuse_change();
create trigger never_deleted before delete on ledger.obligation
  for each row execute function ledger.refuse_change();
create trigger never_truncated before truncate on ledger.obligation
  for each statement execute function ledger.refuse_change();

grant select, insert, update on ledger.obligation to ledger;
grant select, insert on ledger.obligation_step to ledger;

-- As in 0004, with the expense of obligations that are no taxes and no settlements.
create or replace function ledger.seal_book(in_book uuid, in_first bigint) returns void
language plpgsql as $$
declare
  broken record;
begin
  select t.currency into broken
  from class_total t
  where t.book_id = in_book
  group by t.currency
  having coalesce(sum(t.posted_debit - t.posted_credit) filter (where t.class in ('SettlementCash', 'StablecoinWallet')), 0)
    <> coalesce(sum(t.posted_credit - t.posted_debit) filter (where t.class in ('Tenant', 'Suspense')), 0)
      + coalesce(sum(t.posted_credit - t.posted_debit) filter (where t.class = 'ObligationLiability'), 0)
      - coalesce(sum(t.posted_debit - t.posted_credit)
          filter (where t.class in ('FuelTaxExpense', 'OperatorSettlementExpense', 'ObligationExpense')), 0)
  limit 1;
  if found then
    raise exception 'book % holds more or less % than it owes', in_book, broken.currency
      using errcode = 'LG010', constraint = 'seal_equation';
  end if;
  insert into seal (book_id, first_seq, last_seq, head_hash, sealed_at,
    posted_debit, posted_credit, pending_debit, pending_credit)
  select h.book_id, in_first, h.last_seq, h.head_hash, h.recorded_at,
    total(t.posted_debit), total(t.posted_credit),
    total(t.held_debit + t.released_credit), total(t.held_credit + t.released_debit)
  from book_head h
  join class_total t on t.book_id = h.book_id
  where h.book_id = in_book
  group by h.book_id;
end $$;
