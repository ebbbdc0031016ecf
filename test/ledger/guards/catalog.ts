/** All guards that Postgres enforces on the ledger's tables, read from its catalogue. */
import type { Sql } from "../../../services/platform/persistence/sql.ts";

export interface Guard {
  /** `<table>.<name>`; a partition's own guards are named after the partition. */
  readonly key: string;
  readonly kind: "trigger" | "constraint" | "index";
  /** The statement that removes the guard. */
  readonly disable: string;
}

// Without the platform's tables, which hold no money, and without guards that partitions inherit.
const tables = `select c.oid, c.relname from pg_class c
  where c.relnamespace = 'ledger'::regnamespace and c.relkind in ('r', 'p')
    and c.relname !~ '^(outbox|inbox|failed_message|set_aside|idempotency|migration|book_clock|unconfirmed_message)'`;

/** Triggers, check, unique and foreign key constraints, and unique indexes. */
export async function guardsOf(sql: Sql): Promise<Guard[]> {
  const triggers = await sql<{ table: string; name: string }>(
    `select t.relname as table, g.tgname as name
     from (${tables}) t join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal and g.tgparentid = 0`,
  );
  const constraints = await sql<{ table: string; name: string }>(
    `select t.relname as table, k.conname as name
     from (${tables}) t join pg_constraint k on k.conrelid = t.oid and k.contype in ('c', 'u', 'p', 'f', 'x')
       and k.conislocal and k.conparentid = 0`,
  );
  const indexes = await sql<{ table: string; name: string }>(
    `select t.relname as table, i.relname as name
     from (${tables}) t
     join pg_index x on x.indrelid = t.oid and x.indisunique
     join pg_class i on i.oid = x.indexrelid and not i.relispartition
     where not exists (select from pg_constraint k where k.conindid = i.oid)`,
  );
  return [
    ...triggers.map(
      ({ table, name }): Guard => ({
        key: `${table}.${name}`,
        kind: "trigger",
        disable: `alter table ${table} disable trigger ${name}`,
      }),
    ),
    ...constraints.map(
      ({ table, name }): Guard => ({
        key: `${table}.${name}`,
        kind: "constraint",
        disable: `alter table ${table} drop constraint ${name} cascade`,
      }),
    ),
    ...indexes.map(
      ({ table, name }): Guard => ({
        key: `${table}.${name}`,
        kind: "index",
        disable: `drop index ${name} cascade`,
      }),
    ),
  ];
}
