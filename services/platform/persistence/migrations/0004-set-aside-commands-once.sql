-- Orders sends a command again, with a new message id, until it has the outcome. While the command's book is set aside,
-- each copy was stored: a day aside stored hundreds. A command with the same content is stored once. Events have no
-- hash, because two with the same content may be two events; nor have rows of before.
alter table :service.set_aside_message add column command_hash bytea;
create unique index set_aside_message_command on :service.set_aside_message (book_id, stream, command_hash)
  where command_hash is not null;
