-- The gateway numbers the changes of a tenant's status. They were ordered by the clock of the operator's machine, so a
-- clock that stepped back could undo the later change. 0: a change without a number, ordered by its time as before.
-- Locks: book_status, for an instant; a constant default rewrites no row.
alter table orders.book_status add column status_version integer not null default 0;
