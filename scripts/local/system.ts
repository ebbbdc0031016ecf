/** The five services as separate processes, on a given Postgres and NATS. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Service, services } from "../../contracts/message.ts";
import { connectNats } from "../../services/platform/nats/connection.ts";
import { provisionStreams } from "../../services/platform/nats/provision.ts";
import { migrate, serviceFolders } from "../../services/platform/persistence/migrate.ts";
import { type OperatorSecrets, secretEnvironment, type SystemSecrets } from "./secrets.ts";
import { claimPort, claimPorts } from "./processes/ports.ts";
import type { Child, ProcessGroup } from "./processes/processes.ts";

export interface SystemOptions {
  readonly group: ProcessGroup;
  /** Superuser of the database that gets the five schemas. */
  readonly adminUrl: string;
  readonly natsUrl: string;
  readonly secrets: SystemSecrets;
  /** The ports of each service; it gets one instance per port. */
  readonly ports: Readonly<Record<Service, readonly number[]>>;
  /** The port of the gateway's health and metrics; a free one if omitted. */
  readonly operationsPort?: number;
  /** Settings over the defaults, for every service. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Instance {
  readonly service: Service;
  readonly port: number;
  readonly url: string;
  /** The URL of health and metrics. */
  readonly operationsUrl: string;
  readonly child: Child;
}

/** Long, because five services that start at once need most of a minute on a small machine that is busy. */
const readyWithinMs = 120_000;

/**
 * Node's options for a service, as in deploy/Dockerfile. One thread of V8's own is enough, because the processes of a
 * machine share its cores. V8's young generation would grow to 128 MB in each process; with 16 MB semi-spaces the five
 * services need a quarter less memory, for 4 % of CPU an order (ADR 42). `--expose-gc` lets a service at rest
 * give back what V8 keeps.
 */
export const nodeOptions = [
  // With `--enable-source-maps`, Node would parse the whole map at the start, because pino looks up its callers.
  "--import=data:text/javascript,process.setSourceMapsEnabled(true)",
  "--v8-pool-size=1",
  "--max-semi-space-size=16",
  "--expose-gc",
];
const root = join(import.meta.dirname, "../..");

/** Migrates every schema, and creates every stream and consumer. Must end before any publisher starts. */
export async function prepareSystem(
  options: Pick<SystemOptions, "adminUrl" | "natsUrl"> & { readonly secrets: OperatorSecrets },
): Promise<void> {
  for (const service of services)
    await migrate(options.adminUrl, service, options.secrets.rolePasswords[service]);
  await prepareStreams(options);
}

/** Creates every stream and consumer. */
export async function prepareStreams(
  options: Pick<SystemOptions, "natsUrl"> & { readonly secrets: Pick<OperatorSecrets, "natsPasswords"> },
): Promise<void> {
  const nats = await connectNats({
    NATS_URL: options.natsUrl,
    NATS_USER: "operator",
    NATS_PASSWORD: options.secrets.natsPasswords.operator,
  });
  try {
    await provisionStreams(nats);
  } finally {
    await nats.close();
  }
}

/** Ports for so many instances of each service. */
export async function claimPortsOf(instances = 1): Promise<Record<Service, number[]>> {
  const free = await claimPorts(services.length * instances);
  return Object.fromEntries(
    services.map((service, index) => [service, free.slice(index * instances, (index + 1) * instances)]),
  ) as Record<Service, number[]>;
}

/** Starts every instance and resolves when all are ready. Throws with a service's last lines when one is not. */
export async function startServices(options: SystemOptions): Promise<Instance[]> {
  const instances = await Promise.all(
    services.flatMap((service) =>
      options.ports[service].map((port) => startInstance(options, service, port)),
    ),
  );
  await Promise.all(instances.map(waitUntilReady));
  return instances;
}

/** Starts one instance; `waitUntilReady` resolves when it is ready. */
export async function startInstance(
  options: SystemOptions,
  service: Service,
  port: number,
): Promise<Instance> {
  const operationsPort = service === "gateway" ? (options.operationsPort ?? (await claimPort())) : undefined;
  const child = await options.group.start({
    name: service,
    command: process.execPath,
    args: [...nodeOptions, join(root, "dist/services", serviceFolders[service], "main.js")],
    cwd: root,
    env: {
      ...environmentOf(options, service, port),
      ...(operationsPort === undefined ? {} : { OPERATIONS_PORT: String(operationsPort) }),
    },
  });
  const at = (own: number) => `http://127.0.0.1:${String(own)}`;
  return { service, port, url: at(port), operationsUrl: at(operationsPort ?? port), child };
}

/** The environment of an instance. The machine's own is not passed on: a service needs none of it. */
function environmentOf(
  options: SystemOptions,
  service: Service,
  port: number,
): Record<string, string | undefined> {
  const { secrets } = options;
  const database = new URL(options.adminUrl);
  database.username = service;
  database.password = secrets.rolePasswords[service];
  return {
    PATH: process.env["PATH"],
    TZ: "UTC",
    DATABASE_URL: database.href,
    NATS_URL: options.natsUrl,
    NATS_USER: service,
    NATS_PASSWORD: secrets.natsPasswords[service],
    PORT: String(port),
    ...secretEnvironment(service, secrets),
    // Receivers of a sandbox live on the same machine.
    ALLOWED_TARGET_CIDRS: "127.0.0.0/8,::1/128",
    // Benches and tests send requests as fast as they can, all from one address.
    RATE_LIMIT_PER_SECOND: "0",
    FAILED_KEYS_PER_MINUTE: "0",
    // All instances here are of one version.
    STORE_PARTIAL_ANSWERS: "true",
    SINK_BASE_URL: `http://127.0.0.1:${String(options.ports.webhooks[0] ?? port)}`,
    ...options.env,
  };
}

/** Resolves when the instance reaches its database and NATS; throws with its last lines otherwise. */
export async function waitUntilReady(instance: Instance): Promise<void> {
  const deadline = Date.now() + readyWithinMs;
  let gone = false;
  void instance.child.exited.then(() => {
    gone = true;
  });
  while (!gone && Date.now() < deadline) {
    const ready = await fetch(`${instance.operationsUrl}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
    if (ready) return;
    await delay(50);
  }
  const lines = instance.child.lastLines().slice(-15).join("\n");
  throw new Error(
    `${instance.service} ${gone ? "ended" : "is not ready"} on port ${String(instance.port)}:\n${lines}`,
  );
}
