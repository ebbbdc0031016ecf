-- Every filter of a list reads by an index, a bounded number of rows a page (find-orders.plans.db.spec.ts, 100,000 rows).
--
-- Orders are a hot path: one is written about five times, and because `due_at` is indexed none of these writes is HOT,
-- so that each index takes five entries an order. So there are as few as serve. Measured with 64 orders a statement,
-- insert and four updates: 175 µs of Postgres' CPU an order before, 240 µs with the three full ones (an order costs
-- 3,900 µs over all services). A table beside, written once an order, was no cheaper (185 to 285 µs) and another join.
--
--   by_kind     status, rail and direction, alone and together: a walk down one stretch for each combination (at most 48
--               where one of them is named), each newest first, merged. A page of n reads at most 48 n entries.
--   by_account  the account, alone and with a status: a walk for each status.
--   by_amount   a narrow range; a wide one is dense, and the planner walks down the key instead.
--   by_return   only what came back.
-- Time of creation needs none: ids are UUIDv7, so it is a stretch of the primary key, and of each index above.
--
-- `where sequence >= 0` is true of every order (0001) and keeps these indexes from statements that do not say so: a plan
-- of a hot statement that was made while the table was empty could otherwise take one of them for the primary key, and
-- keep it (services/ledger/store/migrations/0001-books-and-accounts.sql).
--
-- Locks: writers of payment_order wait while the indexes are built, about a second for each 300,000 orders.

create index payment_order_by_kind on orders.payment_order (book_id, rail, direction, status, id) where sequence >= 0;
create index payment_order_by_account on orders.payment_order (book_id, ledger_account_id, status, id)
where sequence >= 0;
create index payment_order_by_amount on orders.payment_order (book_id, amount_cents, id) where sequence >= 0;
create index payment_order_by_return on orders.payment_order (book_id, (progress #>> '{return,code}'), id)
where (progress #>> '{return,code}') is not null;

-- Metadata beside the orders, a row a pair: an order without any costs nothing, one with some is indexed once and not at
-- each of its writes, and a list walks down a pair newest first. (A GIN index knows neither books nor an order of ids.)
create table orders.order_metadata (
  book_id uuid not null,
  pair uuid not null,
  order_id uuid not null,
  constraint order_metadata_pkey primary key (book_id, pair, order_id)
);

-- 128 bits of a pair, so that long values make no long keys. `a=b` and `c` share it with `a` and `b=c`: lists look at the
-- order's own metadata too.
create function orders.metadata_pair(key text, value text) returns uuid
language sql immutable parallel safe as $$
  select encode(substring(sha256(convert_to(key || '=' || value, 'UTF8')) for 16), 'hex')::uuid
$$;

-- By trigger, so that instances of the version before fill it too, and nobody can forget.
create function orders.index_metadata() returns trigger
language plpgsql security definer set search_path = orders, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    delete from order_metadata m
    using jsonb_each_text(old.metadata) p
    where m.book_id = old.book_id
      and m.pair = metadata_pair(p.key, p.value)
      and m.order_id = old.id;
  end if;
  insert into order_metadata (book_id, pair, order_id)
  select new.book_id, metadata_pair(p.key, p.value), new.id
  from jsonb_each_text(new.metadata) p
  on conflict on constraint order_metadata_pkey do nothing;
  return null;
end $$;
create trigger payment_order_metadata_written after insert on orders.payment_order
  for each row when (new.metadata <> '{}') execute function orders.index_metadata();
-- Drafts only: the freeze refuses it later. Fires only for statements that name the column.
create trigger payment_order_metadata_changed after update of metadata on orders.payment_order
  for each row when (old.metadata is distinct from new.metadata) execute function orders.index_metadata();

insert into orders.order_metadata (book_id, pair, order_id)
select distinct o.book_id, orders.metadata_pair(p.key, p.value), o.id
from orders.payment_order o
cross join jsonb_each_text(o.metadata) p;

grant select on orders.order_metadata to orders;
