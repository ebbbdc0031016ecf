-- What moved in the ledger behind a run's statement, earliest first: whose next statement is missing is asked of every
-- book, and a run may have thousands of items.
create index reconciliation_item_not_yet_at_bank on ledger.reconciliation_item (book_id, run, occurred_at)
  where reason = 'NotYetAtBank';
