-- Test sinks are scripted in full, listed, changed, cleared and deleted.
--
--   script               the answers, each an object; null for a sink that an instance of the previous version made.
--                        respond has their statuses (0 for an answer that is not sent), for that version.
--   script_began         how many requests had come when the script began
--   verified_version     the version of the secret that verified the request, and its age at that time
--   answer               the answer of the script; null for requests that an instance of the previous version received
alter table webhooks.test_sink
  add column script jsonb,
  add column script_began int not null default 0;

alter table webhooks.test_sink_request
  add column verified_version int,
  add column verified_age text,
  add column answer jsonb,
  add constraint test_sink_request_age_known check (verified_age in ('Newest', 'Previous')),
  add constraint test_sink_request_verified_by_one check ((verified_version is null) = (verified_age is null));

-- A list of a book's sinks, and their maximum.
create index test_sink_by_book on webhooks.test_sink (book_id, id);

grant delete on webhooks.test_sink to webhooks;
