-- The heads of the ledger's books, as the ledger published them. Whoever removes the newest journals of a book in the
-- ledger's schema would have to remove them here too (docs/adr/0028). The same journals with another head are another
-- row, so `npm run prove` finds both.
create table orders.ledger_checkpoint (
  book_id uuid not null,
  journals bigint not null,
  head_hash bytea not null,
  accounts int not null,
  accounts_head bytea not null,
  received_at timestamptz not null default clock_timestamp(),
  constraint ledger_checkpoint_pkey primary key (book_id, journals, head_hash, accounts_head),
  constraint ledger_checkpoint_heads_are_sha256 check (octet_length(head_hash) = 32 and octet_length(accounts_head) = 32)
);
grant select, insert on orders.ledger_checkpoint to orders;

create function orders.refuse_change_of_checkpoint() returns trigger language plpgsql as $$
begin
  raise exception 'append-only: % on orders.ledger_checkpoint is refused', lower(tg_op)
    using errcode = 'restrict_violation', constraint = 'ledger_checkpoint_append_only';
end $$;
create trigger ledger_checkpoint_append_only before update or delete on orders.ledger_checkpoint
  for each row execute function orders.refuse_change_of_checkpoint();
create trigger ledger_checkpoint_never_truncated before truncate on orders.ledger_checkpoint
  for each statement execute function orders.refuse_change_of_checkpoint();
alter table orders.ledger_checkpoint enable always trigger ledger_checkpoint_append_only;
alter table orders.ledger_checkpoint enable always trigger ledger_checkpoint_never_truncated;
