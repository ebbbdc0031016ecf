-- Numbers that others send money to, and what came in for them. What money moved stands in journals alone; these rows
-- say why it went where it went, and Postgres compares them with the journals.

-- The number rests sealed; `number_hash` (HMAC-SHA256 under a key of its own) finds it, and keeps it unique over all
-- books. Only the status moves, and the seal when keys rotate.
create table ledger.virtual_account (
  book_id uuid not null,
  virtual_account_id uuid not null,
  name text not null,
  ledger_account_id uuid not null,
  counterparty_id uuid,
  external_id text,
  metadata jsonb not null default '{}',
  number_hash bytea not null,
  key_id text not null,
  ciphertext text not null,
  status text not null default 'Active',
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  constraint virtual_account_pk primary key (book_id, virtual_account_id),
  constraint virtual_account_ledger_account_fk foreign key (book_id, ledger_account_id) references ledger.account,
  constraint virtual_account_number_unique unique (number_hash),
  constraint virtual_account_hash_is_sha256 check (octet_length(number_hash) = 32),
  constraint virtual_account_name_length check (char_length(name) between 1 and 100),
  constraint virtual_account_status_known check (status in ('Active', 'Disabled', 'Closed'))
);
create unique index virtual_account_external_id_unique on ledger.virtual_account (external_id, book_id)
  where external_id is not null;
create index virtual_account_by_ledger_account on ledger.virtual_account (ledger_account_id, virtual_account_id);

create function ledger.virtual_account_owes_somebody() returns trigger
language plpgsql set search_path = ledger, pg_temp as $$
begin
  if not exists (
    select from account a
    where a.book_id = new.book_id and a.account_id = new.ledger_account_id
      and a.class = 'Tenant' and a.normal_balance = 'Credit'
  ) then
    raise exception 'account % is no Credit-normal account of the tenant', new.ledger_account_id
      using errcode = 'LG001', constraint = 'virtual_account_owes_somebody';
  end if;
  return new;
end $$;
create trigger virtual_account_owes_somebody before insert on ledger.virtual_account
  for each row execute function ledger.virtual_account_owes_somebody();

create function ledger.virtual_account_keeps_itself() returns trigger
language plpgsql set search_path = ledger, pg_temp as $$
begin
  if old.status = 'Closed' and new.status <> 'Closed'
    or (new.book_id, new.virtual_account_id, new.name, new.ledger_account_id, new.counterparty_id, new.external_id,
        new.metadata, new.number_hash, new.created_at)
      is distinct from (old.book_id, old.virtual_account_id, old.name, old.ledger_account_id, old.counterparty_id,
        old.external_id, old.metadata, old.number_hash, old.created_at)
  then
    raise exception 'of virtual account % only the status changes, and never from Closed', old.virtual_account_id
      using errcode = 'LG001', constraint = 'virtual_account_identity';
  end if;
  return new;
end $$;
create trigger virtual_account_identity before update on ledger.virtual_account
  for each row execute function ledger.virtual_account_keeps_itself();

-- One for each reference of the bank, for ever. `ledger_account_id` is where the money is: null in Suspense, and where
-- none moved. Only an assignment changes a row, once.
create table ledger.inbound_payment (
  book_id uuid not null,
  inbound_payment_id uuid not null,
  bank_reference text not null,
  rail text not null,
  direction ledger.side not null,
  amount_cents bigint not null,
  currency text not null,
  originator_name text not null,
  account_number_last4 text not null,
  status text not null,
  reason text,
  virtual_account_id uuid,
  ledger_account_id uuid,
  -- The Inbound journal; its transaction has the payment's own uuid.
  seq bigint,
  assigned_seq bigint,
  assigned_transaction_id uuid,
  assigned_by text,
  assigned_at timestamptz,
  occurred_at timestamptz not null,
  created_at timestamptz not null,
  constraint inbound_payment_pk primary key (book_id, inbound_payment_id),
  constraint inbound_payment_book_fk foreign key (book_id) references ledger.book,
  constraint inbound_payment_virtual_account_fk
    foreign key (book_id, virtual_account_id) references ledger.virtual_account,
  constraint inbound_payment_ledger_account_fk
    foreign key (book_id, ledger_account_id) references ledger.account,
  constraint inbound_payment_amount_range check (amount_cents between 1 and 9007199254740991),
  constraint inbound_payment_last4 check (char_length(account_number_last4) <= 4),
  constraint inbound_payment_fits_its_status check (
    case status
      when 'Attributed' then direction = 'Credit' and virtual_account_id is not null and ledger_account_id is not null
        and seq is not null and reason is null and assigned_seq is null
      when 'Suspended' then direction = 'Credit' and ledger_account_id is null
        and seq is not null and reason is not null and assigned_seq is null
      when 'Assigned' then direction = 'Credit' and ledger_account_id is not null and reason is not null
        and seq is not null
        and num_nulls(assigned_seq, assigned_transaction_id, assigned_by, assigned_at) = 0
      when 'Returned' then direction = 'Debit' and ledger_account_id is null
        and seq is null and reason is not null and assigned_seq is null
      else false
    end
  )
);
create unique index inbound_payment_once on ledger.inbound_payment (bank_reference, book_id);
-- A list reads a stretch for each status that it asks for (inbound-payment-pages.ts). `greatest` hides the book (0016).
create index inbound_payment_by_status on ledger.inbound_payment 
  (status, greatest(book_id, '00000000-0000-0000-0000-000000000000'), inbound_payment_id);
