import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Migration, Migrator } from "@mikro-orm/migrations";
import { type Constructor, MikroORM } from "@mikro-orm/postgresql";
import type { Service } from "../../../contracts/message.ts";
import { projectRoot } from "../runtime/project-root.ts";

export const serviceFolders: Readonly<Record<Service, string>> = {
  gateway: "api-gateway",
  orders: "orders",
  ledger: "ledger",
  rails: "rails-simulator",
  webhooks: "webhooks",
};

/** A migration is a file of plain SQL; `:service` in it is replaced by the schema and role name. */
function migrationOf(file: string, service: Service): Constructor<Migration> {
  const sql = readFileSync(file, "utf8").replaceAll(":service", service);
  return class extends Migration {
    override async up(): Promise<void> {
      // One simple-protocol query, so that function bodies need no splitting.
      await this.execute(sql);
    }
  };
}

function migrationFiles(service: Service): string[] {
  const folders = [
    join(projectRoot, "services/platform/persistence/migrations"),
    join(projectRoot, "services", serviceFolders[service], "store/migrations"),
  ];
  return folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".sql"))
      .sort()
      .map((name) => join(folder, name)),
  );
}

/** The names that applied migrations have in the table `<service>.migration`. */
export function migrationNames(service: Service): string[] {
  return migrationFiles(service).map(nameOf);
}

const nameOf = (file: string): string => basename(file, ".sql");

/**
 * The connections that a role may have on the server: six instances with the default DATABASE_POOL. Three roles at
 * their limit still leave a fourth some of the 200 that our servers allow (`max_connections`).
 */
const connectionsPerRole = 60;

interface LockLimits {
  /** How long a statement of a migration waits for a lock. */
  readonly tableMs: number;
  /** How long a migrator waits for another one. */
  readonly migratorMs: number;
}
const defaultLimits: LockLimits = { tableMs: 5_000, migratorMs: 120_000 };

/**
 * Brings one service's schema up to date: creates role and schema, then applies the platform's and the service's
 * numbered files that were not applied yet. Run by the database's owner. Safe to repeat, safe beside another one, and
 * safe while the previous release runs: a migration that cannot get its locks fails and changes nothing.
 */
export async function migrate(
  adminUrl: string,
  service: Service,
  rolePassword: string,
  limits: LockLimits = defaultLimits,
): Promise<void> {
  const orm = await MikroORM.init({
    clientUrl: adminUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    // A migration that waits for a table's lock makes everybody behind it wait too, so it gives up soon.
    driverOptions: { options: `-c lock_timeout=${String(limits.tableMs)}` },
    extensions: [Migrator],
    pool: { min: 0, max: 3 },
    migrations: {
      tableName: `${service}.migration`,
      snapshot: false,
      silent: true,
      migrationsList: migrationFiles(service).map((file) => ({
        name: nameOf(file),
        class: migrationOf(file, service),
      })),
    },
  });
  try {
    await orm.em.getConnection().transactional(async (held) => {
      // Held until everything is applied. Others wait; the lock ends with the connection, whatever happens.
      const lock = (sql: string) => orm.em.getConnection().execute(sql, [], "all", held);
      await lock(`set local lock_timeout = ${String(limits.migratorMs)}`);
      await lock("select pg_advisory_xact_lock(hashtext('quittance.migrate'))");
      await apply(orm, service, rolePassword);
    });
  } finally {
    await orm.close(true);
  }
}

async function apply(orm: MikroORM, service: Service, rolePassword: string): Promise<void> {
  const run = (sql: string) => orm.em.getConnection().execute<{ isUnlimited: boolean }[]>(sql);
  const [role] = await run(
    `select rolconnlimit = -1 as "isUnlimited" from pg_roles where rolname = '${service}'`,
  );
  // Roles belong to the server: a migrator of another database may create this one at the same time.
  if (role === undefined) {
    await run(
      `do $$ begin create role ${service} login; exception when duplicate_object or unique_violation then null; end $$`,
    );
  }
  await run(`alter role ${service} with login password '${rolePassword.replaceAll("'", "''")}'`);
  // Another limit is the operator's, and stays.
  if (role === undefined || role.isUnlimited)
    await run(`alter role ${service} connection limit ${String(connectionsPerRole)}`);
  await run(`create schema if not exists ${service}`);
  await orm.migrator.up();
  await run(`alter role ${service} set search_path = ${service}`);
}
