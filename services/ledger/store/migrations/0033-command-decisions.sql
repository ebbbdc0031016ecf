-- An operator leaves a deferred command of a frozen book out (`npm run books -- quarantine`), or drops a quarantined
-- one for good (`npm run books -- drop`). Locks: none but that of the new table.

-- Who decided what about which command, and why. A dropped command is kept here, whole: its row is gone.
create table ledger.command_decision (
  book_id uuid not null,
  -- Of the deferred command.
  position bigint not null,
  number int not null,
  kind text not null,
  command_id uuid not null,
  message_type text not null,
  actor text not null,
  reason text not null,
  -- Why it was quarantined; null if it was not.
  failure text,
  -- Null while the deferred command is there.
  message text,
  recorded_at timestamptz not null default clock_timestamp(),
  constraint command_decision_pk primary key (book_id, position, number),
  constraint command_decision_book_fk foreign key (book_id) references ledger.book (book_id),
  constraint command_decision_reason_given check (reason <> '' and actor <> ''),
  constraint command_decision_kind_known check (kind in ('LeftOut', 'DropProposed', 'Dropped')),
  constraint command_decision_keeps_message check ((kind = 'Dropped') = (message is not null))
);
-- A command is dropped once.
create unique index command_decision_dropped_once on ledger.command_decision (book_id, position)
  where kind = 'Dropped';
create trigger append_only before update or delete on ledger.command_decision
  for each row execute function ledger.refuse_change();
create trigger never_truncated before truncate on ledger.command_decision
  for each statement execute function ledger.refuse_change();
alter table ledger.command_decision enable always trigger append_only;
alter table ledger.command_decision enable always trigger never_truncated;
grant select, insert on ledger.command_decision to ledger;