create index inbound_payment_by_virtual_account
  on ledger.inbound_payment (virtual_account_id, status, inbound_payment_id) where virtual_account_id is not null;
create index inbound_payment_by_ledger_account
  on ledger.inbound_payment (ledger_account_id, status, inbound_payment_id) where ledger_account_id is not null;

-- A row says what its journals say, or is refused: the bank's account on the one side (Suspense for an assignment), the
-- named account or Suspense on the other, the same amount, all of it in one journal of the right kind.
create function ledger.inbound_payment_is_booked() returns trigger
language plpgsql set search_path = ledger, pg_temp as $$
declare
  booked boolean;
begin
  if tg_op = 'UPDATE' and (
    old.status <> 'Suspended' or new.status <> 'Assigned'
    or (new.book_id, new.inbound_payment_id, new.bank_reference, new.rail, new.direction, new.amount_cents, new.currency,
        new.originator_name, new.account_number_last4, new.reason, new.virtual_account_id, new.seq, new.occurred_at,
        new.created_at)
      is distinct from (old.book_id, old.inbound_payment_id, old.bank_reference, old.rail, old.direction,
        old.amount_cents, old.currency, old.originator_name, old.account_number_last4, old.reason,
        old.virtual_account_id, old.seq, old.occurred_at, old.created_at)
  ) then
    raise exception 'inbound payment % is assigned out of Suspense, once, and changes in nothing else', old.inbound_payment_id
      using errcode = 'LG001', constraint = 'inbound_payment_identity';
  end if;
  if new.status = 'Returned' then return new; end if;
  -- Kinds as text: this may run in the transaction that made them.
  select count(*) = 1 into booked
  from journal j
  join entry debit on debit.book_id = j.book_id and debit.seq = j.seq and debit.line = 1
  join account source on source.book_id = debit.book_id and source.account_id = debit.account_id
  join entry credit on credit.book_id = j.book_id and credit.seq = j.seq and credit.line = 2
  join account target on target.book_id = credit.book_id and target.account_id = credit.account_id
  where j.book_id = new.book_id
    and j.seq = case when tg_op = 'INSERT' then new.seq else new.assigned_seq end
    and j.kind::text = case when tg_op = 'INSERT' then 'Inbound' else 'Assign' end
    and j.transaction_id = case when tg_op = 'INSERT' then new.inbound_payment_id else new.assigned_transaction_id end
    and j.line_count = 2
    and debit.direction = 'Debit' and debit.amount_cents = new.amount_cents and debit.currency = new.currency
    and case
      when tg_op = 'UPDATE' then source.class = 'Suspense'
      when new.rail = 'Usdc' then source.class = 'StablecoinWallet'
      else source.class = 'SettlementCash'
    end
    and case
      when new.ledger_account_id is null then target.class = 'Suspense'
      else target.account_id = new.ledger_account_id and target.class = 'Tenant'
    end;
  if not booked then
    raise exception 'inbound payment % is not what its journal says', new.inbound_payment_id
      using errcode = 'LG017', constraint = 'inbound_payment_is_booked';
  end if;
  return new;
end $$;
create trigger inbound_payment_is_booked before insert or update on ledger.inbound_payment
  for each row execute function ledger.inbound_payment_is_booked();

do $$
declare
  target text;
begin
  foreach target in array array['virtual_account', 'inbound_payment'] loop
    execute format('create trigger never_deleted before delete on ledger.%I
      for each row execute function ledger.refuse_change()', target);
    execute format('create trigger never_truncated before truncate on ledger.%I
      for each statement execute function ledger.refuse_change()', target);
  end loop;
end $$;

grant select, insert, update (status, updated_at, key_id, ciphertext) on ledger.virtual_account to ledger;
grant select, insert,
  update (status, ledger_account_id, assigned_seq, assigned_transaction_id, assigned_by, assigned_at)
  on ledger.inbound_payment to ledger;
