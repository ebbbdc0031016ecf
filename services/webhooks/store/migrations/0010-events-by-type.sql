-- Lists of events by their type. Nothing read events by type before.
--
-- Runs beside instances of the previous version, which don't use the index. Reads all events once.
create index event_by_type on webhooks.event (book_id, type, id);
