-- Which key made a key, so that a revocation can follow it; and who may approve, which orders must know.

-- The key that made it; null if the operator did, or a version before this one.
alter table gateway.api_key add column created_by_key uuid;
alter table gateway.key_proposal add column created_by_key uuid;
create index api_key_by_maker on gateway.api_key (created_by_key) where created_by_key is not null;
create index key_proposal_by_maker on gateway.key_proposal (created_by_key) where created_by_key is not null;
-- A key that waits is found by its hash, so that its caller learns that it waits.
create index key_proposal_waiting on gateway.key_proposal (hash) where status = 'Open';

-- Until when a principal may approve is computed from these.
create index api_key_approving on gateway.api_key (tenant_id, mode, principal) where 'orders:approve' = any (scopes);

create or replace view gateway.shown_key with (security_invoker = true) as
select id, tenant_id, mode, prefix, last4, name, principal, scopes, ip_allowlist, created_by, created_at, approved_by,
  expires_at, last_used_at, revoked_by, revoked_at, replaced_by, null::uuid as proposal_id, null::text as proposal_status,
  created_by_key
from gateway.api_key
union all
select key_id, tenant_id, mode, prefix, last4, name, principal, scopes, ip_allowlist, proposed_by, proposed_at, null::text,
  expires_at, null::timestamptz, null::text, null::timestamptz, null::uuid, id, status, created_by_key
from gateway.key_proposal;

-- What was published of a principal's right to approve. One without a row holds it without an end, if at all.
create table gateway.approval_right (
  tenant_id uuid not null,
  mode text not null,
  principal text not null,
  -- How often it changed: the number of the event.
  sequence integer not null,
  -- Null: no end. The epoch: no key in force has the scope.
  held_until timestamptz,
  constraint approval_right_pkey primary key (tenant_id, mode, principal),
  constraint approval_right_tenant_known foreign key (tenant_id) references gateway.tenant (id),
  constraint approval_right_mode_known check (mode in ('Test', 'Live')),
  constraint approval_right_sequence check (sequence >= 1)
);
grant select, insert, update on gateway.approval_right to gateway;
