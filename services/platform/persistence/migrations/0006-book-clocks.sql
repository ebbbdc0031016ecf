-- The clocks of Test books that were ever set: what time it is in the book. A book without a row has real time, so it
-- pays nothing for this. rails-simulator sets them, and the other services store the clock with the highest sequence.
create table :service.book_clock (
  book_id uuid not null,
  sequence int not null,
  mode text not null,
  lead_ms bigint not null,
  -- The time in a Manual book.
  stands_at timestamptz,
  constraint book_clock_pkey primary key (book_id),
  constraint book_clock_mode_known check (mode in ('Instant', 'Real', 'Manual')),
  constraint book_clock_never_behind check (lead_ms >= 0),
  constraint book_clock_manual_stands check ((stands_at is not null) = (mode = 'Manual'))
);

-- Time never goes back in a book.
create function :service.refuse_clock_back() returns trigger
language plpgsql as $$
begin
  if new.lead_ms < old.lead_ms or new.sequence <= old.sequence or new.stands_at < old.stands_at then
    raise exception 'the clock of a book can''t go back'
      using errcode = 'restrict_violation', table = tg_table_name, constraint = 'book_clock_forward_only';
  end if;
  return new;
end $$;
create trigger forward_only
before update on :service.book_clock
for each row execute function :service.refuse_clock_back();
alter table :service.book_clock enable always trigger forward_only;

-- Messages that this service has sent for such books, by consumer, until rails-simulator has confirmed that the
-- consumer has handled them. An advance of the clock waits for that.
create table :service.unconfirmed_message (
  book_id uuid not null,
  message_id uuid not null,
  consumer text not null,
  type text not null,
  constraint unconfirmed_message_pkey primary key (book_id, message_id, consumer)
);

grant select, insert, update on :service.book_clock to :service;
grant select, insert, delete on :service.unconfirmed_message to :service;
