-- Keys that tenants make themselves. Adds columns with constant defaults and a table; takes short locks on api_key.
-- The previous version goes on: what it inserts is a key in force, made by the operator.

alter table gateway.api_key
  add column created_by text not null default 'operator',
  add column approved_by text,
  add column revoked_by text,
  -- The key that a rotation put in its place.
  add column replaced_by uuid,
  -- To the minute; written in batches.
  add column last_used_at timestamptz;

-- Lists run newest first along it.
create index api_key_by_book on gateway.api_key (tenant_id, mode, id);
-- Principals that differ in case alone would pass for two people. The collation is Postgres' own, so that the rule is
-- the same whatever the cluster was made with.
create index api_key_by_principal on gateway.api_key (tenant_id, (casefold(principal collate pg_unicode_fast)));

-- A key that waits for a second principal is not in api_key at all: no look-up by hash, of this version or of one
-- before it, can open anything with it.
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
  -- The key whose place it takes, and for how long both work.
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
  -- Neither who asked for it nor whom it speaks for lets it through.
  constraint key_proposal_four_eyes check (status <> 'Approved' or (decided_by <> proposed_by and decided_by <> principal))
);
create index key_proposal_by_principal on gateway.key_proposal (tenant_id, (casefold(principal collate pg_unicode_fast)))
where status = 'Open';

-- Every key that a tenant can see: those in api_key, and those of proposals; readers leave out the Approved ones, which
-- stand in api_key. Only without a condition and with types that agree does a page or a look-up go down both indexes.
create view gateway.shown_key with (security_invoker = true) as
select id, tenant_id, mode, prefix, last4, name, principal, scopes, ip_allowlist, created_by, created_at, approved_by,
  expires_at, last_used_at, revoked_by, revoked_at, replaced_by, null::uuid as proposal_id, null::text as proposal_status
from gateway.api_key
union all
select key_id, tenant_id, mode, prefix, last4, name, principal, scopes, ip_allowlist, proposed_by, proposed_at, null::text,
  expires_at, null::timestamptz, null::text, null::timestamptz, null::uuid, id, status
from gateway.key_proposal;

-- A key's life only gets shorter, and a revocation is for ever: not by good will, by the database.
create function gateway.refuse_longer_life() returns trigger language plpgsql as $$
begin
  if (old.expires_at is not null and (new.expires_at is null or new.expires_at > old.expires_at))
    or (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
    or (old.replaced_by is not null and new.replaced_by is distinct from old.replaced_by) then
    raise exception 'key % can''t come back to life', old.id using errcode = 'GW001';
  end if;
  return new;
end $$;
create trigger api_key_life_only_shortens
before update of expires_at, revoked_at, replaced_by on gateway.api_key
for each row execute function gateway.refuse_longer_life();

grant update (expires_at, revoked_by, replaced_by, last_used_at) on gateway.api_key to gateway;
grant select, insert on gateway.key_proposal to gateway;
grant update (status, decided_by, decided_at) on gateway.key_proposal to gateway;
grant select on gateway.shown_key to gateway;
