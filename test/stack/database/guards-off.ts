/**
 * SQL that switches every trigger of a schema off, and on again as it was. Triggers are `enable always`, so the replica
 * role alone spares a statement only the foreign keys.
 */
import type { Service } from "../../../contracts/message.ts";

/** Until the end of the session, or of a transaction that is rolled back. Needs a superuser. */
export const guardsOff = (schema: Service): string => `do $guards$
  declare
    guard record;
  begin
    perform set_config('session_replication_role', 'replica', false);
    create temp table guards_before as
      select t.tgrelid::regclass as guarded, t.tgname as name, t.tgenabled = 'A' as always
      from pg_trigger t
      join pg_class c on c.oid = t.tgrelid
      where c.relnamespace = '${schema}'::regnamespace and not t.tgisinternal;
    for guard in select * from pg_temp.guards_before loop
      execute format('alter table %s disable trigger %I', guard.guarded, guard.name);
    end loop;
  end $guards$`;

/** Does this work with the guards off, and puts them back also if it fails: later cases need them. */
export async function withGuardsOff<T>(
  sql: (text: string) => Promise<unknown>,
  schema: Service,
  work: () => Promise<T>,
): Promise<T> {
  await sql(guardsOff(schema));
  try {
    return await work();
  } finally {
    await sql(guardsOn);
  }
}

const guardsOn = `do $guards$
  declare
    guard record;
  begin
    for guard in select * from pg_temp.guards_before loop
      execute format('alter table %s enable %s trigger %I', guard.guarded,
        case when guard.always then 'always' end, guard.name);
    end loop;
    drop table pg_temp.guards_before;
    perform set_config('session_replication_role', 'origin', false);
  end $guards$`;
