-- A vacuum reads every index of the table, so at 2 % of dead rows its share of each delivery was ten times as large.
alter table webhooks.delivery set (autovacuum_vacuum_scale_factor = 0.2);
