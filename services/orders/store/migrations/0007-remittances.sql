-- Orders that pay an obligation: the ledger chose them, and asks for exactly them. Locks: a new column without a default,
-- so running instances wait only for a moment. Orders of the version before know no obligation_id: roll orders out before
-- the ledger that asks for remittances.

alter table orders.payment_order add column obligation_id uuid;

-- The freeze, for the new column too.
create trigger payment_order_obligation_frozen
before update of obligation_id on orders.payment_order
for each row execute function orders.refuse_frozen_change();
