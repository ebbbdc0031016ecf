-- What the migrations of this service come to. Written by `make schema`; never edit it by hand.
-- Not shown: partitions by day, and the table of applied migrations.

create schema gateway;
set search_path = gateway;
grant usage on schema gateway to gateway;

create table api_key (
  id uuid not null,
  tenant_id uuid not null,
  mode text not null,
  hash bytea not null,
  prefix text not null,
  last4 text not null,
  name text not null,
  principal text not null,
  scopes text[] not null,
  ip_allowlist text[] not null default '{}'::text[],
  created_by text not null default 'operator'::text,
  created_at timestamp with time zone not null default now(),
  approved_by text,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_by text,
  revoked_at timestamp with time zone,
  replaced_by uuid,
  created_by_key uuid,
  constraint api_key_pkey primary key (id),
  constraint api_key_hash_unique unique (hash),
  constraint api_key_tenant_known foreign key (tenant_id) references tenant(id),
  constraint api_key_has_scopes check (cardinality(scopes) > 0),
  constraint api_key_hash_is_sha256 check (octet_length(hash) = 32),
  constraint api_key_mode_known check (mode = any (array['Test'::text, 'Live'::text])),
  constraint api_key_principal_named check (char_length(principal) >= 1 and char_length(principal) <= 100)
);
create index api_key_approving on api_key using btree (tenant_id, mode, principal) where 'orders:approve'::text = any (scopes);
create index api_key_by_book on api_key using btree (tenant_id, mode, id);
create index api_key_by_maker on api_key using btree (created_by_key) where created_by_key is not null;
create index api_key_by_principal_name on api_key using btree (tenant_id, principal);
create index api_key_by_tenant on api_key using btree (tenant_id, created_at);
create trigger api_key_life_only_shortens before update of expires_at, revoked_at, replaced_by on api_key for each row execute function refuse_longer_life();
alter table api_key enable always trigger api_key_life_only_shortens;
grant insert, select on api_key to gateway;
grant update (expires_at), update (last_used_at), update (replaced_by), update (revoked_at), update (revoked_by) on api_key to gateway;

create table approval_right (
  tenant_id uuid not null,
  mode text not null,
  principal text not null,
  sequence integer not null,
  held_until timestamp with time zone,
  held_since timestamp with time zone,
  constraint approval_right_pkey primary key (tenant_id, mode, principal),
  constraint approval_right_tenant_known foreign key (tenant_id) references tenant(id),
  constraint approval_right_mode_known check (mode = any (array['Test'::text, 'Live'::text])),
  constraint approval_right_sequence check (sequence >= 1)
);
grant insert, select, update on approval_right to gateway;

create table audit (
  id uuid not null,
  tenant_id uuid not null,
  mode text,
  at timestamp with time zone not null default now(),
  actor text not null,
  action text not null,
  object_id text,
  person_id uuid,
  address text,
  request_id text,
  details jsonb not null default '{}'::jsonb,
  constraint audit_pkey primary key (tenant_id, id),
  constraint audit_tenant_known foreign key (tenant_id) references tenant(id),
  constraint audit_mode_known check (mode = any (array['Test'::text, 'Live'::text]))
);
create index audit_by_actor on audit using btree (tenant_id, actor, coalesce(mode, ''::text), id);
create index audit_by_mode on audit using btree (tenant_id, coalesce(mode, ''::text), id);
create index audit_by_object on audit using btree (tenant_id, object_id, coalesce(mode, ''::text), id);
create index audit_sign_ins on audit using btree (person_id, at) where action = any (array['SignInFailed'::text, 'PasswordRecovered'::text]);
create trigger audit_append_only before delete or update on audit for each row execute function refuse_audit_change();
alter table audit enable always trigger audit_append_only;
create trigger audit_never_truncated before truncate on audit for each statement execute function refuse_audit_change();
alter table audit enable always trigger audit_never_truncated;
grant insert, select on audit to gateway;

create table book_clock (
  book_id uuid not null,
  sequence integer not null,
  mode text not null,
  lead_ms bigint not null,
  stands_at timestamp with time zone,
  constraint book_clock_pkey primary key (book_id),
  constraint book_clock_manual_stands check ((stands_at is not null) = (mode = 'Manual'::text)),
  constraint book_clock_mode_known check (mode = any (array['Instant'::text, 'Real'::text, 'Manual'::text])),
  constraint book_clock_never_behind check (lead_ms >= 0)
);
create trigger forward_only before update on book_clock for each row execute function refuse_clock_back();
alter table book_clock enable always trigger forward_only;
grant insert, select, update on book_clock to gateway;

