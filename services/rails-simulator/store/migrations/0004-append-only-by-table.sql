-- refuse_change reported the constraint bank_movement_append_only for three tables. Now a refused change names the
-- table that it was meant for, and one function serves all four tables.

create or replace function rails.refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception 'the bank''s book is append-only: % refused', lower(tg_op)
    using errcode = 'restrict_violation', table = tg_table_name, constraint = tg_table_name || '_append_only';
end $$;

create or replace trigger inbound_transfer_append_only
before update or delete on rails.inbound_transfer
for each row execute function rails.refuse_change();

create or replace trigger inbound_transfer_never_truncated
before truncate on rails.inbound_transfer
for each statement execute function rails.refuse_change();

drop function rails.refuse_inbound_change();
