-- Who may call: tenants, and the keys that speak for their principals. Takes no lock on anything that exists.

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

-- The key itself is never stored: its SHA-256 finds it, the prefix and the last four let a person tell keys apart.
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
  -- Addresses and CIDR blocks; empty lets every address in.
  ip_allowlist text[] not null default '{}',
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  revoked_at timestamptz,
  constraint api_key_pkey primary key (id),
  constraint api_key_hash_unique unique (hash),
  constraint api_key_tenant_known foreign key (tenant_id) references gateway.tenant (id),
  constraint api_key_mode_known check (mode in ('Test', 'Live')),
  constraint api_key_hash_is_sha256 check (octet_length(hash) = 32),
  constraint api_key_principal_named check (char_length(principal) between 1 and 100),
  constraint api_key_has_scopes check (cardinality(scopes) > 0)
);

-- A tenant's keys, for the operator's list. Look-ups by hash have the unique index.
create index api_key_by_tenant on gateway.api_key (tenant_id, created_at);

-- What a key says is fixed when it is made: it can only be revoked. Tenants only change their status.
grant select, insert on gateway.tenant to gateway;
grant update (status, status_changed_at) on gateway.tenant to gateway;
grant select, insert on gateway.api_key to gateway;
grant update (revoked_at) on gateway.api_key to gateway;
