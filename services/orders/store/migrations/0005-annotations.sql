-- An order's description and metadata can change after its submission. The submitted ones stay where they are, in the
-- order's hash and under its approvals; the current ones have a column of their own.

-- { description, metadata }; null while they are as submitted.
alter table orders.payment_order add column annotations jsonb;

-- One row per change, never changed or deleted.
create table orders.annotation_change (
  book_id uuid not null,
  order_id uuid not null,
  -- Counts from 1 under the order's row lock.
  position int not null,
  principal text not null,
  at timestamptz not null,
  before jsonb not null,
  after jsonb not null,
  constraint annotation_change_pkey primary key (book_id, order_id, position)
);
grant select, insert on orders.annotation_change to orders;

-- Lists find an order by its current metadata.
create or replace function orders.index_metadata() returns trigger
language plpgsql security definer set search_path = orders, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    delete from order_metadata m
    using jsonb_each_text(coalesce(old.annotations -> 'metadata', old.metadata)) p
    where m.book_id = old.book_id
      and m.pair = metadata_pair(p.key, p.value)
      and m.order_id = old.id;
  end if;
  insert into order_metadata (book_id, pair, order_id)
  select new.book_id, metadata_pair(p.key, p.value), new.id
  from jsonb_each_text(coalesce(new.annotations -> 'metadata', new.metadata)) p
  on conflict on constraint order_metadata_pkey do nothing;
  return null;
end $$;
create or replace trigger payment_order_metadata_changed after update of metadata, annotations on orders.payment_order
  for each row when (
    coalesce(old.annotations -> 'metadata', old.metadata) is distinct from
    coalesce(new.annotations -> 'metadata', new.metadata)
  ) execute function orders.index_metadata();
