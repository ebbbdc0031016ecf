/** Recognises a database that another version of the service migrated, before anything is written to it. */
import pg from "pg";
import { type Service, services } from "../../contracts/message.ts";
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

interface MigrationDifference {
  /** Those that the database has and this version does not, as `ledger 0011-name`. */
  readonly unknown: readonly string[];
  /** Those that this version has and the database does not. */
  readonly missing: readonly string[];
}

/** How the migrations of the database differ from those of this version. Only reads. */
export async function compareMigrations(adminUrl: string): Promise<MigrationDifference> {
  const admin = await connected(adminUrl);
  try {
    const [unknown, missing]: [string[], string[]] = [[], []];
    for (const service of services) {
      const applied = await appliedMigrations(admin, service);
      const known = migrationNames(service);
      unknown.push(...without(applied, known).map((name) => `${service} ${name}`));
      missing.push(...without(known, applied).map((name) => `${service} ${name}`));
    }
    return { unknown, missing };
  } finally {
    await admin.end();
  }
}

async function appliedMigrations(admin: pg.Client, service: Service): Promise<string[]> {
  const table = `${service}.migration`;
  const { rows: tables } = await admin.query("select 1 where to_regclass($1) is not null", [table]);
  if (tables.length === 0) return []; // this service was never migrated here
  const { rows } = await admin.query<{ name: string }>(`select name from ${table} order by id`);
  return rows.map(({ name }) => name);
}

const without = (names: readonly string[], others: readonly string[]): string[] =>
  names.filter((name) => !others.includes(name));

/** Throws if another version migrated the database. `remedy` names the folders to remove or the setting to change. */
export async function assertOwnVersion(adminUrl: string, remedy: string): Promise<void> {
  const { unknown } = await compareMigrations(adminUrl);
  if (unknown.length === 0) return;
  throw new Error(
    [
      `another version of this service made the database: it has ${inShort(unknown)}, which this version lacks.`,
      "Nothing was changed. This version can't use that data. To begin anew:",
      "",
      `  ${remedy}`,
    ].join("\n"),
  );
}

const page = "docs/operate/upgrading-and-backups.md";

/**
 * What an operator has to know if a newer version migrated the database; undefined if none did. A migration works
 * beside the previous release (CONTRIBUTING.md), so that release goes on with such a database; migrations do not tell
 * of which release they are. Throws if the database also lacks migrations of this version: then it is of no newer one.
 * Never advises to remove data, which may be the only copy.
 */
export async function warningOfNewerVersion(adminUrl: string): Promise<string | undefined> {
  const { unknown, missing } = await compareMigrations(adminUrl);
  if (unknown.length === 0) return undefined;
  if (missing.length > 0)
    throw new Error(
      [
        `another version of this service made the database: it has ${inShort(unknown)}, which this version lacks,`,
        `and lacks ${inShort(missing)}, which this version has. Nothing was changed.`,
        `Start the version that made it, or a newer one (${page}, "Go back").`,
      ].join("\n"),
    );
  return [
    `A newer version has migrated the database: it has ${inShort(unknown)}, which this version lacks.`,
    "No migration is applied or undone. Only the release just before the newer one works with this database,",
    "unless CHANGELOG.md names an exception. Nothing here tells how many releases lie between: compare them in",
    `CHANGELOG.md before you start services of this version (${page}, "Go back").`,
  ].join("\n");
}

/** The first of them, and how many more there are. */
function inShort([first = "", ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${String(others.length)} more`;
}
