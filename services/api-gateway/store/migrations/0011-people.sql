-- People, what they may do in each mode, their sessions, and the log of what they did. New tables: nothing is locked.

create table gateway.person (
  id uuid not null,
  tenant_id uuid not null,
  -- In one name space with the principals of keys: rosa at the screen and a key that speaks for rosa are one maker.
  principal text not null,
  email text not null,
  name text not null,
  status text not null default 'Active',
  -- argon2id with its salt and parameters. Null: this person does not sign in with a password.
  password_hash text,
  -- Until when a password that somebody else has set can be used. Null: without an end.
  password_ends_at timestamptz,
  -- Signs in without a password, in Test and on a loopback address alone.
  is_demo boolean not null default false,
  created_by text not null,
  created_at timestamptz not null default now(),
  constraint person_pkey primary key (id),
  constraint person_tenant_known foreign key (tenant_id) references gateway.tenant (id),
  constraint person_principal_unique unique (tenant_id, principal),
  constraint person_principal_named check (char_length(principal) between 1 and 100),
  constraint person_name_length check (char_length(name) between 1 and 100),
  constraint person_email_length check (char_length(email) between 3 and 254),
  constraint person_status_known check (status in ('Active', 'Suspended')),
  constraint person_password_argon2id check (password_hash like '$argon2id$%')
);
-- An email finds its person before anybody knows the tenant.
create unique index person_email_unique on gateway.person (casefold(email collate pg_unicode_fast));
-- For a tenant's list of its people, newest first.
create index person_by_tenant on gateway.person (tenant_id, id);

create table gateway.person_role (
  person_id uuid not null,
  mode text not null,
  role text not null,
  given_by text not null,
  given_at timestamptz not null default now(),
  constraint person_role_pkey primary key (person_id, mode, role),
  constraint person_role_person_known foreign key (person_id) references gateway.person (id),
  constraint person_role_mode_known check (mode in ('Test', 'Live')),
  constraint person_role_known check (role in ('Viewer', 'Maker', 'Approver', 'Developer', 'Admin'))
);

-- The cookie itself is never stored: its SHA-256 finds the session.
create table gateway.session (
  id uuid not null,
  person_id uuid not null,
  hash bytea not null,
  method text not null,
  address text not null,
  user_agent text,
  signed_in_at timestamptz not null default now(),
  ends_at timestamptz not null,
  -- To the minute; written in batches.
  last_used_at timestamptz not null default now(),
  ended_at timestamptz,
  ended_because text,
  constraint session_pkey primary key (id),
  constraint session_hash_unique unique (hash),
  constraint session_person_known foreign key (person_id) references gateway.person (id),
  constraint session_hash_is_sha256 check (octet_length(hash) = 32),
  constraint session_method_known check (method in ('Password', 'Demo')),
  constraint session_ended check ((ended_at is null) = (ended_because is null))
);
-- For a person's list of sessions, newest first, and for ending all of them.
create index session_by_person on gateway.session (person_id, id);

create table gateway.audit (
  id uuid not null,
  tenant_id uuid not null,
  -- Null for what concerns no mode, such as a sign-in.
  mode text,
  at timestamptz not null default now(),
  actor text not null,
  action text not null,
  -- What it was done to: the id of an order, a person, a key.
  object_id text,
  -- The person whom it concerns, so that failed sign-ins can be counted.
  person_id uuid,
  address text,
  request_id text,
  details jsonb not null default '{}',
  constraint audit_pkey primary key (tenant_id, id),
  constraint audit_tenant_known foreign key (tenant_id) references gateway.tenant (id),
  constraint audit_mode_known check (mode in ('Test', 'Live'))
);
-- How often somebody failed to sign in as this person lately.
create index audit_failed_sign_ins on gateway.audit (person_id, at) where action = 'SignInFailed';

-- A session's life can only be shortened, and its end is final.
create function gateway.refuse_longer_session() returns trigger language plpgsql as $$
begin
  if new.ends_at > old.ends_at or (old.ended_at is not null and new.ended_at is distinct from old.ended_at) then
    raise exception 'session % can''t come back to life', old.id using errcode = 'GW002';
  end if;
  return new;
end $$;
create trigger session_life_only_shortens before update on gateway.session
for each row execute function gateway.refuse_longer_session();
alter table gateway.session enable always trigger session_life_only_shortens;

create function gateway.refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'append-only: % on gateway.audit is refused', lower(tg_op)
    using errcode = 'restrict_violation', constraint = 'audit_append_only';
end $$;
create trigger audit_append_only before update or delete on gateway.audit
for each row execute function gateway.refuse_audit_change();
create trigger audit_never_truncated before truncate on gateway.audit
for each statement execute function gateway.refuse_audit_change();
alter table gateway.audit enable always trigger audit_append_only;
alter table gateway.audit enable always trigger audit_never_truncated;

-- Who a person is never changes; a role is given and taken away; the log only grows.
grant select, insert on gateway.person to gateway;
grant update (name, status, password_hash, password_ends_at) on gateway.person to gateway;
grant select, insert, delete on gateway.person_role to gateway;
grant select, insert on gateway.session to gateway;
grant update (last_used_at, ended_at, ended_because) on gateway.session to gateway;
grant select, insert on gateway.audit to gateway;
