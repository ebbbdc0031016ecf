/** The whole service on servers of its own, with a tenant, its people and its webhook receiver. */
import pg from "pg";
import type { PaymentOrder } from "../../clients/typescript/types.gen.ts";
import { type Service, services } from "../../contracts/message.ts";
import { type Answer, call, type Call } from "../../scripts/local/api.ts";
import type { LocalNatsServer } from "../../scripts/local/nats/nats-server.ts";
import { findFreePorts } from "../../scripts/local/ports.ts";
import type { LocalPostgres } from "../../scripts/local/postgres/postgres.ts";
import { createProcessGroup, type ProcessGroup } from "../../scripts/local/processes.ts";
import { type PartName, seedTenant, type SeededTenant } from "../../scripts/local/seed.ts";
import {
  type Instance,
  prepareSystem,
  startInstance,
  startServices,
  type SystemOptions,
  waitUntilReady,
} from "../../scripts/local/system.ts";
import { natsConfig } from "../../services/platform/nats/nats-config.ts";
import { type Observation, observe } from "../conformance/observe.ts";
import { createDatabase, type TestDatabase } from "../stack/servers/database.ts";
import { createTestBench, type TestBench } from "../stack/servers/local-servers.ts";
import {
  bodyOf,
  type Client,
  clientOf,
  createLedgerAccount,
  createWebhookEndpoint,
  getPaymentOrder,
} from "./client.ts";
import { Payer } from "./payer.ts";
import { openReceiver, type Receiver } from "./receiver.ts";
import { secretsOfRun } from "./secrets.ts";
import { until } from "../stack/until.ts";

export interface WorldOptions {
  /** How many instances of every service; 1 unless said otherwise. */
  readonly instances?: number;
  /** A Postgres of its own, for tests that take it away. */
  readonly ownPostgres?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

const resting = new Set(["Completed", "Failed", "Returned", "Cancelled"]);

export class World {
  readonly bench: TestBench;
  readonly receiver: Receiver;
  readonly tenant: SeededTenant;
  readonly natsPort: number;
  readonly postgresPort: number | undefined;
  /** Superuser on the world's database: looks everywhere. */
  readonly admin: pg.Pool;
  readonly system: SystemOptions;
  instances: Instance[];
  /** Everything that the services have logged. */
  readonly lines: readonly string[];
  readonly #database: TestDatabase | undefined;
  readonly #group: ProcessGroup;
  readonly #unwatched: typeof globalThis.fetch;
  /** What the gateway answered that its OpenAPI document does not foresee; `stop` throws when there is any. */
  readonly observation: Observation;
  #natsPid: number;
  #postgresPid: number | undefined;

  private constructor(parts: {
    bench: TestBench;
    receiver: Receiver;
    tenant: SeededTenant;
    nats: LocalNatsServer;
    postgres: LocalPostgres | undefined;
    system: SystemOptions;
    instances: Instance[];
    lines: string[];
    database: TestDatabase | undefined;
  }) {
    this.bench = parts.bench;
    this.receiver = parts.receiver;
    this.tenant = parts.tenant;
    this.natsPort = parts.nats.port;
    this.postgresPort = parts.postgres?.port;
    this.system = parts.system;
    this.instances = parts.instances;
    this.lines = parts.lines;
    this.#database = parts.database;
    this.#group = parts.system.group;
    this.#natsPid = parts.nats.pid;
    this.#postgresPid = parts.postgres?.pid;
    this.admin = new pg.Pool({ connectionString: parts.system.adminUrl, max: 4 });
    // A test may take Postgres away under it.
    this.admin.on("error", () => undefined);
    // Whatever asks the gateway, a client or a plain fetch, gets its answers compared with the document.
    this.#unwatched = globalThis.fetch;
    this.observation = observe(this.#unwatched, (origin) =>
      this.instancesOf("gateway").some(({ url }) => url === origin),
    );
    globalThis.fetch = this.observation.fetch;
  }

  static async start(options: WorldOptions = {}): Promise<World> {
    const bench = await createTestBench();
    const secrets = secretsOfRun();
    const lines: string[] = [];
    const group = createProcessGroup((line) => lines.push(line));
    const nats = await bench.startNats(natsConfig(secrets.natsPasswords));
    const postgres = options.ownPostgres === true ? await bench.startPostgres() : undefined;
    const database = postgres === undefined ? await createDatabase([...services]) : undefined;
    const adminUrl = postgres?.adminUrl ?? database?.adminUrl ?? "";
    const count = options.instances ?? 1;
    const free = await findFreePorts(services.length * count);
    const ports = Object.fromEntries(
      services.map((service, index) => [service, free.slice(index * count, (index + 1) * count)]),
    ) as Record<Service, number[]>;
    const system: SystemOptions = {
      group,
      adminUrl,
      natsUrl: nats.url,
      secrets,
      ports,
      ...(options.env === undefined ? {} : { env: options.env }),
    };
    await prepareSystem(system);
    const instances = await startServices(system);
    const gatewayUrl = new URL(adminUrl);
    gatewayUrl.username = "gateway";
    gatewayUrl.password = secrets.rolePasswords.gateway;
    const tenant = await seedTenant(gatewayUrl.href, "Acme");
    const receiver = await openReceiver();
    const world = new World({
      bench,
      receiver,
      tenant,
      nats,
      postgres,
      system,
      instances,
      lines,
      database,
    });
    const body = { url: receiver.url, eventTypes: ["*" as const] };
    receiver.secret = (await bodyOf(createWebhookEndpoint({ client: world.client(), body }))).signingSecret;
    return world;
  }

