-- PATCH /v1/virtual-accounts/:id changes metadata, as it changes the description.
-- Locks: none but that of the table's privileges.

-- As in 0013, without the metadata.
create or replace function ledger.refuse_other_virtual_account() returns trigger
language plpgsql set search_path = ledger, pg_temp as $$
begin
  if old.status = 'Closed' and new.status <> 'Closed'
    or (new.book_id, new.virtual_account_id, new.name, new.ledger_account_id, new.counterparty_id, new.external_id,
        new.number_hash, new.created_at)
      is distinct from (old.book_id, old.virtual_account_id, old.name, old.ledger_account_id, old.counterparty_id,
        old.external_id, old.number_hash, old.created_at)
  then
    raise exception 'of virtual account % only the status, the description and the metadata may change, '
      'and the status never from Closed', old.virtual_account_id
      using errcode = 'LG001', constraint = 'virtual_account_identity';
  end if;
  return new;
end $$;
grant update (metadata) on ledger.virtual_account to ledger;