create table failed_message (
  message_id uuid not null,
  type text not null,
  failures integer not null,
  last_error text not null,
  last_failed_at timestamp with time zone not null default now(),
  dead_lettered_at timestamp with time zone,
  constraint failed_message_pkey primary key (message_id)
);
grant insert, select, update on failed_message to gateway;

create table idempotency (
  book_id uuid not null,
  key text not null,
  fingerprint text not null,
  operation text not null,
  resource_id text not null,
  response jsonb not null,
  created_at timestamp with time zone not null default now(),
  resource text not null generated always as (idempotency_resource(operation)) stored,
  constraint idempotency_pkey primary key (book_id, key, resource)
);
create index idempotency_expiring on idempotency using btree (created_at) where resource <> 'payment-orders'::text;
grant delete, insert, select on idempotency to gateway;

create table inbox (
  message_id uuid not null,
  constraint inbox_pkey primary key (message_id)
) with (autovacuum_vacuum_scale_factor=0.02);
grant delete, insert, select on inbox to gateway;

create table key_proposal (
  tenant_id uuid not null,
  mode text not null,
  id uuid not null,
  key_id uuid not null,
  hash bytea not null,
  prefix text not null,
  last4 text not null,
  name text not null,
  principal text not null,
  scopes text[] not null,
  ip_allowlist text[] not null,
  expires_at timestamp with time zone,
  replaces_key_id uuid,
  overlap_hours integer,
  reason text not null,
  status text not null default 'Open'::text,
  proposed_by text not null,
  proposed_at timestamp with time zone not null default now(),
  decided_by text,
  decided_at timestamp with time zone,
  created_by_key uuid,
  ended_right integer,
  constraint key_proposal_pkey primary key (tenant_id, mode, id),
  constraint key_proposal_key_unique unique (tenant_id, mode, key_id),
  constraint key_proposal_tenant_known foreign key (tenant_id) references tenant(id),
  constraint key_proposal_decided check ((status = 'Open'::text) = (decided_by is null) and (status = 'Open'::text) = (decided_at is null)),
  constraint key_proposal_four_eyes check (status <> 'Approved'::text or decided_by <> proposed_by and decided_by <> principal),
  constraint key_proposal_has_scopes check (cardinality(scopes) > 0),
  constraint key_proposal_hash_is_sha256 check (octet_length(hash) = 32),
  constraint key_proposal_mode_known check (mode = any (array['Test'::text, 'Live'::text])),
  constraint key_proposal_status_known check (status = any (array['Open'::text, 'Approved'::text, 'Denied'::text]))
);
create index key_proposal_by_maker on key_proposal using btree (created_by_key) where created_by_key is not null;
create index key_proposal_by_principal_name on key_proposal using btree (tenant_id, principal) where status = 'Open'::text;
create index key_proposal_open on key_proposal using btree (tenant_id, mode, id) where status = 'Open'::text;
create index key_proposal_waiting on key_proposal using btree (hash) where status = 'Open'::text;
grant insert, select on key_proposal to gateway;
grant update (decided_at), update (decided_by), update (status) on key_proposal to gateway;

create table outbox (
  day date not null default CURRENT_DATE,
  message_id uuid not null,
  subject text not null,
  book_id uuid not null,
  message text not null,
  message_count smallint not null default 1,
  created_at timestamp with time zone not null default clock_timestamp(),
  published_at timestamp with time zone,
  constraint outbox_pkey primary key (day, message_id)
) partition by range (day);
create index outbox_unpublished on only outbox using btree ("left"(subject, 3), created_at) where published_at is null;
grant insert, select, update on outbox to gateway;

create table passkey (
  id uuid not null,
  person_id uuid not null,
  name text not null,
  credential_id text not null,
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  created_at timestamp with time zone not null default now(),
  last_used_at timestamp with time zone,
  removed_at timestamp with time zone,
  constraint passkey_pkey primary key (id),
  constraint passkey_credential_unique unique (credential_id),
  constraint passkey_person_known foreign key (person_id) references person(id),
  constraint passkey_name_length check (char_length(name) >= 1 and char_length(name) <= 100)
);
create index passkey_by_person on passkey using btree (person_id, id);
grant insert, select on passkey to gateway;
grant update (counter), update (last_used_at), update (removed_at) on passkey to gateway;

