-- Triggers fire in every session, also in one with session_replication_role = 'replica', which a superuser can set and
-- a logical replication sets. Only disabling a trigger by its name switches it off (docs/operate.md, ADR 28). Foreign
-- keys can't be enabled like this; the proof finds what their absence lets in.
do $$
declare
  guard record;
begin
  for guard in
    select t.tgrelid::regclass as guarded, t.tgname as name
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'ledger'::regnamespace and not t.tgisinternal
    order by t.tgrelid, t.tgname
  loop
    execute format('alter table %s enable always trigger %I', guard.guarded, guard.name);
  end loop;
end $$;
