-- Whose transaction an assignment is: every other owner's id follows from the transaction itself.
create unique index inbound_payment_by_assignment on ledger.inbound_payment (assigned_transaction_id)
  where assigned_transaction_id is not null;
