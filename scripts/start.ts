/** `make start`: the whole service on this machine, in the foreground. Ctrl-C stops it and nothing else. */
import { createWriteStream } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Service } from "../contracts/message.ts";
import { natsConfig } from "../services/platform/nats/nats-config.ts";
import { callWithinLimits } from "./local/demo/api.ts";
import { moveFirstPayment, type Receiving } from "./local/demo/first-payment.ts";
import { greet, type Sandbox } from "./local/demo/greeting.ts";
import { waitForGivenNats } from "./local/nats/given-nats.ts";
import { rejectNoAddress } from "./local/nats/nats-address.ts";
import { startNatsServer } from "./local/nats/nats-server.ts";
import { assertOwnVersion } from "./local/older-database.ts";
import { claimClone, releaseClone } from "./local/processes/claim-clone.ts";
import { startPostgres } from "./local/postgres/postgres.ts";
import { createProcessGroup, type ProcessGroup } from "./local/processes/processes.ts";
import { readable } from "./local/processes/readable-log.ts";
import { readOrCreateSecrets, type SystemSecrets } from "./local/secrets.ts";
import { seedPeople } from "./local/demo/demo-people.ts";
import { type SeededTenant, seedTenant } from "./local/demo/seed.ts";
import { settingsOf } from "./local/service-settings.ts";
import { type Instance, prepareSystem, startServices } from "./local/system.ts";

const root = join(import.meta.dirname, "..");
const localDir = join(root, ".local");
const natsHome = join(localDir, "nats");
const sandboxFile = join(localDir, "sandbox.json");
const runFile = join(localDir, "start.pid");

/** Default ports on the loopback address; the environment can set others. */
const parts = {
  gateway: { variable: "API_PORT", port: 4600, owner: "the API" },
  orders: { variable: "ORDERS_PORT", port: 4601, owner: "orders" },
  ledger: { variable: "LEDGER_PORT", port: 4602, owner: "ledger" },
  rails: { variable: "RAILS_PORT", port: 4603, owner: "rails-simulator" },
  webhooks: { variable: "WEBHOOKS_PORT", port: 4604, owner: "webhooks" },
  operations: { variable: "OPERATIONS_PORT", port: 4607, owner: "the API's health and metrics" },
  postgres: { variable: "POSTGRES_PORT", port: 4605, owner: "Postgres" },
  nats: { variable: "NATS_PORT", port: 4606, owner: "NATS" },
} as const;
type Part = keyof typeof parts;

function portOf(part: Part): number {
  const { variable, port } = parts[part];
  const wanted = process.env[variable];
  if (wanted === undefined || wanted === "") return port;
  const number = Number(wanted);
  if (!Number.isInteger(number) || number < 1 || number > 65_535) {
    throw new Error(`${variable}=${wanted} is not a port: give a number from 1 to 65535`);
  }
  return number;
}

/** A Postgres of our own, unless DATABASE_URL names a real one. Its data must be of this version. */
async function startDatabase(group: ProcessGroup): Promise<string> {
  const { DATABASE_URL } = process.env;
  if (DATABASE_URL !== undefined) {
    await assertOwnVersion(DATABASE_URL, "give DATABASE_URL an empty database");
    dataFolders = "DATABASE_URL and .local/";
    return DATABASE_URL;
  }
  const postgresHome = join(localDir, "postgres");
  const { adminUrl, home } = await startPostgres({ home: postgresHome, port: portOf("postgres"), group });
  const folders = [...new Set([home, postgresHome]), natsHome];
  if (home !== postgresHome) dataFolders = `${home} and .local/`;
  await assertOwnVersion(adminUrl, `rm -rf ${folders.join(" ")} && make start`);
  return adminUrl;
}

/** A NATS of our own, unless NATS_URL names a real one. */
async function startNats(group: ProcessGroup, secrets: SystemSecrets): Promise<string> {
  const { NATS_URL } = process.env;
  if (NATS_URL !== undefined) {
    await waitForGivenNats(NATS_URL, secrets.natsPasswords.operator, console.log);
    return NATS_URL;
  }
  const config = natsConfig(secrets.natsPasswords);
  const nats = await startNatsServer({ home: natsHome, localDir, port: portOf("nats"), config, group });
  return nats.url;
}

/** The gateway's own database URL, which has the rights to create tenants, keys and people. */
function gatewayUrlOf(adminUrl: string, secrets: SystemSecrets): string {
  const url = new URL(adminUrl);
  url.username = "gateway";
  url.password = secrets.rolePasswords.gateway;
  return url.href;
}

interface Demo {
  readonly seeded: SeededTenant;
  readonly clockKeys: SeededTenant["keys"];
  /** The sink of the last start, if the webhooks service still has the same port. */
  readonly receiving?: Receiving;
}

