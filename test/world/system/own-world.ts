/** A whole system for one test file, on a nats-server of its own, which the test may stop, kill and restart. */
import { type Service, services } from "../../../contracts/message.ts";
import type { LocalNatsServer } from "../../../scripts/local/nats/nats-server.ts";
import type { LocalPostgres } from "../../../scripts/local/postgres/postgres.ts";
import { createProcessGroup } from "../../../scripts/local/processes/processes.ts";
import { seedTenant, type SeededTenant } from "../../../scripts/local/demo/seed.ts";
import {
  claimPortsOf,
  type Instance,
  prepareStreams,
  prepareSystem,
  startInstance,
  startServices,
  type SystemOptions,
  waitUntilReady,
} from "../../../scripts/local/system.ts";
import { natsConfig } from "../../../services/platform/nats/nats-config.ts";
import { createDatabase } from "../../stack/servers/database.ts";
import { createTestBench, type TestBench } from "../../stack/servers/local-servers.ts";
import { openReceiver, type Receiver } from "../receiver.ts";
import { secretsOfRun } from "./secrets.ts";
import { gatewayDatabaseUrl, World } from "../world.ts";

export interface WorldOptions {
  /** Instances of every service. Default: 1. */
  readonly instances?: number;
  /** Its own Postgres, for tests that stop it. */
  readonly ownPostgres?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** Repeats requests after transient refusals. Default: false, for tests that stop a part of the service. */
  readonly isPatient?: boolean;
}

interface Parts {
  readonly bench: TestBench;
  readonly nats: LocalNatsServer;
  readonly postgres: LocalPostgres | undefined;
  readonly system: SystemOptions;
  readonly instances: Instance[];
  readonly lines: string[];
  /** Closes what was opened, the last one first. */
  readonly opened: AsyncDisposableStack;
  readonly isPatient: boolean;
}

export class OwnWorld extends World {
  declare readonly system: SystemOptions;
  readonly bench: TestBench;
  /** All log lines of the services. */
  readonly lines: readonly string[];
  readonly #running: { instances: Instance[] };
  readonly #opened: AsyncDisposableStack;
  #nats: LocalNatsServer;
  #postgres: LocalPostgres | undefined;

  private constructor(parts: Parts, tenant: SeededTenant, receiver: Receiver) {
    const running = { instances: parts.instances };
    const gateways = () =>
      running.instances.flatMap(({ service, url }) => (service === "gateway" ? [url] : []));
    super(parts.system, gateways, tenant, receiver, parts);
    this.bench = parts.bench;
    this.lines = parts.lines;
    this.#running = running;
    this.#opened = parts.opened;
    this.#nats = parts.nats;
    this.#postgres = parts.postgres;
  }

  static async start(options: WorldOptions = {}): Promise<OwnWorld> {
    const parts = await startParts(options);
    await using opened = parts.opened;
    const tenant = await seedTenant(gatewayDatabaseUrl(parts.system), "Acme");
    const receiver = await openReceiver();
    const world = new OwnWorld({ ...parts, opened: opened.move() }, tenant, receiver);
    return world.receivesAllEvents();
  }

  override tenantName(name: string): string {
    return name;
  }

  get instances(): Instance[] {
    return this.#running.instances;
  }

  set instances(instances: Instance[]) {
    this.#running.instances = instances;
  }

  instancesOf(service: Service): Instance[] {
    return this.instances.filter((instance) => instance.service === service);
  }

  /** The first instance of a service. */
  instanceOf(service: Service): Instance {
    const [first] = this.instancesOf(service);
    if (first === undefined) throw new Error(`no ${service} runs here`);
    return first;
  }

  /** Kills a process (SIGKILL) and starts another one in its place. */
  async killAndReplace(instance: Instance): Promise<void> {
    await this.kill(instance);
    await this.replace(instance);
  }

  /** Kills a process (SIGKILL). */
  async kill(instance: Instance): Promise<void> {
    process.kill(instance.child.pid, "SIGKILL");
    await instance.child.exited;
  }

  /** Starts another process in place of a stopped one, and waits until it is ready. */
  async replace(instance: Instance): Promise<void> {
    const next = await startInstance(this.system, instance.service, instance.port);
    this.instances = this.instances.map((one) => (one === instance ? next : one));
    await waitUntilReady(next);
  }

  /** Kills the nats-server (SIGKILL). */
  loseNats(): void {
    process.kill(this.#nats.pid, "SIGKILL");
  }

  /** Starts it again on the same port and data. */
  async regainNats(): Promise<void> {
    const config = natsConfig(this.system.secrets.natsPasswords);
    this.#nats = await this.bench.startNats(config, this.#nats.port);
  }

  /** Kills this world's own Postgres (SIGKILL). */
  losePostgres(): void {
    if (this.#postgres === undefined) throw new Error("start this world with ownPostgres to stop Postgres");
    process.kill(this.#postgres.pid, "SIGKILL");
  }

  /** Starts it again on the same port and data; it recovers from its log first. */
  async regainPostgres(): Promise<void> {
    this.#postgres = await this.bench.startPostgres(this.#postgres?.port);
  }

  override async stop(): Promise<void> {
    await this.system.group.stopAll();
    try {
      await super.stop();
    } finally {
      await this.#opened.disposeAsync();
    }
  }
}

async function startParts(options: WorldOptions): Promise<Parts> {
  // Closes what is open by then if a later part fails.
  await using opened = new AsyncDisposableStack();
  const bench = await createTestBench();
  opened.defer(() => bench.close());
  const secrets = secretsOfRun();
  const lines: string[] = [];
  const group = createProcessGroup((line) => lines.push(line));
  const nats = await bench.startNats(natsConfig(secrets.natsPasswords));
  const postgres = options.ownPostgres === true ? await bench.startPostgres() : undefined;
  const database = postgres === undefined ? await createDatabase([...services]) : undefined;
  opened.defer(() => database?.drop());
  opened.defer(() => group.stopAll());
  const adminUrl = postgres?.adminUrl ?? database?.adminUrl ?? "";
  const ports = await claimPortsOf(options.instances ?? 1);
  // Tests send requests as fast as they can; those of the limit set it.
  const env = { REQUESTS_UNDER_WAY: "0", ...options.env };
  const system: SystemOptions = { group, adminUrl, natsUrl: nats.url, secrets, ports, env };
  // A database of the run comes migrated from its template. Migrations change roles, which all databases share, and
  // two worlds may start at once.
  await (database === undefined ? prepareSystem(system) : prepareStreams(system));
  const instances = await startServices(system);
  const { isPatient = false } = options;
  return { bench, nats, postgres, system, instances, lines, opened: opened.move(), isPatient };
}
