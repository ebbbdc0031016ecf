-- An operator has the ledger try a quarantined command again (`npm run books -- retry`). A failure has its code, too;
-- it is null if an instance of the release before quarantined the command.
alter table ledger.deferred_command add column failure_code text;
grant update (failure_code) on ledger.deferred_command to ledger;

-- Who had which command tried again, and why. A failure is the one of this try; null: it was applied.
create table ledger.command_retry (
  book_id uuid not null,
  -- Of the deferred command, which is deleted once it was applied.
  position bigint not null,
  number int not null,
  command_id uuid not null,
  message_type text not null,
  actor text not null,
  reason text not null,
  failure text,
  recorded_at timestamptz not null default clock_timestamp(),
  constraint command_retry_pk primary key (book_id, position, number),
  constraint command_retry_book_fk foreign key (book_id) references ledger.book (book_id),
  constraint command_retry_reason_given check (reason <> '' and actor <> '')
);
create trigger append_only before update or delete on ledger.command_retry
  for each row execute function ledger.refuse_change();
create trigger never_truncated before truncate on ledger.command_retry
  for each statement execute function ledger.refuse_change();
alter table ledger.command_retry enable always trigger append_only;
alter table ledger.command_retry enable always trigger never_truncated;
grant select, insert on ledger.command_retry to ledger;
