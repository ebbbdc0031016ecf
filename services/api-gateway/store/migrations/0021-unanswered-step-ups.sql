-- Challenges that nobody has answered in time are deleted. What a passkey has signed is evidence, and stays.

create function gateway.refuse_step_up_deletion() returns trigger language plpgsql as $$
begin
  raise exception 'step-up % is evidence', old.id
    using errcode = 'restrict_violation', constraint = 'step_up_evidence_stays';
end $$;
create trigger step_up_evidence_stays before delete on gateway.step_up
for each row when (old.verified_at is not null) execute function gateway.refuse_step_up_deletion();
alter table gateway.step_up enable always trigger step_up_evidence_stays;

grant delete on gateway.step_up to gateway;