create table person (
  id uuid not null,
  tenant_id uuid not null,
  principal text not null,
  email text not null,
  name text not null,
  status text not null default 'Active'::text,
  password_hash text,
  password_ends_at timestamp with time zone,
  is_demo boolean not null default false,
  created_by text not null,
  created_at timestamp with time zone not null default now(),
  version integer not null default 1,
  constraint person_pkey primary key (id),
  constraint person_principal_unique unique (tenant_id, principal),
  constraint person_tenant_known foreign key (tenant_id) references tenant(id),
  constraint person_email_length check (char_length(email) >= 3 and char_length(email) <= 254),
  constraint person_name_length check (char_length(name) >= 1 and char_length(name) <= 100),
  constraint person_password_argon2id check (password_hash ~~ '$argon2id$%'::text),
  constraint person_principal_named check (char_length(principal) >= 1 and char_length(principal) <= 100),
  constraint person_status_known check (status = any (array['Active'::text, 'Suspended'::text]))
);
create index person_by_tenant on person using btree (tenant_id, id);
create unique index person_email_unique_in_tenant on person using btree (casefold(email collate pg_unicode_fast), tenant_id);
create trigger person_change_counted before update of name, status on person for each row when (old.name is distinct from new.name or old.status is distinct from new.status) execute function count_change_of_person();
alter table person enable always trigger person_change_counted;
grant insert, select on person to gateway;
grant update (name), update (password_ends_at), update (password_hash), update (status), update (version) on person to gateway;

create table person_identity (
  tenant_id uuid not null,
  issuer text not null,
  subject text not null,
  person_id uuid not null,
  bound_at timestamp with time zone not null default now(),
  constraint person_identity_pkey primary key (tenant_id, issuer, subject),
  constraint person_identity_one_subject unique (person_id, issuer),
  constraint person_identity_person_known foreign key (person_id) references person(id),
  constraint person_identity_tenant_known foreign key (tenant_id) references tenant(id),
  constraint person_identity_subject_length check (char_length(subject) >= 1 and char_length(subject) <= 255)
);
grant insert, select on person_identity to gateway;

create table person_role (
  person_id uuid not null,
  mode text not null,
  role text not null,
  given_by text not null,
  given_at timestamp with time zone not null default now(),
  constraint person_role_pkey primary key (person_id, mode, role),
  constraint person_role_person_known foreign key (person_id) references person(id),
  constraint person_role_known check (role = any (array['Viewer'::text, 'Maker'::text, 'Approver'::text, 'Developer'::text, 'Admin'::text])),
  constraint person_role_mode_known check (mode = any (array['Test'::text, 'Live'::text]))
);
create trigger person_role_change_counted after insert or delete on person_role for each row execute function count_change_of_roles();
alter table person_role enable always trigger person_role_change_counted;
grant delete, insert, select on person_role to gateway;

create table refused_request (
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
  created_at timestamp with time zone not null,
  constraint refused_request_pkey primary key (id),
  constraint refused_request_tenant_known foreign key (tenant_id) references tenant(id),
  constraint refused_request_is_refused check (status >= 400 and status <= 599),
  constraint refused_request_mode_known check (mode = any (array['Test'::text, 'Live'::text]))
);
create index refused_request_by_class on refused_request using btree (tenant_id, mode, (status / 100), id);
create index refused_request_by_code on refused_request using btree (tenant_id, mode, code, id);
create index refused_request_of_book on refused_request using btree (tenant_id, mode, id);
grant delete, insert, select on refused_request to gateway;

