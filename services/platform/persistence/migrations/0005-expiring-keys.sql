-- Finds the Idempotency-Keys that housekeeping deletes. Keys of payment orders are not among them: they never expire.
create index idempotency_expiring on :service.idempotency (created_at) where resource <> 'payment-orders';
