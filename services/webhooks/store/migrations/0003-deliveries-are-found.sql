-- Every filter of the list of deliveries reads by an index (find-deliveries.plans.db.spec.ts, 100,000 rows): a stretch
-- for each type and status that fits, at most 40, each newest first, merged. A delivery is written twice where it
-- arrives at once (claims change neither), so each index takes two or three entries of it: some 10 µs, where the HTTP
-- request costs 300. An index of what is not Delivered would take less, and serve no type and no quiet endpoint.
-- Locks: writers of delivery wait while they are built, about a second for each 500,000 rows.

create index delivery_by_kind on webhooks.delivery (book_id, event_type, status, id);
create index delivery_by_endpoint on webhooks.delivery (book_id, endpoint_id, event_type, status, id);
