-- What the service's own role may do. A tenant only changes its status. A key's rights are fixed when it is created: it
-- can only expire earlier, be replaced or be revoked. A proposal is decided once.

grant select, insert on gateway.tenant to gateway;
grant update (status, status_changed_at) on gateway.tenant to gateway;
grant select, insert on gateway.api_key to gateway;
grant update (expires_at, revoked_at, revoked_by, replaced_by, last_used_at) on gateway.api_key to gateway;
grant select, insert on gateway.key_proposal to gateway;
grant update (status, decided_by, decided_at) on gateway.key_proposal to gateway;
grant select on gateway.shown_key to gateway;
grant select, insert, update on gateway.version_use to gateway;
