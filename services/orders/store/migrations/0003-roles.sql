-- What the service may do. It can't delete orders, history, votes or policies, nor change what must never change.

grant select, insert, update on orders.payment_order to orders;
grant select on orders.order_metadata to orders;
grant select, insert on orders.status_change to orders;
grant select, insert, delete on orders.deferred_event to orders;
grant select, insert, update (journal_sequence) on orders.parked_event to orders;
grant select, insert on orders.resolution_vote to orders;
grant select, insert, update on orders.book_status to orders;
grant select, insert, update (used_cents) on orders.daily_usage to orders;
grant select, insert on orders.approval_policy to orders;
grant select, insert, update (status, decided_by, decided_at) on orders.policy_proposal to orders;
grant select, insert, update on orders.counterparty to orders;
grant select, insert, update, delete on orders.counterparty_account to orders;
