-- Refused requests of the last seven days, so that developers find out why. A help, not a record: an instance that is
-- killed loses those of its last two seconds. Ids are UUIDv7, so the primary key finds what is older than seven days.
create table gateway.refused_request (
  id uuid not null,
  tenant_id uuid not null,
  mode text not null,
  method text not null,
  path text not null,
  status smallint not null,
  code text not null,
  principal text not null,
  api_key_id uuid,
  duration_ms integer not null,
  created_at timestamptz not null,
  constraint refused_request_pkey primary key (id),
  constraint refused_request_tenant_known foreign key (tenant_id) references gateway.tenant (id),
  constraint refused_request_mode_known check (mode in ('Test', 'Live')),
  constraint refused_request_is_refused check (status between 400 and 599)
);
create index refused_request_of_book on gateway.refused_request (tenant_id, mode, id);
create index refused_request_by_code on gateway.refused_request (tenant_id, mode, code, id);
create index refused_request_by_class on gateway.refused_request (tenant_id, mode, (status / 100), id);
grant select, insert, delete on gateway.refused_request to gateway;
