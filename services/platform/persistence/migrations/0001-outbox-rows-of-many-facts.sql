-- A row of the outbox holds what one unit said on one subject about one book, up to an envelope's worth: `message` is the
-- JSON of one message or of several with a comma between them, `message_id` the first one's id. A ledger's batch of a thousand
-- outcomes is ten rows to write, to mark and to keep. What rests there already is rows of one.
alter table :service.outbox add column message_count smallint not null default 1;
