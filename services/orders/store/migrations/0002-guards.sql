-- What the database itself enforces and maintains for payment orders.

-- An order's terms can't change after its submission, whatever the code does. Fires only for statements that name one
-- of these columns.
create function orders.refuse_change_of_terms() returns trigger language plpgsql as $$
begin
  if old.phase <> 'Draft' then
    raise exception 'order % was submitted: its terms can''t change', old.id using errcode = 'OR001';
  end if;
  return new;
end $$;
create trigger payment_order_terms
before update of book_id, id, tenant_id, mode, direction, rail, amount_cents, currency, ledger_account_id,
  ledger_account_name, counterparty_id, counterparty_name, counterparty_account, counterparty_ledger_account_id,
  counterparty_routing_number, external_id, description, statement_descriptor, effective_date, purpose, basis, metadata,
  obligation_id, created_by, created_at
on orders.payment_order
for each row execute function orders.refuse_change_of_terms();

-- 128 bits of a pair, so that long values make no long keys. Two pairs can collide (`a=b` with `c`, and `a` with
-- `b=c`), so lists check the order's own metadata too.
create function orders.metadata_pair(key text, value text) returns uuid
language sql immutable parallel safe as $$
  select encode(substring(sha256(convert_to(key || '=' || value, 'UTF8')) for 16), 'hex')::uuid
$$;

-- Keeps order_metadata in step with the orders. The service itself can't write that table.
create function orders.index_metadata() returns trigger
language plpgsql security definer set search_path = orders, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    delete from order_metadata m
    using jsonb_each_text(old.metadata) p
    where m.book_id = old.book_id
      and m.pair = metadata_pair(p.key, p.value)
      and m.order_id = old.id;
  end if;
  insert into order_metadata (book_id, pair, order_id)
  select new.book_id, metadata_pair(p.key, p.value), new.id
  from jsonb_each_text(new.metadata) p
  on conflict on constraint order_metadata_pkey do nothing;
  return null;
end $$;
create trigger payment_order_metadata_written after insert on orders.payment_order
  for each row when (new.metadata <> '{}') execute function orders.index_metadata();
-- Only a Draft's metadata can change.
create trigger payment_order_metadata_changed after update of metadata on orders.payment_order
  for each row when (old.metadata is distinct from new.metadata) execute function orders.index_metadata();
