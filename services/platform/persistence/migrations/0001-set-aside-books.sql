-- Books that a consumer has set aside, because their messages alone failed. Its later messages are stored here instead
-- of being applied, until an operator sends them on (docs/adr, "books set aside").

-- Aside: messages are stored. Releasing: they are applied in their order, and new ones are still stored. The commit
-- that finds none left deletes the row, and the book goes on as usual.
create table :service.set_aside_book (
  stream text not null,
  book_id uuid not null,
  state text not null default 'Aside',
  reason text not null,
  since timestamptz not null default now(),
  constraint set_aside_book_pkey primary key (book_id, stream),
  constraint set_aside_book_state_known check (state in ('Aside', 'Releasing'))
);

-- A message is stored once, whole. Its order is that of the stream, and of its envelope. The foreign key's lock keeps a
-- book from being released while a message is stored for it.
create table :service.set_aside_message (
  stream text not null,
  message_id uuid not null,
  book_id uuid not null,
  stream_sequence bigint not null,
  part smallint not null,
  subject text not null,
  message text not null,
  stored_at timestamptz not null default now(),
  constraint set_aside_message_pkey primary key (stream, message_id),
  constraint set_aside_message_of_book foreign key (book_id, stream) references :service.set_aside_book
);
create index set_aside_message_in_order on :service.set_aside_message (book_id, stream, stream_sequence, part);

-- Who set a book aside, released it, or left out one of its messages, and why.
create table :service.set_aside_event (
  number bigint generated always as identity,
  stream text not null,
  book_id uuid not null,
  kind text not null,
  actor text not null,
  reason text not null,
  at timestamptz not null default clock_timestamp(),
  constraint set_aside_event_pkey primary key (number),
  constraint set_aside_event_kind_known check (kind in ('SetAside', 'Released', 'LeftOut', 'Resumed'))
);

grant select, insert, update, delete on :service.set_aside_book to :service;
grant select, insert, delete on :service.set_aside_message to :service;
grant insert on :service.set_aside_event to :service;
