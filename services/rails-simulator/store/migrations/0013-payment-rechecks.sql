-- Books of which some payments are gone through a thousand at a time, after an outage has ended or the clock was set:
-- all in one transaction took longer than a request may, once tens of thousands of payments waited in a book.
create table rails.payment_recheck (
  -- What has changed (rechecks/recheck-payments.worker.ts).
  kind text not null,
  book_id uuid not null,
  -- The payments after this one, in the order of the hand-offs, are still to come.
  after_cause_id uuid not null,
  after_order_id uuid not null,
  constraint payment_recheck_pkey primary key (kind, book_id)
);
grant select, insert, delete on rails.payment_recheck to rails;

-- What outages hold goes to a rail in the order of the hand-offs: the ids of its messages grow.
create index undelivered_instruction_held_in_order
  on rails.undelivered_instruction (book_id, (submission #>> '{data,rail}'), ((submission ->> 'id')::uuid))
  where kind = 'Held';
drop index rails.undelivered_instruction_held;

-- What waits in real time was found by one index for all books.
create index instruction_due_in_real_time on rails.instruction (book_id, rail, next_due_at)
  where next_due_at is not null and not on_book_clock;
