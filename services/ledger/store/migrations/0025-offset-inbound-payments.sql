-- Money that a receiver sent back after its order's hold was released makes up for what Suspense paid: nobody may have
-- it. It is Offset from its record on. As Suspended it was listed among the payments that a tenant has to assign. An
-- instance of the release before still records it as Suspended.
-- Locks: inbound_payment, while its rows are checked; no payment is booked until then.
alter table ledger.inbound_payment drop constraint inbound_payment_fits_its_status;
alter table ledger.inbound_payment add constraint inbound_payment_fits_its_status check (
  case status
    when 'Attributed' then direction = 'Credit' and num_nonnulls(virtual_account_id, returns_order_id) = 1
      and ledger_account_id is not null and seq is not null and reason is null and assigned_seq is null
    when 'Suspended' then (direction = 'Credit' or return_code is not null) and ledger_account_id is null
      and seq is not null and reason is not null and assigned_seq is null
    when 'Assigned' then (direction = 'Credit' or return_code is not null) and ledger_account_id is not null
      and reason is not null and seq is not null
      and num_nulls(assigned_seq, assigned_transaction_id, assigned_by, assigned_at) = 0
    when 'Offset' then reason = 'ReturnOfPayment' and returns_order_id is not null and ledger_account_id is null
      and seq is not null and assigned_seq is null
    when 'Returned' then direction = 'Debit' and ledger_account_id is null and seq is null and reason is not null
      and assigned_seq is null
    else false
  end
);

alter table ledger.inbound_payment disable trigger inbound_payment_is_booked;
update ledger.inbound_payment p
set status = 'Offset'
where p.status = 'Suspended'
  and p.reason = 'ReturnOfPayment'
  and exists (
    select
    from ledger.journal j
    where j.transaction_id = p.returns_order_id and j.book_id = p.book_id and j.kind = 'Release'
  );
alter table ledger.inbound_payment enable always trigger inbound_payment_is_booked;
