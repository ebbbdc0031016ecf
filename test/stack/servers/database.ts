/** A database of its own for one test file, cloned in milliseconds from a template that was migrated once. */
import { createHash, randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import type { Service } from "../../../contracts/message.ts";
import { migrate } from "../../../services/platform/persistence/migrate.ts";
import { until } from "../until.ts";
import type { TestServers } from "./provided.ts";

export interface TestDatabase {
  name: string;
  /** Superuser. */
  adminUrl: string;
  /** The service's own role, with its rights only. */
  urlOf(service: Service): string;
  /** Ends its sessions and drops it. A database that is not dropped goes with the server at the end of the run. */
  drop(): Promise<void>;
}

type Server = Pick<TestServers, "postgresAdminUrl" | "rolePassword">;

// Any number that no other lock uses. Creating a template changes roles, which all databases share.
const TEMPLATE_LOCK = 5_810_241;

const connectionsPerRole = 120;

/**
 * A new database with the schemas of these services, on the run's Postgres or on another one.
 * Takes 25 to 50 ms; the first call for a set of services also migrates the template.
 */
export async function createDatabase(
  services: Service | readonly Service[],
  server: Server = inject("servers"),
): Promise<TestDatabase> {
  const wanted = typeof services === "string" ? [services] : [...services].sort();
  const template = await ensureTemplate(server, wanted);
  const name = `${template.replace("template", "test")}_${randomBytes(5).toString("hex")}`;
  await withAdmin(server.postgresAdminUrl, (admin) =>
    // Copying the files takes a third of the CPU that copying page by page through the WAL takes.
    onceUnused(admin, `create database ${name} template ${template} strategy file_copy`),
  );
  return {
    name,
    adminUrl: urlTo(server.postgresAdminUrl, { database: name }),
    urlOf(service) {
      if (!wanted.includes(service)) throw new Error(`${name} has no schema of ${service}`);
      return urlTo(server.postgresAdminUrl, { database: name, user: service, password: server.rolePassword });
    },
    async drop() {
      await withAdmin(server.postgresAdminUrl, async (admin) => {
        // One that is in use goes with the server.
        await admin.query(`drop database if exists ${name} with (force)`).catch(unlessInUse);
      });
    },
  };
}

async function ensureTemplate(server: Server, services: readonly Service[]): Promise<string> {
  const mark = createHash("sha256").update(services.join()).digest("hex").slice(0, 8);
  const template = `template_${services.length === 1 ? services[0] : mark}`;
  await withAdmin(server.postgresAdminUrl, async (admin) => {
    // Test files run in several processes: the first one creates the template, the others wait here.
    await admin.query("select pg_advisory_lock($1)", [TEMPLATE_LOCK]);
    const found = await admin.query("select 1 from pg_database where datname = $1", [template]);
    if (found.rowCount) return;
    // Renamed when it is complete, because a failed migration must not leave half a template.
    const unfinished = `${template}_unfinished`;
    await onceUnused(admin, `drop database if exists ${unfinished} with (force)`);
    await admin.query(`create database ${unfinished}`);
    const adminUrl = urlTo(server.postgresAdminUrl, { database: unfinished });
    for (const service of services) {
      await migrate(adminUrl, service, server.rolePassword);
      // The service's own limit is for one system. Here several files run one each, and some two instances of it.
      await admin.query(`alter role ${service} connection limit ${String(connectionsPerRole)}`);
    }
    await onceUnused(admin, `alter database ${unfinished} rename to ${template}`);
  });
  return template;
}

const inUse = "55006";

function unlessInUse(error: unknown): undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== inUse) throw error;
}

/** Runs a statement that needs a database without sessions. Postgres waits only five seconds for those that end. */
function onceUnused(admin: pg.Client, statement: string): Promise<pg.QueryResult> {
  return until(statement, () => admin.query(statement).catch(unlessInUse));
}

/** Runs statements as superuser, each with or without parameters. */
export function asAdmin(
  adminUrl: string,
  ...statements: (string | [text: string, params: unknown[]])[]
): Promise<void> {
  return withAdmin(adminUrl, async (admin) => {
    for (const statement of statements) {
      await (typeof statement === "string" ? admin.query(statement) : admin.query(...statement));
    }
  });
}

/** A connection of the test's own. */
export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

/** One connection for one purpose; closing it also gives back its advisory lock. */
async function withAdmin<T>(url: string, use: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client(url);
  // A test may kill its server, which must not end this process.
  admin.on("error", () => undefined);
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.end();
  }
}

function urlTo(url: string, change: { database: string; user?: string; password?: string }): string {
  const target = new URL(url);
  target.pathname = `/${change.database}`;
  if (change.user) target.username = change.user;
  if (change.password) target.password = change.password;
  return target.href;
}
