/** Recognises a database that another version of the service migrated, before anything is written to it. */
import pg from "pg";
import { services } from "../../contracts/message.ts";
import { migrationNames } from "../../services/platform/persistence/migrate.ts";

const connectTimeoutMs = 10_000;

/** Names the setting if there is no answer. Never shows its password. */
async function connected(adminUrl: string): Promise<pg.Client> {
  const url = URL.canParse(adminUrl) ? new URL(adminUrl) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol))
    throw new Error("DATABASE_URL is no address of Postgres: postgres://user:password@host:5432/database");
  const admin = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: connectTimeoutMs });
  try {
    await admin.connect();
    return admin;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "no answer";
    throw new Error(`can't connect to Postgres at ${url.host} (DATABASE_URL): ${why}`, { cause });
  }
}

/** Migrations that the database has and this version does not, as `ledger 0011-name`. Only reads. */
export async function findUnknownMigrations(adminUrl: string): Promise<string[]> {
  const admin = await connected(adminUrl);
  try {
    const unknown: string[] = [];
    for (const service of services) {
      const table = `${service}.migration`;
      const { rows: tables } = await admin.query("select 1 where to_regclass($1) is not null", [table]);
      if (tables.length === 0) continue; // this service was never migrated here
      const known = new Set(migrationNames(service));
      const { rows } = await admin.query<{ name: string }>(`select name from ${table} order by id`);
      unknown.push(...rows.filter(({ name }) => !known.has(name)).map(({ name }) => `${service} ${name}`));
    }
    return unknown;
  } finally {
    await admin.end();
  }
}

/** Throws if another version migrated the database. `remedy` names the folders to remove or the setting to change. */
export async function assertOwnVersion(adminUrl: string, remedy: string): Promise<void> {
  const unknown = await findUnknownMigrations(adminUrl);
  if (unknown.length === 0) return;
  const others = unknown.length === 1 ? "" : ` and ${String(unknown.length - 1)} more`;
  throw new Error(
    [
      `another version of this service made the database: it has ${unknown[0] ?? ""}${others}, which this version lacks.`,
      "Nothing was changed. This version can't use that data. To begin anew:",
      "",
      `  ${remedy}`,
    ].join("\n"),
  );
}
