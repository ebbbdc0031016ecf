/** The whole service on its own servers, with a tenant, its accounts and its receiver, for the rows to measure. */
import { createWriteStream } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import pg from "pg";
import { newId } from "../contracts/ids/ids.ts";
import type { Service } from "../contracts/message.ts";
import { durableConsumers } from "../contracts/streams.ts";
import { call } from "../scripts/local/demo/api.ts";
import { startNatsServer } from "../scripts/local/nats/nats-server.ts";
import { claimPort, claimPorts } from "../scripts/local/processes/ports.ts";
import { startPostgres } from "../scripts/local/postgres/postgres.ts";
import { createProcessGroup, type ProcessGroup } from "../scripts/local/processes/processes.ts";
import { removeFoldersOfDeadProcesses } from "../scripts/local/processes/scratch.ts";
import { generateSecrets, type SystemSecrets } from "../scripts/local/secrets.ts";
import { type SeededTenant, seedTenant } from "../scripts/local/demo/seed.ts";
import {
  claimPortsOf,
  type Instance,
  prepareStreams,
  prepareSystem,
  startInstance,
  startServices,
  type SystemOptions,
  waitUntilReady,
} from "../scripts/local/system.ts";
import { connectNatsWithin } from "../services/platform/nats/connection.ts";
import { natsConfig } from "../services/platform/nats/nats-config.ts";
import { CpuMeter } from "./measures/cpu.ts";
import type { Options } from "./options.ts";
import { startWorker, type Worker } from "./worker.ts";
import type { FromPayer, ToPayer } from "./workers/payer.ts";
import type { FromPublisher, ToPublisher } from "./workers/publisher.ts";
import type { FromReceiver, ToReceiver } from "./workers/receiver.ts";

