-- The platform's tables of books that are set aside (platform 0001) store whole messages: they are not for tenants. A
-- new ledger has them before 0006 and 0007 run, which treat every table that they do not name as one of the ledger's.
do $$
declare
  target text;
begin
  foreach target in array array['set_aside_book', 'set_aside_message', 'set_aside_event'] loop
    execute format('drop trigger if exists never_truncated on ledger.%I', target);
    execute format('drop policy if exists own_book on ledger.%I', target);
    execute format('alter table ledger.%I disable row level security', target);
    execute format('revoke all on ledger.%I from ledger_reader', target);
  end loop;
end $$;
