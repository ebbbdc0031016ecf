-- Who calls which version of the API, by UTC day: notice before a sunset reaches those who still do.
-- Takes a lock on tenant for the foreign key, for a moment.

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

-- The operator's list asks for a version since a day.
create index version_use_by_version on gateway.version_use (version, day);

grant select, insert, update on gateway.version_use to gateway;