/** The tenants of the last start if their keys are still valid, else new ones. */
async function readOrMakeTenants(baseUrl: string, adminUrl: string, secrets: SystemSecrets): Promise<Demo> {
  const saved = await readFile(sandboxFile, "utf8").catch(() => undefined); // the first start has none
  if (saved !== undefined) {
    const { tenant, keys, principals, clockKeys, sinkId, sinkUrl } = JSON.parse(saved) as Sandbox;
    const answer = await callWithinLimits(baseUrl, { method: "GET", path: "/v1/balances", key: keys.maker });
    const sameSink = new URL(sinkUrl).port === String(portOf("webhooks"));
    // Only an unknown key is a reason to leave a tenant and its book.
    if (answer.status !== 401) {
      return {
        seeded: { tenant, keys, principals },
        clockKeys,
        ...(sameSink ? { receiving: { sinkId, sinkUrl } } : {}),
      };
    }
  }
  const gatewayUrl = gatewayUrlOf(adminUrl, secrets);
  const mark = new Date().toISOString().slice(0, 19).replace("T", " ");
  const seeded = await seedTenant(gatewayUrl, `Demo ${mark}`);
  const { keys: clockKeys } = await seedTenant(gatewayUrl, `Demo clock ${mark}`);
  return { seeded, clockKeys };
}

async function start(group: ProcessGroup): Promise<void> {
  const began = performance.now();
  if (process.env["NATS_URL"] !== undefined) rejectNoAddress(process.env["NATS_URL"]);
  const external: Part[] = [
    ...(process.env["DATABASE_URL"] === undefined ? [] : (["postgres"] as const)),
    ...(process.env["NATS_URL"] === undefined ? [] : (["nats"] as const)),
  ];
  const own = (Object.keys(parts) as Part[]).filter((part) => !external.includes(part));
  await claimClone(
    runFile,
    own.map((part) => ({ ...parts[part], port: portOf(part) })),
  );
  console.log("Starting Postgres and NATS");
  const adminUrl = await startDatabase(group);
  const secrets = await readOrCreateSecrets(join(localDir, "secrets.json"));
  const servers = { adminUrl, natsUrl: await startNats(group, secrets) };
  console.log("Creating schemas and streams, then starting the five services");
  await prepareSystem({ ...servers, secrets });
  const ports = Object.fromEntries(
    (["gateway", "orders", "ledger", "rails", "webhooks"] as const).map((service) => [
      service,
      [portOf(service)],
    ]),
  ) as Record<Service, number[]>;
  const baseUrl = `http://127.0.0.1:${String(portOf("gateway"))}`;
  const instances = await startServices({
    ...servers,
    group,
    secrets,
    ports,
    operationsPort: portOf("operations"),
    env: { DOCS_BASE_URL: `${baseUrl}/errors/`, DEMO_SIGN_IN: "true", ...settingsOf(process.env) },
  });
  const { seeded, clockKeys, receiving } = await readOrMakeTenants(baseUrl, servers.adminUrl, secrets);
  const people = await seedPeople(gatewayUrlOf(servers.adminUrl, secrets), seeded.tenant.id);
  const payment = await moveFirstPayment(baseUrl, seeded.keys, receiving);
  const sandbox: Sandbox = {
    baseUrl,
    ...seeded,
    clockKeys,
    people,
    sinkUrl: payment.sinkUrl,
    sinkId: payment.sinkId,
    databaseUrl: servers.adminUrl,
    natsUrl: servers.natsUrl,
    ports: Object.fromEntries(own.map((part) => [part, portOf(part)])),
    pids: Object.fromEntries(group.children().map((child) => [child.name, child.pid])),
  };
  await writeFile(sandboxFile, JSON.stringify(sandbox, null, 2), { mode: 0o600 });
  console.log(greet(sandbox, payment, performance.now() - began));
  endWithAnyOf(group, instances);
}

/** Stops everything when a service ends by itself, because half a system would only confuse. */
function endWithAnyOf(group: ProcessGroup, instances: readonly Instance[]): void {
  for (const { service, child } of instances) {
    void child.exited.then(async ({ code, signal }) => {
      if (stopping) return;
      console.error(
        `${service} ended by itself (${signal ?? String(code)}):\n${child.lastLines().slice(-10).join("\n")}`,
      );
      await end(group, 1);
    });
  }
}

let stopping = false;
/** For the last line: Postgres' files may be elsewhere, where another user can reach them. */
let dataFolders = ".local/";

async function end(group: ProcessGroup, code: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  await group.stopAll();
  await releaseClone(runFile);
  if (code === 0) console.log(`stopped; the data stays in ${dataFolders}`);
  process.exit(code);
}

await mkdir(localDir, { recursive: true });
const log = createWriteStream(join(localDir, "services.log"), { flags: "a" });
const group = createProcessGroup((line) => {
  log.write(`${line}\n`);
  const shown = readable(line);
  if (shown !== undefined && !stopping) console.log(shown);
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void end(group, 0));
try {
  await start(group);
} catch (error) {
  // Ctrl-C during the start stops the services that it waits for, which is not a failure.
  if (!stopping)
    console.error(`\nmake start failed: ${error instanceof Error ? error.message : String(error)}\n`);
  await end(group, 1);
}