  /** The gateway's address; `index` chooses an instance. */
  baseUrl(index = 0): string {
    return this.instancesOf("gateway")[index]?.url ?? "";
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

  /** The typed client, speaking as one of the tenant's people. */
  client(as: PartName = "maker"): Client {
    return clientOf(this.baseUrl(), this.tenant.keys[as]);
  }

  /** For what a typed client would not ask: a path or a query that is wrong. */
  get<T>(path: string, as: PartName = "maker"): Promise<Answer<T>> {
    return this.#call<T>({ method: "GET", path, key: this.tenant.keys[as] });
  }

  /** For what a typed client would not send: a body that is wrong, headers of no operation. */
  post<T>(
    path: string,
    body?: unknown,
    more: { as?: PartName; headers?: Call["headers"] } = {},
  ): Promise<Answer<T>> {
    return this.#call<T>({
      method: "POST",
      path,
      key: this.tenant.keys[more.as ?? "maker"],
      ...(body === undefined ? {} : { body }),
      ...(more.headers === undefined ? {} : { headers: more.headers }),
    });
  }

  #call<T>(request: Call): Promise<Answer<T>> {
    return call<T>(this.baseUrl(), request);
  }

  /** A tenant's account that can't be overdrawn, holding exactly `cents`, collected over ACH. */
  async payerWith(cents: number): Promise<Payer> {
    const name = `Payer ${String(performance.now())}`;
    const body = { name, overdraft: "Refused" as const };
    const { id } = await bodyOf(createLedgerAccount({ client: this.client(), body }));
    const payer = new Payer(this, id, name);
    if (cents > 0) {
      const collection = await payer.collects(cents);
      await this.comesToRest(collection.id);
    }
    return payer;
  }

  order(id: string): Promise<PaymentOrder> {
    return bodyOf(getPaymentOrder({ client: this.client(), path: { id } }));
  }

  /** Waits until the order is in a terminal state and its owner has heard so. */
  async comesToRest(id: string, withinMs = 20_000): Promise<PaymentOrder> {
    const order = await this.reaches(id, (seen) => resting.has(seen.status), withinMs);
    await this.hears(id, order.status, withinMs);
    return order;
  }

  reaches(id: string, there: (order: PaymentOrder) => boolean, withinMs = 20_000): Promise<PaymentOrder> {
    let last: PaymentOrder | undefined;
    return until(
      `order ${id}`,
      async () => {
        last = await this.order(id);
        return there(last) ? last : undefined;
      },
      withinMs,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}; it is ${JSON.stringify(last)}`);
    });
  }

  hears(id: string, status: string, withinMs = 20_000): Promise<unknown> {
    return until(
      `the event that order ${id} is ${status}`,
      () => this.receiver.eventsOf(id).find(({ data }) => data.status === status),
      withinMs,
    );
  }

  /** Rows of any table, as the superuser. */
  async rows<R extends pg.QueryResultRow>(sql: string, params: unknown[] = []): Promise<R[]> {
    return (await this.admin.query<R>(sql, params)).rows;
  }

  /** Ends a process as a power cut would, and starts another in its place. */
  async killAndReplace(instance: Instance): Promise<void> {
    await this.kill(instance);
    await this.replace(instance);
  }

  /** Ends a process as a power cut would. */
  async kill(instance: Instance): Promise<void> {
    process.kill(instance.child.pid, "SIGKILL");
    await instance.child.exited;
  }

  /** Starts another process in the place of one that has ended, and waits until it takes work. */
  async replace(instance: Instance): Promise<void> {
    const next = await startInstance(this.system, instance.service, instance.port);
    this.instances = this.instances.map((one) => (one === instance ? next : one));
    await waitUntilReady(next);
  }

  /** Ends the nats-server as a power cut would. */
  loseNats(): void {
    process.kill(this.#natsPid, "SIGKILL");
  }

  /** Starts it again, on the same port and what it had stored. */
  async regainNats(): Promise<void> {
    this.#natsPid = (
      await this.bench.startNats(natsConfig(this.system.secrets.natsPasswords), this.natsPort)
    ).pid;
  }

  /** Ends this world's own Postgres as a power cut would. */
  losePostgres(): void {
    if (this.#postgresPid === undefined) throw new Error("start this world with ownPostgres to take it away");
    process.kill(this.#postgresPid, "SIGKILL");
  }

  /** Starts it again, on the same port and data; it recovers from its log first. */
  async regainPostgres(): Promise<void> {
    this.#postgresPid = (await this.bench.startPostgres(this.postgresPort)).pid;
  }

  async stop(): Promise<void> {
    globalThis.fetch = this.#unwatched;
    await this.#group.stopAll();
    await this.receiver.close();
    await this.admin.end();
    await this.#database?.drop();
    await this.bench.close();
    const { faults } = this.observation;
    if (faults.length > 0) throw new Error(`answers that no document foresees:\n${faults.join("\n")}`);
  }
}