create table role_proposal (
  tenant_id uuid not null,
  mode text not null,
  id uuid not null,
  person_id uuid not null,
  principal text not null,
  roles text[] not null,
  status text not null default 'Open'::text,
  proposed_by text not null,
  proposed_at timestamp with time zone not null default now(),
  decided_by text,
  decided_at timestamp with time zone,
  constraint role_proposal_pkey primary key (tenant_id, mode, id),
  constraint role_proposal_person_known foreign key (person_id) references person(id),
  constraint role_proposal_tenant_known foreign key (tenant_id) references tenant(id),
  constraint role_proposal_decided check ((status = 'Open'::text) = (decided_by is null) and (status = 'Open'::text) = (decided_at is null)),
  constraint role_proposal_four_eyes check (status <> 'Approved'::text or decided_by <> proposed_by and decided_by <> principal),
  constraint role_proposal_has_roles check (cardinality(roles) > 0),
  constraint role_proposal_mode_known check (mode = any (array['Test'::text, 'Live'::text])),
  constraint role_proposal_status_known check (status = any (array['Open'::text, 'Approved'::text, 'Denied'::text]))
);
create index role_proposal_by_person on role_proposal using btree (person_id, mode) where status = 'Open'::text;
create index role_proposal_open on role_proposal using btree (tenant_id, mode, id) where status = 'Open'::text;
create trigger role_proposal_change_counted after insert or update of status on role_proposal for each row execute function count_change_of_roles();
alter table role_proposal enable always trigger role_proposal_change_counted;
grant insert, select on role_proposal to gateway;
grant update (decided_at), update (decided_by), update (status) on role_proposal to gateway;

create table session (
  id uuid not null,
  person_id uuid not null,
  hash bytea not null,
  method text not null,
  address text not null,
  user_agent text,
  signed_in_at timestamp with time zone not null default now(),
  ends_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null default now(),
  ended_at timestamp with time zone,
  ended_because text,
  constraint session_pkey primary key (id),
  constraint session_hash_unique unique (hash),
  constraint session_person_known foreign key (person_id) references person(id),
  constraint session_ended check ((ended_at is null) = (ended_because is null)),
  constraint session_hash_is_sha256 check (octet_length(hash) = 32),
  constraint session_method_known check (method = any (array['Password'::text, 'Demo'::text, 'OpenId'::text]))
);
create index session_by_person on session using btree (person_id, id);
create trigger session_life_only_shortens before update on session for each row execute function refuse_longer_session();
alter table session enable always trigger session_life_only_shortens;
grant insert, select on session to gateway;
grant update (ended_at), update (ended_because), update (last_used_at) on session to gateway;

create table set_aside_book (
  stream text not null,
  book_id uuid not null,
  state text not null default 'Aside'::text,
  reason text not null,
  since timestamp with time zone not null default now(),
  constraint set_aside_book_pkey primary key (book_id, stream),
  constraint set_aside_book_state_known check (state = any (array['Aside'::text, 'Releasing'::text]))
);
grant delete, insert, select, update on set_aside_book to gateway;

create table set_aside_event (
  number bigint not null generated always as identity,
  stream text not null,
  book_id uuid not null,
  kind text not null,
  actor text not null,
  reason text not null,
  at timestamp with time zone not null default clock_timestamp(),
  constraint set_aside_event_pkey primary key (number),
  constraint set_aside_event_kind_known check (kind = any (array['SetAside'::text, 'Released'::text, 'LeftOut'::text, 'Resumed'::text]))
);
grant insert on set_aside_event to gateway;

create table set_aside_message (
  stream text not null,
  message_id uuid not null,
  book_id uuid not null,
  stream_sequence bigint not null,
  part smallint not null,
  subject text not null,
  message text not null,
  stored_at timestamp with time zone not null default now(),
  command_hash bytea,
  constraint set_aside_message_pkey primary key (stream, message_id),
  constraint set_aside_message_of_book foreign key (book_id, stream) references set_aside_book(book_id, stream)
);
create index set_aside_message_in_order on set_aside_message using btree (book_id, stream, stream_sequence, part);
create unique index set_aside_message_command on set_aside_message using btree (book_id, stream, command_hash) where command_hash is not null;
grant delete, insert, select on set_aside_message to gateway;

create table step_up (
  id uuid not null,
  session_id uuid not null,
  operation text not null,
  mode text not null,
  object_ids text[] not null,
  order_hashes text[] not null,
  nonce bytea not null,
  challenge bytea not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  verified_at timestamp with time zone,
  passkey_id uuid,
  assertion jsonb,
  body_hash text,
  if_match text,
  constraint step_up_pkey primary key (id),
  constraint step_up_passkey_known foreign key (passkey_id) references passkey(id),
  constraint step_up_session_known foreign key (session_id) references session(id),
  constraint step_up_hashes_of_objects check (cardinality(order_hashes) = 0 or cardinality(order_hashes) = cardinality(object_ids)),
  constraint step_up_mode_known check (mode = any (array['Test'::text, 'Live'::text])),
  constraint step_up_objects_limited check (cardinality(object_ids) <= 50),
  constraint step_up_verified check ((verified_at is null) = (passkey_id is null))
);
create index step_up_by_session on step_up using btree (session_id, id);
create trigger step_up_evidence_stays before delete on step_up for each row when (old.verified_at is not null) execute function refuse_step_up_deletion();
alter table step_up enable always trigger step_up_evidence_stays;
grant delete, insert, select on step_up to gateway;
grant update (assertion), update (passkey_id), update (verified_at) on step_up to gateway;

