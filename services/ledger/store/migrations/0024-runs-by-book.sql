-- A book's runs of a day or of a status. With the book last, the list read all other books' runs of that day or status.
-- The list needs no more than these columns, so it reads the index alone, which costs less than the primary key.
-- Locks: reconciliation, while the indexes are built; no statement is compared until then.
drop index ledger.reconciliation_by_date;
drop index ledger.reconciliation_by_status;
create index reconciliation_by_date on ledger.reconciliation (banking_date, book_id, run);
create index reconciliation_by_status on ledger.reconciliation (status, book_id, run);
