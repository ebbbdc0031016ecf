-- Numbers the changes of a tenant's status, so that orders applies the latest one whatever the clock of the operator's
-- machine says. Locks: tenant, for an instant; a constant default rewrites no row.
alter table gateway.tenant add column status_version integer not null default 0;
grant update (status_version) on gateway.tenant to gateway;
