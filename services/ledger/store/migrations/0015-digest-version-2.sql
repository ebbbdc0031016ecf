-- What proofs could not see until now (docs/adr/0028): record times and the details of transactions (digest version 2),
-- the names of accounts (a hash chain of their own), and a removed tail (checkpoints are published to orders).

-- Version 1 is the default: journals of before have it, and those of a ledger of the previous version that still runs.
alter table ledger.journal
  add column digest_version smallint not null default 1,
  add constraint journal_digest_version_known check (digest_version in (1, 2));

-- The accounts of a book in the order in which they were made. Each row's head is the SHA-256 of the head before and of
-- what never changes of its account, so the last head covers all of them.
create table ledger.account_chain (
  book_id uuid not null,
  position int not null,
  account_id uuid not null,
  head_hash bytea not null,
  constraint account_chain_pk primary key (book_id, position),
  constraint account_chain_account_once unique (account_id, book_id),
  constraint account_chain_book_fk foreign key (book_id) references ledger.book,
  constraint account_chain_head_is_sha256 check (octet_length(head_hash) = 32)
);
grant select on ledger.account_chain to ledger;
select ledger.restrict_to_own_book('ledger.account_chain');

-- The head after one more account. The name comes last, because it may contain anything.
create function ledger.account_chain_head(before bytea, number int, of_account ledger.account) returns bytea
language sql immutable as $$
  select sha256(before || sha256(convert_to(concat_ws(chr(10), 'quittance.ledger.account.v1', of_account.book_id,
    number, of_account.account_id, of_account.currency, of_account.normal_balance, of_account.class, of_account.name), 'UTF8')))
$$;

-- Locks the head of the book, so that two accounts that are made at once don't continue the same one.
create function ledger.account_joins_chain() returns trigger
language plpgsql security definer set search_path = ledger, pg_temp as $$
declare
  last account_chain%rowtype;
begin
  perform from book_head h where h.book_id = new.book_id for update;
  select * into last from account_chain c where c.book_id = new.book_id order by c.position desc limit 1;
  insert into account_chain (book_id, position, account_id, head_hash)
  values (new.book_id, coalesce(last.position, 0) + 1, new.account_id, account_chain_head(
    coalesce(last.head_hash, sha256(convert_to('quittance.ledger.accounts.v1' || chr(10) || new.book_id, 'UTF8'))),
    coalesce(last.position, 0) + 1, new));
  return null;
end $$;
revoke all on function ledger.account_joins_chain() from public;

-- The accounts that exist, in the order of their creation. No account may be made between this and the trigger.
lock table ledger.account in share row exclusive mode;
do $$
declare
  one ledger.account%rowtype;
  book uuid;
  number int;
  head bytea;
begin
  for one in select * from ledger.account a order by a.book_id, a.created_at, a.account_id loop
    if one.book_id is distinct from book then
      book := one.book_id;
      number := 0;
      head := sha256(convert_to('quittance.ledger.accounts.v1' || chr(10) || book, 'UTF8'));
    end if;
    number := number + 1;
    head := ledger.account_chain_head(head, number, one);
    insert into ledger.account_chain (book_id, position, account_id, head_hash)
    values (book, number, one.account_id, head);
  end loop;
end $$;

create trigger account_joins_chain after insert on ledger.account
  for each row execute function ledger.account_joins_chain();
create trigger append_only before update or delete on ledger.account_chain
  for each row execute function ledger.refuse_change();
create trigger derived_by_trigger_only before insert on ledger.account_chain
  for each row when (pg_trigger_depth() = 0) execute function ledger.refuse_direct_write();
create trigger never_truncated before truncate on ledger.account_chain
  for each statement execute function ledger.refuse_change();
alter table ledger.account enable always trigger account_joins_chain;
alter table ledger.account_chain enable always trigger append_only;
alter table ledger.account_chain enable always trigger derived_by_trigger_only;
alter table ledger.account_chain enable always trigger never_truncated;

-- The last checkpoint that was published, and when.
alter table ledger.audit
  add column published_seq bigint not null default 0,
  add column published_at timestamptz;
