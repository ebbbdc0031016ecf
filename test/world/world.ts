/** The whole service on its own servers, with a tenant, its keys and its webhook receiver. */
import pg from "pg";
import type { PaymentOrder } from "../../clients/typescript/types.gen.ts";
import { type Service, services } from "../../contracts/message.ts";
import { type Answer, call, type Call } from "../../scripts/local/api.ts";
import type { LocalNatsServer } from "../../scripts/local/nats/nats-server.ts";
import { claimPorts } from "../../scripts/local/ports.ts";
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
  /** Instances of every service. Default: 1. */
  readonly instances?: number;
  /** Its own Postgres, for tests that stop it. */
  readonly ownPostgres?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

interface More {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The gateway instance. Default: the first. */
  readonly at?: number;
}

const finalStatuses = new Set(["Completed", "Failed", "Returned", "Cancelled"]);

export class World {
  readonly bench: TestBench;
  readonly receiver: Receiver;
  readonly tenant: SeededTenant;
  /** Superuser on the world's database. */
  readonly admin: pg.Pool;
  readonly system: SystemOptions;
  instances: Instance[];
  /** All log lines of the services. */
  readonly lines: readonly string[];
  readonly #database: TestDatabase | undefined;
  readonly #group: ProcessGroup;
  readonly #originalFetch: typeof globalThis.fetch;
  /** Compares responses with the OpenAPI document; `stop` throws if any differs. */
  readonly observation: Observation;
  #nats: LocalNatsServer;
  #postgres: LocalPostgres | undefined;

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
    this.system = parts.system;
    this.instances = parts.instances;
    this.lines = parts.lines;
    this.#database = parts.database;
    this.#group = parts.system.group;
    this.#nats = parts.nats;
    this.#postgres = parts.postgres;
    this.admin = new pg.Pool({ connectionString: parts.system.adminUrl, max: 4 });
    // A test may stop Postgres.
    this.admin.on("error", () => undefined);
    // Compares every response of the gateway with the document, whichever client sent the request.
    this.#originalFetch = globalThis.fetch;
    this.observation = observe(this.#originalFetch, (origin) =>
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
    const free = await claimPorts(services.length * count);
    const ports = Object.fromEntries(
      services.map((service, index) => [service, free.slice(index * count, (index + 1) * count)]),
    ) as Record<Service, number[]>;
    const system: SystemOptions = {
      group,
      adminUrl,
      natsUrl: nats.url,
      secrets,
      ports,
      // Tests send requests as fast as they can; those of the limit set it.
      env: { REQUESTS_UNDER_WAY: "0", ...options.env },
    };
    await prepareSystem(system);
    const instances = await startServices(system);
    const gatewayUrl = new URL(adminUrl);
    gatewayUrl.username = "gateway";
    gatewayUrl.password = secrets.rolePasswords.gateway;
    const tenant = await seedTenant(gatewayUrl.href, "Acme");
    const receiver = await openReceiver();
    const parts = { bench, receiver, tenant, nats, postgres, system, instances, lines, database };
    const world = new World(parts);
    const body = { url: receiver.url, eventTypes: ["*" as const] };
    receiver.secret = (await bodyOf(createWebhookEndpoint({ client: world.client(), body }))).signingSecret;
    return world;
  }

  /** The address of a gateway instance. */
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

  /** The typed client with one of the tenant's keys. */
  client(as: PartName = "maker"): Client {
    return clientOf(this.baseUrl(), this.tenant.keys[as]);
  }

  /** Sends what the typed client can't send, with any key. */
  send<T = Record<string, unknown>>(
    key: string,
    method: Call["method"],
    path: string,
    more: More = {},
  ): Promise<Answer<T>> {
    const { body, headers, at } = more;
    return call<T>(this.baseUrl(at), { method, path, key, body, headers });
  }

  get<T>(path: string, as: PartName = "maker"): Promise<Answer<T>> {
    return this.send<T>(this.tenant.keys[as], "GET", path);
  }

  post<T>(path: string, body?: unknown, more: { as?: PartName } & More = {}): Promise<Answer<T>> {
    return this.send<T>(this.tenant.keys[more.as ?? "maker"], "POST", path, { ...more, body });
  }

  /** A new account with this name, without money. */
  async payerNamed(name: string, overdraft: "Allowed" | "Refused" = "Allowed"): Promise<Payer> {
    const { id } = await bodyOf(createLedgerAccount({ client: this.client(), body: { name, overdraft } }));
    return new Payer(this, id, name);
  }

  /** A new account that can't be overdrawn, with exactly `cents`, collected over ACH. */
  async payerWith(cents: number): Promise<Payer> {
    const payer = await this.payerNamed(`Payer ${String(performance.now())}`, "Refused");
    if (cents > 0) {
      const collection = await payer.collects(cents);
      await this.comesToRest(collection.id);
    }
    return payer;
  }

  order(id: string): Promise<PaymentOrder> {
    return bodyOf(getPaymentOrder({ client: this.client(), path: { id } }));
  }

  /** Waits until the order has a final status and the receiver has its event. */
  async comesToRest(id: string, withinMs = 20_000): Promise<PaymentOrder> {
    const order = await this.reaches(id, (seen) => finalStatuses.has(seen.status), withinMs);
    await this.receivesEvent(id, order.status, withinMs);
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

  receivesEvent(id: string, status: string, withinMs = 20_000): Promise<unknown> {
    return until(
      `the event that order ${id} is ${status}`,
      () => this.receiver.eventsOf(id).find(({ data }) => data.status === status),
      withinMs,
    );
  }

  /** Runs a query as the superuser. */
  async rows<R extends pg.QueryResultRow>(sql: string, params: unknown[] = []): Promise<R[]> {
    return (await this.admin.query<R>(sql, params)).rows;
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

  async stop(): Promise<void> {
    globalThis.fetch = this.#originalFetch;
    await this.#group.stopAll();
    await this.receiver.close();
    await this.admin.end();
    await this.#database?.drop();
    await this.bench.close();
    const { faults } = this.observation;
    if (faults.length > 0)
      throw new Error(`responses that differ from the OpenAPI document:\n${faults.join("\n")}`);
  }
}
