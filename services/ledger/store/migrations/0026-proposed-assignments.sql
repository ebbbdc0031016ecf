-- An assignment that the approval policy lets nobody make alone is proposed first. The proposal stays with the payment
-- once another principal has made it. Until all instances are updated, one of the release before asks for no second
-- person; what is proposed, it can assign as proposed only.
-- Locks: inbound_payment, while its rows are checked; no payment is booked until then.
alter table ledger.inbound_payment
  add column proposed_account_id uuid,
  add column proposed_by text,
  add column proposed_at timestamptz,
  add constraint inbound_payment_proposed_account_fk foreign key (book_id, proposed_account_id)
    references ledger.account (book_id, account_id),
  add constraint inbound_payment_proposal check (
    case
      when num_nonnulls(proposed_account_id, proposed_by, proposed_at) = 0 then true
      when num_nulls(proposed_account_id, proposed_by, proposed_at) > 0 then false
      when status = 'Assigned' then ledger_account_id = proposed_account_id and assigned_by <> proposed_by
      else status = 'Suspended'
    end
  );
grant update (proposed_account_id, proposed_by, proposed_at) on ledger.inbound_payment to ledger;

-- As in 0018, and: a Suspended payment gets a proposal, or another one.
create or replace function ledger.inbound_payment_is_booked() returns trigger
language plpgsql
set search_path = ledger, pg_temp
as $$
declare
  booked boolean;
begin
  if tg_op = 'UPDATE' and (
    old.status <> 'Suspended' or new.status not in ('Suspended', 'Assigned')
    or (new.status = 'Suspended' and num_nonnulls(new.assigned_transaction_id, new.assigned_by, new.assigned_at) > 0)
    or (new.book_id, new.inbound_payment_id, new.bank_reference, new.rail, new.direction, new.amount_cents, new.currency,
        new.originator_name, new.account_number_last4, new.reason, new.virtual_account_id, new.seq, new.occurred_at,
        new.created_at, new.returns_order_id, new.return_code, new.original_trace)
      is distinct from (old.book_id, old.inbound_payment_id, old.bank_reference, old.rail, old.direction,
        old.amount_cents, old.currency, old.originator_name, old.account_number_last4, old.reason,
        old.virtual_account_id, old.seq, old.occurred_at, old.created_at, old.returns_order_id, old.return_code,
        old.original_trace)
  ) then
    raise exception 'inbound payment % is assigned out of Suspense, once; nothing else of it changes', old.inbound_payment_id
      using errcode = 'LG001', constraint = 'inbound_payment_identity';
  end if;
  -- A proposal moves nothing.
  if new.status = 'Returned' or (tg_op = 'UPDATE' and new.status = 'Suspended') then return new; end if;
  select count(*) = 1 into booked
  from journal j
  join entry debit on debit.book_id = j.book_id and debit.seq = j.seq and debit.line = 1
  join entry credit on credit.book_id = j.book_id and credit.seq = j.seq and credit.line = 2
  join account source on source.book_id = j.book_id
    and source.account_id = case new.direction when 'Credit' then debit.account_id else credit.account_id end
  join account target on target.book_id = j.book_id
    and target.account_id = case new.direction when 'Credit' then credit.account_id else debit.account_id end
  where j.book_id = new.book_id
    and j.seq = case when tg_op = 'INSERT' then new.seq else new.assigned_seq end
    and j.kind::text = case
      when tg_op = 'UPDATE' then 'Assign'
      when new.return_code is null then 'Inbound'
      else 'UnmatchedReturn'
    end
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
    raise exception 'inbound payment % does not agree with its journal', new.inbound_payment_id
      using errcode = 'LG017', constraint = 'inbound_payment_is_booked';
  end if;
  return new;
end $$;
