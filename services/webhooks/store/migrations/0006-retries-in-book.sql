-- A retry of a book with a clock of its own waits for a time on that clock.
--
--   due_in_book      that time, while the retry waits for it. claimable_at is then the real time at which the book will
--                    have come that far: infinity if its clock is Manual, until an advance reaches the retry.
--   next_attempt_at  is a time on that clock, too.
--
-- Runs beside instances of the previous version. They leave due_in_book as it is when they claim a retry, so only that
-- of a delivery that is Retrying counts.
alter table webhooks.delivery add column due_in_book timestamptz;

-- Empty while no book has a clock. Reads all deliveries once.
create index delivery_due_in_book on webhooks.delivery (book_id, due_in_book) where due_in_book is not null;
