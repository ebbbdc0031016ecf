-- Since when a principal holds the right to approve, if it had lost it before: what it approved before that is void.
-- Null: it never got the right back by a new key.
alter table gateway.approval_right add column held_since timestamptz;
