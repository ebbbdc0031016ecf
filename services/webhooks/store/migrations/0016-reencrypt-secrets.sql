-- An operator re-encrypts signing secrets with the rights of this role, so that an older key can be retired.
-- Runs beside instances of the previous version: they change neither column.
grant update (key_id, ciphertext) on webhooks.endpoint_secret to webhooks;
