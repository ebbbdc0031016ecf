-- Guards of single rows. They hold for everybody who sends SQL, for the owner and a superuser too. A repair disables
-- the one trigger that is in its way (docs/operate.md). Each guard has its attack in test/ledger/guards.

create function ledger.refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'append-only: % on %.% is refused', lower(tg_op), tg_table_schema, tg_table_name
    using errcode = 'LG001', constraint = 'append_only';
end $$;

create function ledger.refuse_direct_write() returns trigger language plpgsql as $$
begin
  raise exception 'derived: % on %.% is refused, only entries move it', lower(tg_op), tg_table_schema, tg_table_name
    using errcode = 'LG001', constraint = 'derived_by_trigger_only';
end $$;

do $$
declare
  target text;
begin
  foreach target in array array['book', 'journal', 'entry', 'command', 'checkpoint', 'transaction_detail', 'journal_note',
    'closed_period', 'freeze_event', 'obligation_event', 'bank_statement', 'bank_line', 'reconciliation',
    'reconciliation_item']
  loop
    execute format('create trigger append_only before update or delete on ledger.%I
      for each row execute function ledger.refuse_change()', target);
  end loop;
  foreach target in array array['account', 'account_balance', 'class_total', 'book_head', 'account_day', 'class_day',
    'virtual_account', 'inbound_payment', 'obligation']
  loop
    execute format('create trigger never_deleted before delete on ledger.%I
      for each row execute function ledger.refuse_change()', target);
  end loop;
  -- Depth 0: no trigger is running, so a person or a service wrote it directly.
  foreach target in array array['account_balance', 'class_total', 'book_head', 'checkpoint', 'account_day', 'class_day'] loop
    execute format('create trigger derived_by_trigger_only before insert or update on ledger.%I
      for each row when (pg_trigger_depth() = 0) execute function ledger.refuse_direct_write()', target);
  end loop;
  -- All but statement_part, partitions too, and not the platform's tables, which hold no money.
  for target in
    select c.relname from pg_class c
    where c.relnamespace = 'ledger'::regnamespace and c.relkind in ('r', 'p')
      and c.relname !~ '^(outbox|inbox$|failed_message|idempotency|migration|audit|statement_part)'
  loop
    execute format('create trigger never_truncated before truncate on ledger.%I
      for each statement execute function ledger.refuse_change()', target);
  end loop;
end $$;

-- Entries and people refer to an account by these: they never change.
create function ledger.refuse_new_identity() returns trigger language plpgsql as $$
begin
  if (new.book_id, new.account_id, new.name, new.currency, new.normal_balance, new.class, new.created_at)
    is distinct from (old.book_id, old.account_id, old.name, old.currency, old.normal_balance, old.class, old.created_at)
  then
    raise exception 'name, currency, normal balance and class of an account never change'
      using errcode = 'LG001', constraint = 'account_identity';
  end if;
  return new;
end $$;
create trigger account_identity before update on ledger.account
  for each row execute function ledger.refuse_new_identity();

-- An account closes once, for good, and only when it is empty. Money that the bank moves for it later is booked to
-- Suspense. The trigger locks the head, so that no journal is appended between the check and the close.
create function ledger.account_closes_empty() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  perform from book_head h where h.book_id = new.book_id for update;
  if old.closed_at is not null then
    raise exception 'account % was closed at %, for good', old.account_id, old.closed_at
      using errcode = 'LG001', constraint = 'account_identity';
  end if;
  if new.class <> 'Tenant' or not exists (
    select
    from account_balance b
    where b.book_id = new.book_id and b.account_id = new.account_id
      and b.held_debit = b.released_debit and b.held_credit = b.released_credit and b.posted_debit = b.posted_credit
  ) then
    raise exception 'account % is a system account or not empty', new.account_id
      using errcode = 'LG012', constraint = 'account_closes_empty';
  end if;
  return new;
end $$;
create trigger account_closes_empty before update on ledger.account
  for each row when (new.closed_at is distinct from old.closed_at)
  execute function ledger.account_closes_empty();

-- Invalidates the writer's account cache (book_head.account_changes).
create function ledger.account_change_is_counted() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  update book_head h set account_changes = h.account_changes + 1 where h.book_id = new.book_id;
  return null;
end $$;
create trigger account_change_is_counted after update on ledger.account
  for each row execute function ledger.account_change_is_counted();

-- Open → Frozen → Releasing → Open, or back to Frozen. A book opens only when no deferred command is left to replay.
create function ledger.freeze_event_sets_state() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
declare
  head book_head%rowtype;
  last_number int;
begin
  select * into strict head from book_head h where h.book_id = new.book_id for update;
  select coalesce(max(f.number), 0) into last_number
  from freeze_event f
  where f.book_id = new.book_id and f.number <> new.number;
  if new.number <> last_number + 1
    or (head.state, new.state) not in (('Open', 'Frozen'), ('Frozen', 'Releasing'), ('Releasing', 'Open'), ('Releasing', 'Frozen'))
  then
    raise exception 'book % is % since event %: event % can''t make it %',
      new.book_id, head.state, last_number, new.number, new.state
      using errcode = 'LG021', constraint = 'freeze_in_order';
  end if;
  if new.state = 'Open' and exists (
    select from deferred_command c where c.book_id = new.book_id and c.failure is null
  ) then
    raise exception 'book % has deferred commands to replay', new.book_id
      using errcode = 'LG022', constraint = 'deferred_commands_first';
  end if;
  update book_head h set state = new.state where h.book_id = new.book_id;
  return null;
end $$;
create trigger freeze_event_sets_state after insert on ledger.freeze_event
  for each row execute function ledger.freeze_event_sets_state();

-- No journal is appended to a frozen book, whatever the writer believes.
create function ledger.refuse_frozen() returns trigger language plpgsql as $$
begin
  raise exception 'book % is frozen', old.book_id using errcode = 'LG020', constraint = 'book_is_frozen';
end $$;
create trigger book_is_frozen before update on ledger.book_head
  for each row when (old.state = 'Frozen' and new.last_seq is distinct from old.last_seq)
  execute function ledger.refuse_frozen();

-- The content of a deferred command never changes; only `failure` does.
create function ledger.refuse_other_command() returns trigger language plpgsql as $$
begin
  raise exception 'the content of a deferred command never changes'
    using errcode = 'LG001', constraint = 'deferred_command_identity';
end $$;
create trigger deferred_command_identity before update on ledger.deferred_command
  for each row
  when ((new.book_id, new.position, new.command_id, new.request_hash, new.message, new.deferred_at)
    is distinct from (old.book_id, old.position, old.command_id, old.request_hash, old.message, old.deferred_at))
  execute function ledger.refuse_other_command();

-- Money sent to a virtual account is owed to somebody: its account is the tenant's own and Credit-normal.
create function ledger.virtual_account_credits_tenant() returns trigger
language plpgsql set search_path = ledger, pg_temp as $$
begin
  if not exists (
    select from account a
    where a.book_id = new.book_id and a.account_id = new.ledger_account_id
      and a.class = 'Tenant' and a.normal_balance = 'Credit'
  ) then
    raise exception 'account % is no Credit-normal account of the tenant', new.ledger_account_id
      using errcode = 'LG001', constraint = 'virtual_account_credits_tenant';
  end if;
  return new;
end $$;
create trigger virtual_account_credits_tenant before insert on ledger.virtual_account
  for each row execute function ledger.virtual_account_credits_tenant();

create function ledger.refuse_other_virtual_account() returns trigger
language plpgsql set search_path = ledger, pg_temp as $$
begin
  if old.status = 'Closed' and new.status <> 'Closed'
    or (new.book_id, new.virtual_account_id, new.name, new.ledger_account_id, new.counterparty_id, new.external_id,
        new.metadata, new.number_hash, new.created_at)
      is distinct from (old.book_id, old.virtual_account_id, old.name, old.ledger_account_id, old.counterparty_id,
        old.external_id, old.metadata, old.number_hash, old.created_at)
  then
    raise exception 'only the status of virtual account % may change, and never from Closed', old.virtual_account_id
      using errcode = 'LG001', constraint = 'virtual_account_identity';
  end if;
  return new;
end $$;
create trigger virtual_account_identity before update on ledger.virtual_account
  for each row execute function ledger.refuse_other_virtual_account();

-- An inbound payment agrees with its journals: the bank's account on one side (Suspense for an assignment), the named
-- account or Suspense on the other, the same amount, in one journal of the right kind.
create function ledger.inbound_payment_is_booked() returns trigger
language plpgsql set search_path = ledger, pg_temp as $$
declare
  booked boolean;
begin
  if tg_op = 'UPDATE' and (
    old.status <> 'Suspended' or new.status <> 'Assigned'
    or (new.book_id, new.inbound_payment_id, new.bank_reference, new.rail, new.direction, new.amount_cents, new.currency,
        new.originator_name, new.account_number_last4, new.reason, new.virtual_account_id, new.seq, new.occurred_at,
        new.created_at)
      is distinct from (old.book_id, old.inbound_payment_id, old.bank_reference, old.rail, old.direction,
        old.amount_cents, old.currency, old.originator_name, old.account_number_last4, old.reason,
        old.virtual_account_id, old.seq, old.occurred_at, old.created_at)
  ) then
    raise exception 'inbound payment % is assigned out of Suspense, once; nothing else of it changes', old.inbound_payment_id
      using errcode = 'LG001', constraint = 'inbound_payment_identity';
  end if;
  if new.status = 'Returned' then return new; end if;
  select count(*) = 1 into booked
  from journal j
  join entry debit on debit.book_id = j.book_id and debit.seq = j.seq and debit.line = 1
  join account source on source.book_id = debit.book_id and source.account_id = debit.account_id
  join entry credit on credit.book_id = j.book_id and credit.seq = j.seq and credit.line = 2
  join account target on target.book_id = credit.book_id and target.account_id = credit.account_id
  where j.book_id = new.book_id
    and j.seq = case when tg_op = 'INSERT' then new.seq else new.assigned_seq end
    and j.kind = case when tg_op = 'INSERT' then 'Inbound' else 'Assign' end::journal_kind
    and j.transaction_id = case when tg_op = 'INSERT' then new.inbound_payment_id else new.assigned_transaction_id end
    and j.line_count = 2
    and debit.direction = 'Debit' and debit.amount_cents = new.amount_cents and debit.currency = new.currency
    and case
      when tg_op = 'UPDATE' then source.class = 'Suspense'
      when new.rail = 'Usdc' then source.class = 'StablecoinWallet'
      else source.class = 'SettlementCash'
    end
    and case
      when new.ledger_account_id is null then target.class = 'Suspense'
      else target.account_id = new.ledger_account_id and target.class = 'Tenant'
    end;
  if not booked then
    raise exception 'inbound payment % does not agree with its journal', new.inbound_payment_id
      using errcode = 'LG017', constraint = 'inbound_payment_is_booked';
  end if;
  return new;
end $$;
create trigger inbound_payment_is_booked before insert or update on ledger.inbound_payment
  for each row execute function ledger.inbound_payment_is_booked();

-- An obligation never changes its type. After its accrual, its reference, jurisdiction and period never change. Its
-- status always agrees with its liability account. Fires on each row written, after the batch's entries have moved
-- the balances.
create function ledger.obligation_agrees_with_liability() returns trigger
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
    or new.event_count < old.event_count
  ) then
    raise exception 'the type of an obligation never changes, and its reference, jurisdiction and period not after its accrual'
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
create trigger obligation_agrees_with_liability after insert or update on ledger.obligation
  for each row execute function ledger.obligation_agrees_with_liability();

-- The fixed amount of an obligation is the sum of its Accrue journals. Reads the entries of one liability: its
-- accruals, and a few of each order that pays it.
create function ledger.refuse_unless_accrued(in_book uuid, in_obligation uuid) returns void
language plpgsql
-- A plan made while the tables were small must not scan them.
set enable_seqscan = off
as $$
declare
  accrued bigint;
  fixed bigint;
begin
  select coalesce(sum(case e.direction when 'Credit' then e.amount_cents else -e.amount_cents end), 0) into accrued
  from (select * from entry x where x.book_id = in_book and x.account_id = in_obligation offset 0) e
  cross join lateral (
    select from journal x where x.book_id = in_book and x.seq = e.seq and x.kind = 'Accrue' offset 0
  ) j;
  select o.fixed_cents into fixed from obligation o where o.book_id = in_book and o.obligation_id = in_obligation;
  if fixed is distinct from accrued then
    raise exception 'obligation % of book % is fixed at % cents, and % are accrued', in_obligation, in_book, fixed, accrued
      using errcode = 'LG040', constraint = 'obligation_fixed_as_accrued';
  end if;
end $$;

-- Fires on the row, which is written after its journal.
create function ledger.obligation_fixed_as_accrued() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  if tg_op = 'INSERT' or new.fixed_cents <> old.fixed_cents then
    perform refuse_unless_accrued(new.book_id, new.obligation_id);
  end if;
  return null;
end $$;
create trigger obligation_fixed_as_accrued after insert or update on ledger.obligation
  for each row execute function ledger.obligation_fixed_as_accrued();

-- The other direction, at commit: an accrual without an obligation that says the same is refused.
create function ledger.accrual_belongs_to_obligation() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
begin
  perform refuse_unless_accrued(new.book_id, e.account_id)
  from entry e
  cross join lateral (
    select from account x
    where x.book_id = e.book_id and x.account_id = e.account_id and x.class = 'ObligationLiability'
    offset 0
  ) a
  where e.book_id = new.book_id and e.seq = new.seq;
  return null;
end $$;
create constraint trigger accrual_belongs_to_obligation after insert on ledger.journal
  deferrable initially deferred
  for each row when (new.kind = 'Accrue') execute function ledger.accrual_belongs_to_obligation();
