-- What the service's role may do. Without a grant for update or delete, a table is append-only.
grant select, insert on webhooks.endpoint to webhooks;
grant select, insert on webhooks.endpoint_secret to webhooks;
grant select, insert on webhooks.event to webhooks;
grant select, insert on webhooks.rendering to webhooks;
grant select, insert, update on webhooks.delivery to webhooks;
grant select, insert on webhooks.attempt to webhooks;
grant select, insert, update on webhooks.test_sink to webhooks;
grant select, insert, delete on webhooks.test_sink_request to webhooks;
