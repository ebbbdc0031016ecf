-- What one order writes: events that nobody receives get two index entries instead of three, and a delivery that is
-- acknowledged at its first attempt gets five instead of eleven, because its update is a HOT update.
--
-- Runs beside instances of the previous version. They write the same columns, and their deliveries are claimed as
-- before. Their lists by type, status or endpoint are slow until they are gone: the indexes of those lists are
-- replaced. They don't know `lease`. If all instances of this version crash and only previous ones are started
-- afterwards, the deliveries that the crashed ones had in memory wait until this version runs again.
-- Rewrites `delivery` under its lock, and makes indexes of both tables.

-- An event's id is unique in its book, which also lists a book's events. Nothing looks up an id without its book.
-- Partitions by time would leave the keys of a change and of (event, endpoint) unique, if events are partitioned by
-- object_id and deliveries by event_id: both ids begin with their time of creation.
alter table webhooks.event drop constraint event_pkey;
drop index webhooks.event_by_book;
alter table webhooks.event add constraint event_pkey primary key (book_id, id);

-- The leases of new deliveries, which an instance sends from memory: one row for those that one batch made for a book.
-- It is deleted when all of them are recorded. When the lease ends before that, because the instance crashed, any
-- instance makes the rest claimable.
create table webhooks.lease (
  book_id uuid not null,
  id uuid not null,
  ends_at timestamptz not null,
  delivery_ids uuid[] not null,
  constraint lease_pkey primary key (book_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
grant select, insert, delete on webhooks.lease to webhooks;

-- A new delivery that is leased from its start has no claimable_at, so that recording its acknowledgement changes no
-- indexed column. From its first failure, or the end of that lease, claimable_at is as it was.
--
-- filed_status is the status under which the indexes of lists hold a delivery. A new delivery is held as Delivered from
-- its start, because nearly all of them end so. A list by status compares the status too, and finds the new
-- deliveries that are Pending by their leases.
alter table webhooks.delivery
  drop constraint delivery_open_is_claimable,
  add column filed_status text not null
    generated always as (case when status = 'Pending' and claimable_at is null then 'Delivered' else status end) stored,
  add constraint delivery_open_is_claimable check (
    case
      when claimable_at is not null then status in ('Pending', 'Retrying')
      when status = 'Pending' then attempt_count = 0 and lease_id is not null
      else status <> 'Retrying'
    end
  );

drop index webhooks.delivery_by_kind, webhooks.delivery_by_endpoint;
create index delivery_by_kind on webhooks.delivery (book_id, event_type, filed_status, id);
create index delivery_by_endpoint on webhooks.delivery (book_id, endpoint_id, event_type, filed_status, id);

-- A HOT update needs room on the page of the row.
alter table webhooks.delivery set (fillfactor = 50);
