-- Passkeys of people (WebAuthn), and what they have signed: the challenges of decisions. New tables: nothing is locked.

create table gateway.passkey (
  id uuid not null,
  person_id uuid not null,
  name text not null,
  -- The authenticator's id, base64url; in the world only once.
  credential_id text not null,
  -- COSE_Key (RFC 9052).
  public_key bytea not null,
  -- How often the authenticator has signed; 0 if it doesn't count.
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  removed_at timestamptz,
  constraint passkey_pkey primary key (id),
  constraint passkey_credential_unique unique (credential_id),
  constraint passkey_person_known foreign key (person_id) references gateway.person (id),
  constraint passkey_name_length check (char_length(name) between 1 and 100)
);
create index passkey_by_person on gateway.passkey (person_id, id);

-- What a session asked its passkey to sign, and when it did.
create table gateway.step_up (
  id uuid not null,
  session_id uuid not null,
  operation text not null,
  mode text not null,
  object_ids text[] not null,
  order_hashes text[] not null,
  nonce bytea not null,
  challenge bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  verified_at timestamptz,
  passkey_id uuid,
  -- What the passkey has signed, and its signature: the evidence of the decision.
  assertion jsonb,
  constraint step_up_pkey primary key (id),
  constraint step_up_session_known foreign key (session_id) references gateway.session (id),
  constraint step_up_passkey_known foreign key (passkey_id) references gateway.passkey (id),
  constraint step_up_mode_known check (mode in ('Test', 'Live')),
  constraint step_up_objects_limited check (cardinality(object_ids) <= 50),
  constraint step_up_hashes_of_objects check (cardinality(order_hashes) in (0, cardinality(object_ids))),
  constraint step_up_verified check ((verified_at is null) = (passkey_id is null))
);
create index step_up_by_session on gateway.step_up (session_id, id);

-- Each object is decided once by a step-up. A repetition of the request has the same Idempotency-Key.
create table gateway.step_up_use (
  step_up_id uuid not null,
  object_id text not null,
  idempotency_key text,
  used_at timestamptz not null default now(),
  constraint step_up_use_pkey primary key (step_up_id, object_id),
  constraint step_up_use_step_up_known foreign key (step_up_id) references gateway.step_up (id)
);

grant select, insert on gateway.passkey to gateway;
grant update (counter, last_used_at, removed_at) on gateway.passkey to gateway;
grant select, insert on gateway.step_up to gateway;
grant update (verified_at, passkey_id, assertion) on gateway.step_up to gateway;
grant select, insert on gateway.step_up_use to gateway;
grant update (idempotency_key) on gateway.step_up_use to gateway;
