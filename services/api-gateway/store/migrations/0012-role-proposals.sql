-- Roles that one admin may not give alone wait for another one. Lock: `share` on audit while its index is built.

create table gateway.role_proposal (
  tenant_id uuid not null,
  mode text not null,
  id uuid not null,
  person_id uuid not null,
  -- The person's, so that the guard below can compare it.
  principal text not null,
  roles text[] not null,
  status text not null default 'Open',
  proposed_by text not null,
  proposed_at timestamptz not null default now(),
  decided_by text,
  decided_at timestamptz,
  constraint role_proposal_pkey primary key (tenant_id, mode, id),
  constraint role_proposal_tenant_known foreign key (tenant_id) references gateway.tenant (id),
  constraint role_proposal_person_known foreign key (person_id) references gateway.person (id),
  constraint role_proposal_mode_known check (mode in ('Test', 'Live')),
  constraint role_proposal_has_roles check (cardinality(roles) > 0),
  constraint role_proposal_status_known check (status in ('Open', 'Approved', 'Denied')),
  constraint role_proposal_decided check ((status = 'Open') = (decided_by is null) and (status = 'Open') = (decided_at is null)),
  -- Neither the proposer nor the person who gets the roles can approve it.
  constraint role_proposal_four_eyes check (status <> 'Approved' or (decided_by <> proposed_by and decided_by <> principal))
);
-- What a person waits for.
create index role_proposal_by_person on gateway.role_proposal (person_id, mode) where status = 'Open';
grant select, insert on gateway.role_proposal to gateway;
grant update (status, decided_by, decided_at) on gateway.role_proposal to gateway;

-- An operator's help forgives the failures before it.
create index audit_sign_ins on gateway.audit (person_id, at) where action in ('SignInFailed', 'PasswordRecovered');
drop index gateway.audit_failed_sign_ins;
