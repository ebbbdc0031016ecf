-- Numbers the changes of a person: name, status, roles, and roles that wait for another admin. A PATCH with If-Match
-- compares it, so that no admin overwrites what another one has just changed. Triggers count, so that the changes of a
-- gateway of the release before count too. Whoever changes people has locked the tenant (lockTenantKeys).
-- Locks: person, person_role and role_proposal, for an instant; a constant default rewrites no row.
alter table gateway.person add column version integer not null default 1;
grant update (version) on gateway.person to gateway;

create function gateway.count_change_of_person() returns trigger language plpgsql as $$
begin
  new.version := old.version + 1;
  return new;
end $$;
create trigger person_change_counted before update of name, status on gateway.person
for each row when ((old.name, old.status) is distinct from (new.name, new.status))
execute function gateway.count_change_of_person();
alter table gateway.person enable always trigger person_change_counted;

create function gateway.count_change_of_roles() returns trigger language plpgsql as $$
begin
  update gateway.person
  set version = version + 1
  where id = case tg_op when 'DELETE' then old.person_id else new.person_id end;
  return null;
end $$;
create trigger person_role_change_counted after insert or delete on gateway.person_role
for each row execute function gateway.count_change_of_roles();
create trigger role_proposal_change_counted after insert or update of status on gateway.role_proposal
for each row execute function gateway.count_change_of_roles();
alter table gateway.person_role enable always trigger person_role_change_counted;
alter table gateway.role_proposal enable always trigger role_proposal_change_counted;
