-- Who edited a counterparty before it was last Verified, while account data of that time is still in it: they are
-- makers of what pays it. Those of before this column are not known.
alter table orders.counterparty add column earlier_editors text[] not null default '{}';
