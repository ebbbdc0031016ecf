-- The inbox lists a book's open proposals. Both indexes hold open ones only, of which there are few.
create index key_proposal_open on gateway.key_proposal (tenant_id, mode, id) where status = 'Open';
create index role_proposal_open on gateway.role_proposal (tenant_id, mode, id) where status = 'Open';
