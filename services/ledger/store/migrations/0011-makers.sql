-- Who made what other people approve.

-- Everybody who wrote, changed, fixed or amended it: none of them approves its payment.
alter table ledger.obligation add column makers text[] not null default '{}';
update ledger.obligation o
set makers = (
  select array_agg(distinct m.principal)
  from (
    select o.created_by as principal
    union all
    select e.actor
    from ledger.obligation_event e
    where e.book_id = o.book_id
      and e.obligation_id = o.obligation_id
      and e.kind in ('Fixed', 'Amended')
  ) m
);
grant update (makers) on ledger.obligation to ledger;

-- Who created a manual transaction; null for those of a version before this one.
alter table ledger.transaction_detail add column created_by text;

-- What a book's approval policy requires of manual transactions, as orders published it; nothing without a row.
create table ledger.transaction_policy (
  book_id uuid not null,
  -- The policy's version: an older one changes nothing.
  version integer not null,
  approval_required boolean not null,
  threshold_cents bigint not null,
  constraint transaction_policy_pk primary key (book_id)
);
grant select, insert, update on ledger.transaction_policy to ledger;
