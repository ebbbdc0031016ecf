-- A parked event that has moved money names the ledger transaction that has it, and the journal once it is posted.
-- Nullable columns: the version before this one goes on beside it.

alter table orders.parked_event
  add column ledger_transaction_id uuid,
  add column journal_sequence bigint;

create index parked_event_ledger_transaction on orders.parked_event (book_id, ledger_transaction_id)
where ledger_transaction_id is not null;

grant update (journal_sequence) on orders.parked_event to orders;
