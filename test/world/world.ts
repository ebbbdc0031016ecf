/** A tenant of the running service: its keys, its webhook receiver, and what the operator sees. */
import pg from "pg";
import { inject } from "vitest";
import type { PaymentOrder } from "../../clients/typescript/types.gen.ts";
import { type Answer, call, type Call } from "../../scripts/local/demo/api.ts";
import type { SystemSecrets } from "../../scripts/local/secrets.ts";
import { newId } from "../../contracts/ids/ids.ts";
import { type PartName, seedTenant, type SeededTenant } from "../../scripts/local/demo/seed.ts";
import { type Observation, observe } from "../conformance/observe.ts";
import { assertNothingLost } from "../stack/lost-services.ts";
import { patienceMs, until } from "../stack/until.ts";
import { bodyOf, type Client, clientOf, createLedgerAccount, getPaymentOrder } from "./client.ts";
import { createEndpoint } from "./patience/endpoints.ts";
import { patientFetch } from "./patience/patient-fetch.ts";
import { Payer } from "./payer.ts";
import { openReceiver, type Receiver } from "./receiver.ts";

/** A running service, as its operator reaches it. */
export interface Reached {
  /** Superuser of the database with the five schemas. */
  readonly adminUrl: string;
  readonly natsUrl: string;
  readonly secrets: SystemSecrets;
}

interface Behaviour {
  /** Repeats requests after transient refusals (`patientFetch`). */
  readonly isPatient: boolean;
}

interface More {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The gateway instance. Default: the first. */
  readonly at?: number;
}

const finalStatuses = new Set(["Completed", "Failed", "Returned", "Cancelled"]);

export class World {
  readonly system: Reached;
  readonly tenant: SeededTenant;
  readonly receiver: Receiver;
  /** Superuser on the world's database. */
  readonly admin: pg.Pool;
  /** Compares responses with the OpenAPI document; `stop` throws if any differs. */
  readonly observation: Observation;
  readonly #gateways: () => readonly string[];
  readonly #originalFetch: typeof globalThis.fetch;

  protected constructor(
    system: Reached,
    gateways: () => readonly string[],
    tenant: SeededTenant,
    receiver: Receiver,
    { isPatient }: Behaviour,
  ) {
    this.system = system;
    this.tenant = tenant;
    this.receiver = receiver;
    this.#gateways = gateways;
    this.admin = new pg.Pool({ connectionString: system.adminUrl, max: 4 });
    // A test may stop Postgres.
    this.admin.on("error", () => undefined);
    // Compares every response of the gateway with the document, whichever client sent the request.
    this.#originalFetch = globalThis.fetch;
    const isOurs = (origin: string) => this.#gateways().includes(origin);
    this.observation = observe(this.#originalFetch, isOurs);
    const observed = this.observation.fetch;
    const send = isPatient ? patientFetch(observed, isOurs) : observed;
    globalThis.fetch = async (input: string | URL | Request, init?: RequestInit) => {
      try {
        return await send(input, init);
      } catch (error) {
        assertNothingLost();
        throw error;
      }
    };
  }

  /**
   * A new tenant of the service that journeys share. Tables and streams hold what other files do at the same time, so
   * a test that counts all rows, reads logs or stops something has a service of its own (`OwnWorld`).
   */
  static async join(): Promise<World> {
    const { gatewayUrl, ...system } = inject("system");
    const tenant = await seedTenant(gatewayDatabaseUrl(system), nameBesideOthers("Acme"));
    const receiver = await openReceiver();
    return new World(system, () => [gatewayUrl], tenant, receiver, { isPatient: true }).receivesAllEvents();
  }

  /** The name to give another tenant. */
  tenantName(name: string): string {
    return nameBesideOthers(name);
  }

  /** Makes the tenant's endpoint, and returns this world; stops it if that fails. */
  protected async receivesAllEvents(): Promise<this> {
    const body = { url: this.receiver.url, eventTypes: ["*"] };
    try {
      const endpoint = await createEndpoint(this, this.tenant.keys.maker, body);
      this.receiver.secret = endpoint.signingSecret;
      return this;
    } catch (error) {
      await this.stop().catch(() => undefined); // why it failed is worth more
      throw error;
    }
  }

  /** The address of a gateway instance. */
  baseUrl(index = 0): string {
    return this.#gateways()[index] ?? "";
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

  /** A new account with this name, without money. Repeats the request while the answer says that it may succeed. */
  async payerNamed(name: string, overdraft: "Allowed" | "Refused" = "Allowed"): Promise<Payer> {
    const headers = { "Idempotency-Key": newId("req") };
    const body = { name, overdraft };
    const { id } = await until(`an account named ${name}`, async () => {
      const result = await createLedgerAccount({ client: this.client(), body, headers });
      return result.error?.retryable === true ? undefined : bodyOf(Promise.resolve(result));
    });
    return new Payer(this, id, name);
  }

  /** A new account that can't be overdrawn, with exactly `cents`, collected over ACH. */
  async payerWith(cents: number): Promise<Payer> {
    const payer = await this.payerNamed(`Payer ${newId("req")}`, "Refused");
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
  async comesToRest(id: string, withinMs = patienceMs): Promise<PaymentOrder> {
    const order = await this.reaches(id, (seen) => finalStatuses.has(seen.status), withinMs);
    await this.receivesEvent(id, order.status, withinMs);
    return order;
  }

  reaches(id: string, there: (order: PaymentOrder) => boolean, withinMs = patienceMs): Promise<PaymentOrder> {
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

  receivesEvent(id: string, status: string, withinMs = patienceMs): Promise<unknown> {
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

  async stop(): Promise<void> {
    globalThis.fetch = this.#originalFetch;
    await this.receiver.close();
    await this.admin.end();
    const { faults } = this.observation;
    if (faults.length > 0)
      throw new Error(`responses that differ from the OpenAPI document:\n${faults.join("\n")}`);
  }
}

/** Files that join the same service give the same names. */
const nameBesideOthers = (name: string) => `${name} ${newId("req")}`;

/** The database as the gateway sees it. */
export function gatewayDatabaseUrl({ adminUrl, secrets }: Reached): string {
  const url = new URL(adminUrl);
  url.username = "gateway";
  url.password = secrets.rolePasswords.gateway;
  return url.href;
}
