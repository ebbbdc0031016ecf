-- PATCH /v1/ledger-accounts/:id changes metadata, as it changes the description.
-- Locks: none but that of the table's privileges.
grant update (metadata) on ledger.account to ledger;
