/** Connects an operator's tool with the environment's settings, else with those that `make start` saved in .local/. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { AuthorizationError, type NatsConnection } from "@nats-io/transport-node";
import pg from "pg";
import { connectNatsWithin, withoutCredentials } from "../../services/platform/nats/connection.ts";
import { isInfrastructureFault } from "../../services/platform/persistence/infrastructure-fault.ts";
import type { Sql } from "../../services/platform/persistence/sql.ts";
import { rejectNoAddress } from "../local/nats/nats-address.ts";
import type { SystemSecrets } from "../local/secrets.ts";

const localDir = join(import.meta.dirname, "../../.local");

async function local<T>(name: string): Promise<T | undefined> {
  const text = await readFile(join(localDir, name), "utf8").catch(() => undefined); // no local service: the caller decides
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** Somebody waits for the command: it does not wait for a server that is down. */
const giveUpAfterMs = 5_000;

/** As the NATS user `operator`. Set NATS_URL and NATS_PASSWORD, or run beside `make start`. */
export async function operatorNats(withinMs = giveUpAfterMs): Promise<NatsConnection> {
  const { NATS_URL, NATS_PASSWORD } = process.env;
  const sandbox = await local<{ ports: { nats?: number } }>("sandbox.json");
  const secrets = await local<SystemSecrets>("secrets.json");
  const url =
    NATS_URL ??
    (sandbox?.ports.nats === undefined ? undefined : `nats://127.0.0.1:${String(sandbox.ports.nats)}`);
  const password = NATS_PASSWORD ?? secrets?.natsPasswords.operator;
  if (url === undefined || password === undefined) {
    throw new Error("set NATS_URL and NATS_PASSWORD (of the user operator), or run `make start` first");
  }
  rejectNoAddress(url);
  try {
    const settings = { NATS_URL: url, NATS_USER: "operator", NATS_PASSWORD: password };
    return await connectNatsWithin(withinMs, settings);
  } catch (error) {
    if (error instanceof AuthorizationError)
      throw new Error(`${withoutCredentials(url)} refuses the user operator: set NATS_PASSWORD`, {
        cause: error,
      });
    throw new Error(`no NATS at ${withoutCredentials(url)}: run \`make start\`, or set NATS_URL`, {
      cause: error,
    });
  }
}

export type OperatorDatabase = pg.Client;

/** What pg throws when the connection takes too long has no code. */
const isUnreachable = (error: unknown) =>
  !(error instanceof pg.DatabaseError) &&
  (isInfrastructureFault(error) || (error instanceof Error && error.message === "timeout expired"));

/** As the owner of the database. Set DATABASE_URL, or run beside `make start`. */
export async function operatorDatabase(withinMs = giveUpAfterMs): Promise<OperatorDatabase> {
  const sandbox = await local<{ databaseUrl?: string }>("sandbox.json");
  const url = process.env["DATABASE_URL"] ?? sandbox?.databaseUrl;
  if (url === undefined)
    throw new Error("set DATABASE_URL (of the database's owner), or run `make start` first");
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: withinMs });
  try {
    await client.connect();
  } catch (error) {
    if (!isUnreachable(error)) throw error; // it is there, and says what is wrong
    const server = `${client.host}:${String(client.port)}`;
    throw new Error(`no Postgres at ${server}: run \`make start\`, or set DATABASE_URL`, { cause: error });
  }
  return client;
}

/** Runs statements over an operator's connection. */
export function sqlOf(database: OperatorDatabase): Sql {
  return async <R extends object>(text: string, params: readonly unknown[] = []) =>
    (await database.query(text, [...params])).rows as R[];
}

/** Runs statements as the owner of the database, and ends the connection. */
export async function inDatabase(act: (sql: Sql) => Promise<void>): Promise<void> {
  const database = await operatorDatabase();
  try {
    await act(sqlOf(database));
  } finally {
    await database.end();
  }
}

/** The keys that encrypt account numbers. Set ENCRYPTION_KEYS as the services have it, or run beside `make start`. */
export async function operatorEncryptionKeys(): Promise<string> {
  const secrets = await local<SystemSecrets>("secrets.json");
  const keys = process.env["ENCRYPTION_KEYS"] ?? secrets?.accountNumberKeys;
  if (keys === undefined) throw new Error("set ENCRYPTION_KEYS (of orders), or run `make start` first");
  return keys;
}
