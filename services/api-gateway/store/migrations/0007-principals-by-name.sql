-- Principals are compared by how their names look, which no expression of Postgres tells. A tenant has few principals
-- and many keys, so their names are read one after the other, each by one step down an index. Lock: `share` on api_key
-- and key_proposal while the indexes are built; keys are read, and none is created until then.

create index api_key_by_principal_name on gateway.api_key (tenant_id, principal);
create index key_proposal_by_principal_name on gateway.key_proposal (tenant_id, principal) where status = 'Open';

drop index gateway.api_key_by_principal;
drop index gateway.key_proposal_by_principal;
