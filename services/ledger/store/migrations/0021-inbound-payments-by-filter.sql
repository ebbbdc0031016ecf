-- The stretches that a list of inbound payments reads (inbound-payment-pages.ts), with the book as it is and before the id.
-- A reader's policy (0016) compares `book_id`. Where the index has it not, the planner counts with a hundredth of the rows
-- and walks down the whole book instead.
drop index ledger.inbound_payment_by_status;
create index inbound_payment_by_status on ledger.inbound_payment (status, book_id, inbound_payment_id);
drop index ledger.inbound_payment_by_virtual_account;
create index inbound_payment_by_virtual_account
  on ledger.inbound_payment (virtual_account_id, status, book_id, inbound_payment_id) where virtual_account_id is not null;
drop index ledger.inbound_payment_by_ledger_account;
create index inbound_payment_by_ledger_account
  on ledger.inbound_payment (ledger_account_id, status, book_id, inbound_payment_id) where ledger_account_id is not null;
