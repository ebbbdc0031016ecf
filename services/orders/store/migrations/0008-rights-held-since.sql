-- What a principal approved before this is void: it had lost the right in between.
-- Null: it never got the right back by a new key.
alter table orders.approval_right add column held_since timestamptz;
