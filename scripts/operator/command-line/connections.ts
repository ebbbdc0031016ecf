/** Connects an operator's tool with the environment's settings, else with those that `make start` saved in .local/. */
import { join } from "node:path";
import { AuthorizationError, type NatsConnection } from "@nats-io/transport-node";
import pg from "pg";
import { connectNatsWithin, withoutCredentials } from "../../../services/platform/nats/connection.ts";
import { isInfrastructureFault } from "../../../services/platform/persistence/infrastructure-fault.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import { rejectNoAddress } from "../../local/nats/nats-address.ts";
import type { Sandbox } from "../../local/demo/greeting.ts";
import { readIfThere } from "../../local/files/read-if-there.ts";
import type { SystemSecrets } from "../../local/secrets.ts";

const localDir = join(import.meta.dirname, "../../../.local");

/** What a command needs to reach a system, by the environment variable that sets it. */
type Access = Partial<Record<(typeof variables)[number], string>>;

const variables = [
  "DATABASE_URL",
  "NATS_URL",
  "NATS_PASSWORD",
  "ENCRYPTION_KEYS",
  "SIGNING_SECRET_KEYS",
] as const;

/**
 * The system that the environment names, else the one that `make start` runs. Never a mixture of both: what is taken
 * out of one system's database must not be sent to the other's NATS.
 */
export async function readAccess(environment = process.env, savedIn = localDir): Promise<Access> {
  const named = variables.flatMap((name): [keyof Access, string][] => {
    const value = environment[name];
    return value === undefined || value === "" ? [] : [[name, value]];
  });
  const own = await readOwnAccess(savedIn);
  return named.every(([name, value]) => own[name] === value) ? own : Object.fromEntries(named);
}

/** Of the system that `make start` last ran from this clone; empty if it never ran. */
async function readOwnAccess(folder: string): Promise<Access> {
  const sandbox = await saved<Sandbox>(folder, "sandbox.json");
  const secrets = await saved<SystemSecrets>(folder, "secrets.json");
  if (sandbox === undefined || secrets === undefined) return {};
  return {
    DATABASE_URL: sandbox.databaseUrl,
    NATS_URL: sandbox.natsUrl,
    NATS_PASSWORD: secrets.natsPasswords.operator,
    ENCRYPTION_KEYS: secrets.accountNumberKeys,
    SIGNING_SECRET_KEYS: secrets.signingSecretKeys,
  };
}

async function saved<T>(folder: string, name: string): Promise<T | undefined> {
  const text = await readIfThere(join(folder, name)); // it never ran if there is none
  return text === undefined ? undefined : (JSON.parse(text) as T);
}

/** One that is set makes the command leave alone what runs here. */
const orRunHere = `or run \`make start\`, and set none of ${variables.join(", ")}`;

/** Somebody waits for the command: it does not wait for a server that is down. */
const giveUpAfterMs = 5_000;

/** As the NATS user `operator`. Set NATS_URL and NATS_PASSWORD, or run beside `make start`. */
export async function operatorNats(withinMs = giveUpAfterMs): Promise<NatsConnection> {
  const { NATS_URL: url, NATS_PASSWORD: password } = await readAccess();
  if (url === undefined || password === undefined) {
    throw new Error(`set NATS_URL and NATS_PASSWORD (of the user operator); ${orRunHere}`);
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
  const { DATABASE_URL: url } = await readAccess();
  if (url === undefined) throw new Error(`set DATABASE_URL (of the database's owner); ${orRunHere}`);
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

/** The keys that encrypt account numbers, and those that encrypt signing secrets. Throws if neither are set. */
export async function operatorEncryptionKeys(): Promise<
  Pick<Access, "ENCRYPTION_KEYS" | "SIGNING_SECRET_KEYS">
> {
  const { ENCRYPTION_KEYS, SIGNING_SECRET_KEYS } = await readAccess();
  if (ENCRYPTION_KEYS === undefined && SIGNING_SECRET_KEYS === undefined)
    throw new Error(
      `set ENCRYPTION_KEYS (of orders) and SIGNING_SECRET_KEYS (ENCRYPTION_KEYS of webhooks); ${orRunHere}`,
    );
  return {
    ...(ENCRYPTION_KEYS !== undefined && { ENCRYPTION_KEYS }),
    ...(SIGNING_SECRET_KEYS !== undefined && { SIGNING_SECRET_KEYS }),
  };
}
