-- The bank's book and its statements are append-only, also for the owner of the schema.

create function rails.refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception 'the bank''s book is append-only: % refused', lower(tg_op)
    using errcode = 'restrict_violation', constraint = 'bank_movement_append_only';
end $$;

create trigger bank_movement_append_only
before update or delete on rails.bank_movement
for each row execute function rails.refuse_change();

create trigger bank_movement_never_truncated
before truncate on rails.bank_movement
for each statement execute function rails.refuse_change();

create trigger append_only
before update or delete on rails.bank_statement
for each row execute function rails.refuse_change();

create trigger never_truncated
before truncate on rails.bank_statement
for each statement execute function rails.refuse_change();

create trigger append_only
before update or delete on rails.bank_statement_line
for each row execute function rails.refuse_change();

create trigger never_truncated
before truncate on rails.bank_statement_line
for each statement execute function rails.refuse_change();

create function rails.refuse_inbound_change() returns trigger
language plpgsql as $$
begin
  raise exception 'the bank''s book is append-only: % refused', lower(tg_op)
    using errcode = 'restrict_violation', constraint = 'inbound_transfer_append_only';
end $$;

create trigger inbound_transfer_append_only
before update or delete on rails.inbound_transfer
for each row execute function rails.refuse_inbound_change();

create trigger inbound_transfer_never_truncated
before truncate on rails.inbound_transfer
for each statement execute function rails.refuse_inbound_change();