create table step_up_use (
  step_up_id uuid not null,
  object_id text not null,
  idempotency_key text,
  used_at timestamp with time zone not null default now(),
  constraint step_up_use_pkey primary key (step_up_id, object_id),
  constraint step_up_use_step_up_known foreign key (step_up_id) references step_up(id)
);
grant insert, select on step_up_use to gateway;
grant update (idempotency_key) on step_up_use to gateway;

create table tenant (
  id uuid not null,
  name text not null,
  status text not null default 'Active'::text,
  created_at timestamp with time zone not null default now(),
  status_changed_at timestamp with time zone not null default now(),
  status_version integer not null default 0,
  constraint tenant_pkey primary key (id),
  constraint tenant_name_taken unique (name),
  constraint tenant_name_length check (char_length(name) >= 1 and char_length(name) <= 100),
  constraint tenant_status_known check (status = any (array['Active'::text, 'Suspended'::text]))
);
grant insert, select on tenant to gateway;
grant update (status), update (status_changed_at), update (status_version) on tenant to gateway;

create table unconfirmed_message (
  book_id uuid not null,
  message_id uuid not null,
  consumer text not null,
  type text not null,
  constraint unconfirmed_message_pkey primary key (book_id, message_id, consumer)
);
grant delete, insert, select on unconfirmed_message to gateway;

create table version_use (
  tenant_id uuid not null,
  mode text not null,
  version text not null,
  day date not null,
  requests bigint not null,
  last_used_at timestamp with time zone not null,
  constraint version_use_pkey primary key (tenant_id, mode, version, day),
  constraint version_use_tenant_known foreign key (tenant_id) references tenant(id),
  constraint version_use_counts check (requests > 0),
  constraint version_use_mode_known check (mode = any (array['Test'::text, 'Live'::text]))
);
create index version_use_by_version on version_use using btree (version, day);
grant insert, select, update on version_use to gateway;

create view shown_key with (security_invoker=true) as
 select api_key.id,
    api_key.tenant_id,
    api_key.mode,
    api_key.prefix,
    api_key.last4,
    api_key.name,
    api_key.principal,
    api_key.scopes,
    api_key.ip_allowlist,
    api_key.created_by,
    api_key.created_at,
    api_key.approved_by,
    api_key.expires_at,
    api_key.last_used_at,
    api_key.revoked_by,
    api_key.revoked_at,
    api_key.replaced_by,
    null::uuid as proposal_id,
    null::text as proposal_status,
    api_key.created_by_key
   from api_key
union all
 select key_proposal.key_id as id,
    key_proposal.tenant_id,
    key_proposal.mode,
    key_proposal.prefix,
    key_proposal.last4,
    key_proposal.name,
    key_proposal.principal,
    key_proposal.scopes,
    key_proposal.ip_allowlist,
    key_proposal.proposed_by as created_by,
    key_proposal.proposed_at as created_at,
    null::text as approved_by,
    key_proposal.expires_at,
    null::timestamp with time zone as last_used_at,
    null::text as revoked_by,
    null::timestamp with time zone as revoked_at,
    null::uuid as replaced_by,
    key_proposal.id as proposal_id,
    key_proposal.status as proposal_status,
    key_proposal.created_by_key
   from key_proposal;
grant select on shown_key to gateway;

create function count_change_of_person() returns trigger
language plpgsql
as $body$
begin
  new.version := old.version + 1;
  return new;
end $body$;
grant execute on function count_change_of_person() to public;

create function count_change_of_roles() returns trigger
language plpgsql
as $body$
begin
  update gateway.person
  set version = version + 1
  where id = case tg_op when 'DELETE' then old.person_id else new.person_id end;
  return null;
end $body$;
grant execute on function count_change_of_roles() to public;

