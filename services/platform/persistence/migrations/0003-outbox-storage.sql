-- Messages of a full batch are 20 to 30 KB. Compressing what is read once, seconds later, cost more than writing it.
alter table :service.outbox alter column message set storage external;
