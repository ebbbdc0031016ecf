-- Roles, grants and row-level security.
-- `ledger` (the service) inserts and selects; it updates only the columns below, through the parents of partitions.
-- `ledger_reader` answers tenants: it may only select, and Postgres shows it the rows of one book, which its
-- transaction names in `ledger.book` (tenant-snapshot.ts). A query that forgets its `where book_id = …` then finds
-- nothing of other tenants, and one that names no book fails. The service's own role writes, audits and proves all
-- books: it bypasses the policies, so that they change none of the writer's plans.

-- Roles belong to the server, so two migrators may create this one at once (two clones on one server).
do $$ begin create role ledger_reader nologin; exception when duplicate_object or unique_violation then null; end $$;
grant ledger_reader to ledger with inherit false, set true;
alter role ledger bypassrls;
grant usage on schema ledger to ledger, ledger_reader;

grant select, insert on ledger.book, ledger.account, ledger.journal, ledger.entry, ledger.command to ledger;
grant select on ledger.book_head, ledger.account_balance, ledger.class_total, ledger.checkpoint, ledger.account_day,
  ledger.class_day to ledger;
grant select, insert on ledger.transaction_detail, ledger.journal_note, ledger.closed_period, ledger.freeze_event to ledger;
grant select, insert, delete, update (failure) on ledger.deferred_command to ledger;
grant select, update on ledger.audit to ledger;

grant select, insert, update (status, updated_at, key_id, ciphertext) on ledger.virtual_account to ledger;
grant select, insert,
  update (status, ledger_account_id, assigned_seq, assigned_transaction_id, assigned_by, assigned_at)
  on ledger.inbound_payment to ledger;
grant select, insert, update (status, reference, jurisdiction, period, payee_counterparty_id, lines, fixed_cents,
  payment_order_id, remittance_cents, remittance_rail, funding_account_id, requested_by, request_due_at, event_count,
  updated_at) on ledger.obligation to ledger;
grant select, insert on ledger.obligation_event to ledger;
grant select, insert, delete on ledger.statement_part to ledger;
grant select, insert on ledger.bank_statement, ledger.bank_line, ledger.reconciliation, ledger.reconciliation_item
  to ledger;

-- For tables of later migrations too. As a scalar subquery the setting is read once per statement, not once per row.
create function ledger.restrict_to_own_book(target regclass) returns void
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('create policy own_book on %s for select to ledger_reader
    using (book_id = (select current_setting(''ledger.book'')::uuid))', target);
  execute format('grant select on %s to ledger_reader', target);
end $$;
revoke all on function ledger.restrict_to_own_book(regclass) from public;

-- Every table with a book, except the platform's, those that store whole messages, and partitions, which nobody is
-- granted.
do $$
declare
  target regclass;
begin
  for target in
    select c.oid::regclass
    from pg_class c
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'book_id' and not a.attisdropped
    where c.relnamespace = 'ledger'::regnamespace
      and c.relkind in ('r', 'p')
      and not c.relispartition
      and c.relname not in ('outbox', 'idempotency', 'deferred_command', 'statement_part')
  loop
    perform ledger.restrict_to_own_book(target);
  end loop;
end $$;

-- A function that runs with its owner's rights is for its grantees only. A trigger function, too: anybody could
-- attach it to a temporary table and so write rows into any book.
do $$
declare
  target regprocedure;
begin
  for target in
    select p.oid::regprocedure from pg_proc p where p.pronamespace = 'ledger'::regnamespace and p.prosecdef
  loop
    execute format('revoke all on function %s from public', target);
  end loop;
end $$;
revoke all on function ledger.refuse_unless_accrued(uuid, uuid) from public;

grant execute on function ledger.lock_books(uuid[]), ledger.close_account(uuid, uuid),
  ledger.read_transactions(uuid[], uuid[]), ledger.first_journal_at(uuid, timestamptz),
  ledger.first_version_at(uuid, uuid, bigint), ledger.no_more_journals_before(uuid, timestamptz),
  ledger.checkpoint_before(uuid, timestamptz), ledger.account_as_of(uuid, uuid, bigint, date),
  ledger.classes_as_of(uuid, bigint, date) to ledger;
