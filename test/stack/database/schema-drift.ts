/** Differences between a migrated database and the entities of a service. */
import { type EntitySchema, MikroORM } from "@mikro-orm/postgresql";
import type { Service } from "../../../contracts/message.ts";

/**
 * The statements that would make the tables match the entities: none while they agree. Indexes and checks are the
 * migrations' alone, and so is every table that no entity maps.
 */
export async function schemaDrift(
  adminUrl: string,
  service: Service,
  entities: readonly EntitySchema[],
): Promise<string[]> {
  const orm = await MikroORM.init({ clientUrl: adminUrl, schema: service, entities: [...entities] });
  try {
    const [checks, sql] = await Promise.all([
      orm.em.execute<{ name: string }[]>(
        "select conname as name from pg_constraint where contype = 'c' and connamespace = ?::regnamespace",
        [service],
      ),
      orm.schema.getUpdateSchemaSQL({ dropTables: false, wrap: false, schema: service }),
    ]);
    const mapped = entities.map(({ meta }) => `"${service}"."${meta.tableName}"`);
    const ofMappedTable = (line: string) => mapped.some((table) => line.includes(` table ${table} `));
    const migrationsOwn = checks.map(({ name }) => `drop constraint "${name}"`).concat("drop index ");
    return sql
      .split("\n")
      .filter((line) => line !== "" && !migrationsOwn.some((statement) => line.includes(statement)))
      .filter((line) => !line.startsWith("alter table ") || ofMappedTable(line));
  } finally {
    await orm.close(true);
  }
}
