-- The version of an obligation, which If-Match names: what a caller fixes or pays is what they have seen. The release
-- before this one does not raise it, so until all instances are updated it may miss a change. Locks: obligation, for an
-- instant; a constant default rewrites no row.
alter table ledger.obligation add column version integer not null default 1;
grant update (version) on ledger.obligation to ledger;
