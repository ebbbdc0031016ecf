-- How many banking days a settled ACH order of a book waits for returns. It was a variable of the process.
alter table orders.book_status add column completes_after_banking_days smallint not null default 2
  constraint book_status_completion_delay check (completes_after_banking_days between 0 and 5);