export interface Stage {
  readonly adminUrl: string;
  readonly natsUrl: string;
  readonly natsVersion: string;
  readonly secrets: SystemSecrets;
  readonly instances: readonly Instance[];
  readonly meter: CpuMeter;
  readonly tenant: SeededTenant;
  /** Superuser on the services' database. */
  readonly admin: pg.Client;
  readonly receiver: Worker<ToReceiver, FromReceiver>;
  readonly receiverUrl: URL;
  readonly payer: Worker<ToPayer, FromPayer>;
  readonly publisher: Worker<ToPublisher, FromPublisher>;
  /** The services' database as that service sees it: its role, its schema. A secret. */
  databaseUrlOf(service: Service): string;
  /** Starts one more instance, with these settings over those of the others, and returns it when it is ready. */
  startOneMore(service: Service, settings?: Readonly<Record<string, string>>): Promise<Instance>;
  /** Stops the service while `work` runs, and starts it again. It gets no message that was sent in the meantime. */
  without<T>(service: Service, work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

const payingAccounts = 50;
const httpConnections = 64;
const natsWithinMs = 10_000;
const localDir = join(import.meta.dirname, "../.local");

/** Starts everything. If it throws, everything that was started is stopped again. */
export async function openStage(options: Options): Promise<Stage> {
  // The stage's folder, the copy of the row of `make start`, and the file that measures the disk.
  await removeFoldersOfDeadProcesses(localDir, /^bench-(?:start-|fsync-)?(\d+)$/);
  const home = join(localDir, `bench-${String(process.pid)}`);
  await mkdir(home, { recursive: true });
  if (options.profileDir !== undefined) await mkdir(options.profileDir, { recursive: true });
  const log =
    options.profileDir === undefined
      ? undefined
      : createWriteStream(join(options.profileDir, "services.log"));
  const group = createProcessGroup((line) => log?.write(`${line}\n`));
  const state = { isClosing: false };
  const starting: ProcessGroup = {
    ...group,
    // A group that a signal interrupted may still want to start a service, which would outlive the bench.
    start: async (spec) => {
      if (state.isClosing) throw new Error("the bench is stopping");
      return group.start(spec);
    },
  };
  const closers: (() => Promise<unknown>)[] = [
    () => rm(home, { recursive: true, force: true }),
    () => group.stopAll(),
  ];
  const close = async () => {
    state.isClosing = true;
    for (const closer of closers.splice(0).reverse()) await closer();
  };
  try {
    return { ...(await furnish(home, starting, options, closers)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Closers = (() => Promise<unknown>)[];

async function furnish(
  home: string,
  group: ProcessGroup,
  options: Options,
  closers: Closers,
): Promise<Omit<Stage, "close">> {
  const secrets = generateSecrets();
  const servers = await startServers(home, group, secrets, options, closers);
  const { adminUrl, natsUrl } = servers;
  await prepareSystem({ adminUrl, natsUrl, secrets });
  const ports = await claimPortsOf();
  const system = { group, adminUrl, natsUrl, secrets, ports, env: environment(options) };
  const instances = await startServices(system);
  const databaseUrlOf = (service: Service) => {
    const url = new URL(adminUrl);
    url.username = service;
    url.password = secrets.rolePasswords[service];
    return url.href;
  };
  const tenant = await seedTenant(databaseUrlOf("gateway"), "Bench");
  const workers = startWorkers(closers);
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  closers.push(() => admin.end());
  if (options.profileDir !== undefined) await admin.query("create extension pg_stat_statements");
  const processes = new Map([
    ...instances.map(({ service, child }): [string, number] => [service, child.pid]),
    ["nats", servers.natsPid],
    ...Object.entries(workers).map(([name, { pid }]): [string, number] => [`load: ${name}`, pid]),
  ]);
  const port = await workers.receiver.answer("listening", (message) =>
    message.kind === "listening" ? message.port : undefined,
  );
  const password = secrets.natsPasswords.operator;
  workers.publisher.send({ kind: "connect", natsUrl, password });
  await workers.publisher.answer("connecting", (message) =>
    message.kind === "connected" ? true : undefined,
  );
  return {
    ...workers,
    adminUrl,
    natsUrl,
    natsVersion: servers.natsVersion,
    secrets,
    instances,
    tenant,
    admin,
    databaseUrlOf,
    startOneMore: async (service, settings = {}) => {
      const env = { ...system.env, ...settings };
      const instance = await startInstance({ ...system, env }, service, await claimPort());
      await waitUntilReady(instance);
      return instance;
    },
    without: (service, work) => runWithout(service, work, { system, instances, processes }),
    receiverUrl: new URL(`http://127.0.0.1:${String(port)}/webhooks`),
    meter: new CpuMeter(processes, servers.postmaster),
  };
}

/** What `without` changes: the instances and the processes that are measured. */
interface Running {
  readonly system: SystemOptions;
  readonly instances: Instance[];
  readonly processes: Map<string, number>;
}

async function runWithout<T>(
  service: Service,
  work: () => Promise<T>,
  { system, instances, processes }: Running,
): Promise<T> {
  const index = instances.findIndex((instance) => instance.service === service);
  const stopped = instances[index];
  if (stopped === undefined) throw new Error(`${service} does not run`);
  await stopped.child.stop();
  const outcome = await deleteConsumers(system, service)
    .then(work)
    .then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
  try {
    await prepareStreams(system);
    const started = await startInstance(system, service, stopped.port);
    await waitUntilReady(started);
    instances[index] = started;
    processes.set(service, started.child.pid);
  } catch (cause) {
    const first = "error" in outcome ? `${String(outcome.error)}; ` : "";
    throw new Error(`${first}${service} did not start again, so later groups can't be measured`, { cause });
  }
  if ("error" in outcome) throw outcome.error;
  return outcome.value;
}

/** JetStream keeps no message for a service without consumers, so the streams don't fill while it is stopped. */
async function deleteConsumers({ natsUrl, secrets }: SystemOptions, service: Service): Promise<void> {
  const nats = await connectNatsWithin(natsWithinMs, {
    NATS_URL: natsUrl,
    NATS_USER: "operator",
    NATS_PASSWORD: secrets.natsPasswords.operator,
  });
  try {
    const { consumers } = await jetstreamManager(nats);
    for (const { stream, durable } of durableConsumers(service)) await consumers.delete(stream, durable);
  } finally {
    await nats.close();
  }
}

function environment({ profileDir }: Options): Record<string, string> {
  return profileDir === undefined ? {} : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` };
}

async function startServers(
  home: string,
  group: ProcessGroup,
  secrets: SystemSecrets,
  options: Options,
  closers: Closers,
) {
  const [postgresPort = 0, natsPort = 0] = await claimPorts(2);
  const settings: Record<string, string> =
    options.profileDir === undefined ? {} : { shared_preload_libraries: "pg_stat_statements" };
  // All other settings are those of `make start`, with fsync and full_page_writes on.
  const postgres = await startPostgres({ home: join(home, "postgres"), port: postgresPort, group, settings });
  // If root runs this, Postgres has its files elsewhere, because the user nobody can't reach the clone.
  closers.unshift(() => rm(postgres.home, { recursive: true, force: true }));
  const config = natsConfig(secrets.natsPasswords);
  const nats = await startNatsServer({ home: join(home, "nats"), localDir, port: natsPort, config, group });
  const { adminUrl, pid: postmaster } = postgres;
  return { adminUrl, postmaster, natsUrl: nats.url, natsPid: nats.pid, natsVersion: nats.version };
}

function startWorkers(closers: Closers) {
  const receiver = startWorker<ToReceiver, FromReceiver>(
    "receiver",
    new URL("./workers/receiver.ts", import.meta.url),
  );
  const payer = startWorker<ToPayer, FromPayer>("payer", new URL("./workers/payer.ts", import.meta.url));
  const publisher = startWorker<ToPublisher, FromPublisher>(
    "publisher",
    new URL("./workers/publisher.ts", import.meta.url),
  );
  closers.push(...[receiver, payer, publisher].map((worker) => () => worker.stop()));
  return { receiver, payer, publisher };
}

/** What the payer needs to send orders of one tenant. */
export type Payments = Omit<Extract<ToPayer, { readonly kind: "connect" }>, "kind">;

/** Creates the tenant's endpoint and accounts. */
export async function preparePayments(
  { instances, receiverUrl }: Stage,
  { keys }: SeededTenant,
  eventTypes: readonly string[],
): Promise<Payments> {
  const baseUrl = instances.find(({ service }) => service === "gateway")?.url ?? "";
  const key = keys.maker;
  const make = async (path: string, body: object): Promise<string> => {
    const made = await call<{ id: string }>(baseUrl, { method: "POST", path, key, body });
    if (made.status !== 201) throw new Error(`${path}: ${JSON.stringify(made.body)}`);
    return made.body.id;
  };
  await make("/v1/webhook-endpoints", { url: receiverUrl.href, eventTypes });
  const accountIds: string[] = [];
  for (let number = 1; number <= payingAccounts; number++) {
    accountIds.push(await make("/v1/ledger-accounts", { name: `Payer ${String(number)} ${newId("req")}` }));
  }
  return { baseUrl, key, accountIds, connections: httpConnections };
}

/** Has the payer send orders of the stage's own tenant. */
export async function introducePayer(stage: Stage, eventTypes: readonly string[]): Promise<Payments> {
  const payments = await preparePayments(stage, stage.tenant, eventTypes);
  stage.payer.send({ kind: "connect", ...payments });
  return payments;
}
