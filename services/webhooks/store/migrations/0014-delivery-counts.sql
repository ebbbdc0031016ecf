-- How many deliveries each endpoint got on each day, and what became of them: counted in the transaction that makes or
-- changes a delivery, so the numbers stay when old deliveries are deleted (docs/adr/0033).
--
-- No statement updates a counter while deliveries are made, because all of a busy endpoint would wait for its row. Each
-- adds one row for each endpoint and day to delivery_delta, which has no index, and a worker folds these into
-- delivery_count. The triggers count what any statement does, and that of instances of the previous version. A deletion
-- counts nothing.
--
-- The day is the UTC day of the delivery's creation. Pending is what is left: committed - delivered - dead - cancelled.
create table webhooks.delivery_count (
  book_id uuid not null,
  day date not null,
  endpoint_id uuid not null,
  committed bigint not null,
  delivered bigint not null,
  dead bigint not null,
  cancelled bigint not null,
  constraint delivery_count_pkey primary key (book_id, day, endpoint_id)
);
grant select, insert, update on webhooks.delivery_count to webhooks;

create table webhooks.delivery_delta (
  book_id uuid not null,
  day date not null,
  endpoint_id uuid not null,
  committed int not null,
  delivered int not null,
  dead int not null,
  cancelled int not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
grant select, insert, delete on webhooks.delivery_delta to webhooks;

-- The finished days whose counts were compared with the deliveries, and how many endpoints differed.
create table webhooks.delivery_count_check (
  day date not null,
  checked_at timestamptz not null,
  differences int not null,
  constraint delivery_count_check_pkey primary key (day)
);
grant select, insert, update on webhooks.delivery_count_check to webhooks;

create function webhooks.count_new_deliveries() returns trigger
language plpgsql
as $body$
begin
  insert into webhooks.delivery_delta (book_id, day, endpoint_id, committed, delivered, dead, cancelled)
  select book_id, (created_at at time zone 'UTC')::date, endpoint_id, count(*),
    count(*) filter (where status = 'Delivered'),
    count(*) filter (where status = 'DeadLettered'),
    count(*) filter (where status = 'Cancelled')
  from made
  group by 1, 2, 3;
  return null;
end $body$;

-- Without a join of before and after: its kept plan would be one for few rows.
create function webhooks.count_changed_deliveries() returns trigger
language plpgsql
as $body$
begin
  insert into webhooks.delivery_delta (book_id, day, endpoint_id, committed, delivered, dead, cancelled)
  select book_id, (created_at at time zone 'UTC')::date, endpoint_id, 0,
    coalesce(sum(change) filter (where status = 'Delivered'), 0),
    coalesce(sum(change) filter (where status = 'DeadLettered'), 0),
    coalesce(sum(change) filter (where status = 'Cancelled'), 0)
  from (
    select book_id, created_at, endpoint_id, status, -1 as change
    from was
    union all
    select book_id, created_at, endpoint_id, status, 1
    from became
  ) changes
  where status in ('Delivered', 'DeadLettered', 'Cancelled')
  group by 1, 2, 3
  having coalesce(sum(change) filter (where status = 'Delivered'), 0) <> 0
    or coalesce(sum(change) filter (where status = 'DeadLettered'), 0) <> 0
    or coalesce(sum(change) filter (where status = 'Cancelled'), 0) <> 0;
  return null;
end $body$;

create trigger count_new after insert on webhooks.delivery
  referencing new table as made
  for each statement execute function webhooks.count_new_deliveries();
create trigger count_changed after update on webhooks.delivery
  referencing old table as was new table as became
  for each statement execute function webhooks.count_changed_deliveries();
alter table webhooks.delivery enable always trigger count_new;
alter table webhooks.delivery enable always trigger count_changed;

-- The triggers keep writers out until this commits. Reads all deliveries once.
insert into webhooks.delivery_count (book_id, day, endpoint_id, committed, delivered, dead, cancelled)
select book_id, (created_at at time zone 'UTC')::date, endpoint_id, count(*),
  count(*) filter (where status = 'Delivered'),
  count(*) filter (where status = 'DeadLettered'),
  count(*) filter (where status = 'Cancelled')
from webhooks.delivery
group by 1, 2, 3;
