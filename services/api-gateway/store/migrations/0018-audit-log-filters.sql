-- A page of the audit log is two runs of an index: the book's own entries, and those of no mode. A busy Live book must
-- not make the log of the Test book slow. The same by actor and by object, the filters of the list.
create index audit_by_mode on gateway.audit (tenant_id, coalesce(mode, ''), id);
create index audit_by_actor on gateway.audit (tenant_id, actor, coalesce(mode, ''), id);
create index audit_by_object on gateway.audit (tenant_id, object_id, coalesce(mode, ''), id);
