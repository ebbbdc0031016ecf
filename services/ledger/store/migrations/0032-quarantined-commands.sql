-- The number of quarantined commands is a metric. While a busy book is frozen, its deferred commands are many, and
-- those that are quarantined are few.
-- Lock: `share` on deferred_command while the index is built: commands of frozen books wait until then.
create index deferred_command_quarantined on ledger.deferred_command (book_id, position) where failure is not null;