create function idempotency_resource(operation text) returns text
language sql immutable parallel safe
RETURN CASE WHEN (operation ~~ '%-order'::text) THEN 'payment-orders'::text WHEN (operation ~~ '%-transaction'::text) THEN 'ledger-transactions'::text WHEN (operation ~~ '%-virtual-account'::text) THEN 'virtual-accounts'::text WHEN (operation ~~ '%-account'::text) THEN 'ledger-accounts'::text WHEN (operation ~~ '%-obligation'::text) THEN 'obligations'::text WHEN (operation ~~ '%-inbound-payment'::text) THEN 'inbound-payments'::text WHEN (operation ~~ '%-reconciliation'::text) THEN 'reconciliations'::text WHEN (operation ~~ '%-counterparty'::text) THEN 'counterparties'::text WHEN (operation ~~ '%-policy%'::text) THEN 'approval-policy'::text WHEN (operation ~~ '%-api-key'::text) THEN 'api-keys'::text WHEN (operation ~~ '%-endpoint'::text) THEN 'webhook-endpoints'::text WHEN (operation ~~ '%-delivery'::text) THEN 'webhooks'::text WHEN (operation ~~ '%-test-sink'::text) THEN 'test-sinks'::text WHEN ((operation ~~ 'simulate-%'::text) OR (operation ~~ '%-statement%'::text)) THEN 'simulations'::text ELSE operation END;
grant execute on function idempotency_resource(text) to gateway;
grant execute on function idempotency_resource(text) to public;

create function maintain_outbox() returns void
language plpgsql security definer
set search_path = gateway, pg_temp
set lock_timeout = 2s
as $body$
declare
  d date;
  partition text;
  unpublished boolean;
begin
  perform pg_advisory_xact_lock(hashtext('gateway.outbox'));
  for d in select generate_series(current_date - 1, current_date + 7, interval '1 day')::date loop
    partition := 'outbox_' || to_char(d, 'YYYYMMDD');
    if to_regclass(partition) is null then
      execute format('create table %I (like outbox including all) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000)', partition);
      execute format('alter table outbox attach partition %I for values from (%L) to (%L)', partition, d, d + 1);
    end if;
  end loop;
  for partition in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'outbox'::regclass and c.relname < 'outbox_' || to_char(current_date - 8, 'YYYYMMDD')
  loop
    execute format('select exists (select from %I where published_at is null)', partition) into unpublished;
    if not unpublished then execute format('drop table %I', partition); end if;
  end loop;
end $body$;
grant execute on function maintain_outbox() to gateway;
grant execute on function maintain_outbox() to public;

create function refuse_audit_change() returns trigger
language plpgsql
as $body$
begin
  raise exception 'append-only: % on gateway.audit is refused', lower(tg_op)
    using errcode = 'restrict_violation', constraint = 'audit_append_only';
end $body$;
grant execute on function refuse_audit_change() to public;

create function refuse_clock_back() returns trigger
language plpgsql
as $body$
begin
  if new.lead_ms < old.lead_ms or new.sequence <= old.sequence or new.stands_at < old.stands_at then
    raise exception 'the clock of a book can''t go back'
      using errcode = 'restrict_violation', table = tg_table_name, constraint = 'book_clock_forward_only';
  end if;
  return new;
end $body$;
grant execute on function refuse_clock_back() to public;

create function refuse_longer_life() returns trigger
language plpgsql
as $body$
begin
  if (old.expires_at is not null and (new.expires_at is null or new.expires_at > old.expires_at))
    or (old.revoked_at is not null and new.revoked_at is distinct from old.revoked_at)
    or (old.replaced_by is not null and new.replaced_by is distinct from old.replaced_by) then
    raise exception 'key % can''t come back to life', old.id using errcode = 'GW001';
  end if;
  return new;
end $body$;
grant execute on function refuse_longer_life() to public;

create function refuse_longer_session() returns trigger
language plpgsql
as $body$
begin
  if new.ends_at > old.ends_at or (old.ended_at is not null and new.ended_at is distinct from old.ended_at) then
    raise exception 'session % can''t come back to life', old.id using errcode = 'GW002';
  end if;
  return new;
end $body$;
grant execute on function refuse_longer_session() to public;

create function refuse_step_up_deletion() returns trigger
language plpgsql
as $body$
begin
  raise exception 'step-up % is evidence', old.id
    using errcode = 'restrict_violation', constraint = 'step_up_evidence_stays';
end $body$;
grant execute on function refuse_step_up_deletion() to public;
