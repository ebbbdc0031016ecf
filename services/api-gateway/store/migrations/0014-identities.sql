-- Whom an OpenID provider means: the issuer's own name for a person, bound at the person's first sign-in there. One
-- issuer may serve several tenants, each of which has its own people. The sessions' table is small, and its old
-- constraint was stricter: nothing in it can break the new one.

create table gateway.person_identity (
  tenant_id uuid not null,
  issuer text not null,
  subject text not null,
  person_id uuid not null,
  bound_at timestamptz not null default now(),
  constraint person_identity_pkey primary key (tenant_id, issuer, subject),
  constraint person_identity_one_subject unique (person_id, issuer),
  constraint person_identity_tenant_known foreign key (tenant_id) references gateway.tenant (id),
  constraint person_identity_person_known foreign key (person_id) references gateway.person (id),
  constraint person_identity_subject_length check (char_length(subject) between 1 and 255)
);
grant select, insert on gateway.person_identity to gateway;

alter table gateway.session drop constraint session_method_known;
alter table gateway.session add constraint session_method_known check (method in ('Password', 'Demo', 'OpenId'));
