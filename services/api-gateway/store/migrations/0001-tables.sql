-- Tenants, the keys that speak for their principals, and who calls which version of the API.

create table gateway.tenant (
  id uuid not null,
  name text not null,
  status text not null default 'Active',
  created_at timestamptz not null default now(),
  status_changed_at timestamptz not null default now(),
  constraint tenant_pkey primary key (id),
  constraint tenant_name_taken unique (name),
  constraint tenant_name_length check (char_length(name) between 1 and 100),
  constraint tenant_status_known check (status in ('Active', 'Suspended'))
);

-- The key itself is never stored: its SHA-256 finds it; the prefix and the last four characters let a person tell keys
-- apart.
create table gateway.api_key (
  id uuid not null,
  tenant_id uuid not null,
  mode text not null,
  hash bytea not null,
  prefix text not null,
  last4 text not null,
  name text not null,
  principal text not null,
  scopes text[] not null,
  -- Addresses and CIDR blocks; an empty list allows every address.
  ip_allowlist text[] not null default '{}',
  created_by text not null default 'operator',
  created_at timestamptz not null default now(),
  approved_by text,
  expires_at timestamptz,
  -- To the minute; written in batches.
  last_used_at timestamptz,
  revoked_by text,
  revoked_at timestamptz,
  -- The key that a rotation issued in its place.
  replaced_by uuid,
  constraint api_key_pkey primary key (id),
  constraint api_key_hash_unique unique (hash),
  constraint api_key_tenant_known foreign key (tenant_id) references gateway.tenant (id),
  constraint api_key_mode_known check (mode in ('Test', 'Live')),
  constraint api_key_hash_is_sha256 check (octet_length(hash) = 32),
  constraint api_key_principal_named check (char_length(principal) between 1 and 100),
  constraint api_key_has_scopes check (cardinality(scopes) > 0)
);
-- For the operator's list of a tenant's keys. The look-up by hash uses the unique index.
create index api_key_by_tenant on gateway.api_key (tenant_id, created_at);
-- For a tenant's list of its keys, newest first.
create index api_key_by_book on gateway.api_key (tenant_id, mode, id);
-- Principals whose names differ only in case would pass for two people. This collation is Postgres' own, so the rule
-- does not depend on the locale that the cluster was created with.
create index api_key_by_principal on gateway.api_key (tenant_id, (casefold(principal collate pg_unicode_fast)));

-- A key that needs a second principal's approval is not in api_key yet, so no look-up by hash can find it.
create table gateway.key_proposal (
  tenant_id uuid not null,
  mode text not null,
  id uuid not null,
  -- The key as it will be.
  key_id uuid not null,
  hash bytea not null,
  prefix text not null,
  last4 text not null,
  name text not null,
  principal text not null,
  scopes text[] not null,
  ip_allowlist text[] not null,
  expires_at timestamptz,
  -- The key that it replaces, and for how long both work.
  replaces_key_id uuid,
  overlap_hours int,
  reason text not null,
  status text not null default 'Open',
  proposed_by text not null,
  proposed_at timestamptz not null default now(),
  decided_by text,
  decided_at timestamptz,
  constraint key_proposal_pkey primary key (tenant_id, mode, id),
  constraint key_proposal_key_unique unique (tenant_id, mode, key_id),
  constraint key_proposal_tenant_known foreign key (tenant_id) references gateway.tenant (id),
  constraint key_proposal_mode_known check (mode in ('Test', 'Live')),
  constraint key_proposal_hash_is_sha256 check (octet_length(hash) = 32),
  constraint key_proposal_has_scopes check (cardinality(scopes) > 0),
  constraint key_proposal_status_known check (status in ('Open', 'Approved', 'Denied')),
  constraint key_proposal_decided check ((status = 'Open') = (decided_by is null) and (status = 'Open') = (decided_at is null)),
  -- Neither the proposer nor the key's own principal can approve it.
  constraint key_proposal_four_eyes check (status <> 'Approved' or (decided_by <> proposed_by and decided_by <> principal))
);
create index key_proposal_by_principal on gateway.key_proposal (tenant_id, (casefold(principal collate pg_unicode_fast)))
where status = 'Open';

-- Every key that a tenant can see: those in api_key, and those of proposals. Readers leave out Approved proposals,
-- whose keys are in api_key. The view has no condition and both halves have the same types, so that a page or a look-up
-- can use the indexes of both tables.
create view gateway.shown_key with (security_invoker = true) as
select id, tenant_id, mode, prefix, last4, name, principal, scopes, ip_allowlist, created_by, created_at, approved_by,
  expires_at, last_used_at, revoked_by, revoked_at, replaced_by, null::uuid as proposal_id, null::text as proposal_status
from gateway.api_key
union all
select key_id, tenant_id, mode, prefix, last4, name, principal, scopes, ip_allowlist, proposed_by, proposed_at, null::text,
  expires_at, null::timestamptz, null::text, null::timestamptz, null::uuid, id, status
from gateway.key_proposal;

-- Which tenant calls which version of the API, by UTC day, so that those who still use one are notified before its
-- sunset.
create table gateway.version_use (
  tenant_id uuid not null,
  mode text not null,
  version text not null,
  day date not null,
  requests bigint not null,
  last_used_at timestamptz not null,
  constraint version_use_pkey primary key (tenant_id, mode, version, day),
  constraint version_use_tenant_known foreign key (tenant_id) references gateway.tenant (id),
  constraint version_use_mode_known check (mode in ('Test', 'Live')),
  constraint version_use_counts check (requests > 0)
);
-- For the operator's list of a version's callers since a day.
create index version_use_by_version on gateway.version_use (version, day);
