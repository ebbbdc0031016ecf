/** One api-gateway as it runs, on a database and a nats-server of its own; the test answers for the owning services. */
import { randomBytes } from "node:crypto";
import type { NatsConnection } from "@nats-io/transport-node";
import pg from "pg";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import { type Scope, scopes } from "../../../contracts/http/scopes.ts";
import type { ApiKeyId, Mode, TenantId } from "../../../contracts/ids/ids.ts";
import type { Caller, Idempotency, RequestType, Service } from "../../../contracts/message.ts";
import { ApiGatewayModule } from "../../../services/api-gateway/api-gateway.module.ts";
import { gatewaySettings } from "../../../services/api-gateway/config.ts";
import { createTenant } from "../../../services/api-gateway/tenants/create-tenant.ts";
import { httpOptionsOf } from "../../../services/api-gateway/http/options.ts";
import { installHttp } from "../../../services/api-gateway/install.ts";
import {
  createKeyAsOperator,
  type OperatorKeyRequest,
} from "../../../services/api-gateway/keys/create-key-as-operator.ts";
import { UnitOfWorkRunner } from "../../../services/platform/handlers/unit-of-work.ts";
import { Database } from "../../../services/platform/persistence/database.ts";
import { startService } from "../../../services/platform/run-service.ts";
import { createDatabase } from "../servers/database.ts";
import { startMessaging } from "../servers/messaging.ts";

interface OwnerRequest<T extends RequestType> {
  readonly data: z.output<T["data"]>;
  readonly caller: Caller;
  readonly idempotency: Idempotency | undefined;
}

/** The owner's answer: a value, a replay of it, or a thrown refusal. */
type OwnerAnswer<T extends RequestType> = z.input<T["reply"]> | { readonly replayed: z.input<T["reply"]> };
type Owner<T extends RequestType> = (request: OwnerRequest<T>) => OwnerAnswer<T> | Promise<OwnerAnswer<T>>;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // Untyped, because each test reads the members that it expects.
  readonly body: Record<string, unknown>;
  readonly text: string;
}

export interface TestGateway {
  readonly url: string;
  /** The URL of health and metrics. */
  readonly operationsUrl: string;
  readonly tenant: TenantId;
  readonly database: Database;
  /** Its database as superuser. */
  readonly adminUrl: string;
  readonly units: UnitOfWorkRunner;
  /** Runs one statement as superuser, for what the service's own role may not do. */
  asOwner(text: string): Promise<unknown>;
  /** Creates a key of the tenant, with every scope by default. */
  issue(
    request?: Partial<OperatorKeyRequest> & { mode?: Mode; scopes?: readonly Scope[] },
  ): Promise<{ id: ApiKeyId; key: string }>;
  /** Answers for an owner from now on; a second answer for a type replaces the first. */
  owner<T extends RequestType>(type: T, answer: Owner<T>): Promise<void>;
  call(
    method: string,
    path: string,
    more?: { key?: string; body?: unknown; raw?: string | Buffer; headers?: Record<string, string> },
  ): Promise<Answer>;
  /** Starts a second instance on the same database and NATS; it ends with this one. Returns its URL. */
  another(): Promise<string>;
  close(): Promise<void>;
}

export async function startGateway(settings: Record<string, string> = {}): Promise<TestGateway> {
  const [messaging, own] = await Promise.all([startMessaging(), createDatabase("gateway")]);
  const config = gatewaySettings.parse({
    ...messaging.environment("gateway", own.urlOf("gateway")),
    OPERATIONS_PORT: "0",
    FINGERPRINT_KEY: randomBytes(32).toString("base64"),
    RATE_LIMIT_PER_SECOND: "0",
    FAILED_KEYS_PER_MINUTE: "0",
    ...settings,
  });
  const start = () =>
    startService(ApiGatewayModule.with(config), config, "gateway", installHttp, httpOptionsOf(config));
  const running = await start();
  const others: (typeof running)[] = [];
  const database = running.app.get(Database);
  const tenant = (await createTenant(database.sql, "Acme Freight")).id;
  return {
    url: running.url,
    operationsUrl: running.operationsUrl,
    tenant,
    database,
    adminUrl: own.adminUrl,
    units: running.app.get(UnitOfWorkRunner),
    asOwner: (text) => asOwner(own.adminUrl, text),
    issue: (request = {}) =>
      running.app
        .get(UnitOfWorkRunner)
        .run((unit) =>
          createKeyAsOperator(unit, { tenant, mode: "Test", principal: "tester", scopes, ...request }),
        ),
    owner: ownersOn((service) => messaging.connectAs(service)),
    call: (method, path, more) => call(running.url + path, method, more),
    async another() {
      const other = await start();
      others.push(other);
      return other.url;
    },
    async close() {
      for (const each of [...others, running]) await each.stop();
      await messaging.close();
      await own.drop();
    },
  };
}

async function asOwner(adminUrl: string, text: string): Promise<unknown> {
  const client = new pg.Client(adminUrl);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

/** Answers as each owner would, on a connection of its own NATS user. */
function ownersOn(connectAs: (service: Service) => Promise<NatsConnection>): TestGateway["owner"] {
  const owners = new Map<string, Owner<RequestType>>();
  const connections = new Map<Service, Promise<NatsConnection>>();
  return async <T extends RequestType>(type: T, answer: Owner<T>) => {
    const isNew = !owners.has(type.subject);
    owners.set(type.subject, answer as unknown as Owner<RequestType>);
    if (!isNew) return;
    const connection = connections.get(type.owner) ?? connectAs(type.owner);
    connections.set(type.owner, connection);
    const nats = await connection;
    nats.subscribe(type.subject, {
      callback: (_error, message) => {
        const owner = owners.get(type.subject);
        if (owner === undefined) return;
        void replyOf(type, message.json(), owner).then((reply) => message.respond(JSON.stringify(reply)));
      },
    });
    // The server has the subscription before the test sends a request.
    await nats.flush();
  };
}

async function replyOf(
  type: RequestType,
  request: OwnerRequest<RequestType>,
  answer: Owner<RequestType>,
): Promise<object> {
  try {
    const value = await answer({ ...request, data: type.data.parse(request.data) });
    if (typeof value === "object" && value !== null && "replayed" in value) {
      return { ok: true, value: value.replayed, replayed: true };
    }
    return { ok: true, value };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return {
      ok: false,
      refusal: { code: error.code, detail: error.message, errors: error.errors, context: error.context },
    };
  }
}

async function call(
  url: string,
  method: string,
  more: { key?: string; body?: unknown; raw?: string | Buffer; headers?: Record<string, string> } = {},
): Promise<Answer> {
  const body = more.raw ?? (more.body === undefined ? undefined : JSON.stringify(more.body));
  const response = await fetch(url, {
    method,
    headers: {
      ...(more.key === undefined ? {} : { "x-api-key": more.key }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...more.headers,
    },
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : new Uint8Array(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}
