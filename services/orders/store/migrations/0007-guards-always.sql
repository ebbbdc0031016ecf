-- Triggers fire in every session, also in one with session_replication_role = 'replica' (docs/adr/0028).
do $$
declare
  guard record;
begin
  for guard in
    select t.tgrelid::regclass as guarded, t.tgname as name
    from pg_trigger t
    join pg_class c on c.oid = t.tgrelid
    where c.relnamespace = 'orders'::regnamespace and not t.tgisinternal
    order by t.tgrelid, t.tgname
  loop
    execute format('alter table %s enable always trigger %I', guard.guarded, guard.name);
  end loop;
end $$;
