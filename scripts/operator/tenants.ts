/** `npm run tenants -- …`: tenants and their first keys, which only the operator can create. */
import { parseArgs } from "node:util";
import { type Scope, scope, scopes } from "../../contracts/http/scopes.ts";
import { type ApiKeyId, bookIdOf, isId, type TenantId } from "../../contracts/ids/ids.ts";
import { mode } from "../../contracts/rails/rails.ts";
import { createTenant } from "../../services/api-gateway/tenants/create-tenant.ts";
import { createOperatorKey } from "../../services/api-gateway/keys/create-operator-key.ts";
import { revokeKey } from "../../services/api-gateway/keys/revoke-key.ts";
import { listKeysForOperator } from "../../services/api-gateway/auth/store/api-keys.ts";
import {
  findTenant,
  findTenantByName,
  listTenants,
} from "../../services/api-gateway/tenants/store/tenants.ts";
import { reactivateTenant, suspendTenant } from "../../services/api-gateway/tenants/suspend-tenant.ts";
import { OutboxWriter } from "../../services/platform/outbox/outbox.ts";
import type { Sql } from "../../services/platform/persistence/sql.ts";
import { operatorDatabase, runTool } from "./connections.ts";

const usage = `usage: npm run tenants -- <command>
  list                      list tenants with their books
  create <name>             create an active tenant
  suspend <tenant>          refuse its keys with 401 and hand none of its orders to a rail
  reactivate <tenant>       undo a suspension
  keys <tenant>             list its keys, including revoked ones
  create-key --tenant <tenant> --mode Test|Live --principal <who> --scopes all|<scope,…>
             [--name <text>] [--ip <address or CIDR,…>] [--expires <time>]
                            create a key, shown once. Use it for the first key that may approve, set policy or issue keys
  revoke-key <key id>       revoke a key permanently; effective within a second
<tenant> is an id or a name. Tenants create further keys themselves: POST /v1/api-keys.
Scopes: ${scopes.join(" ")}`;

interface Work {
  readonly sql: Sql;
  readonly outbox: OutboxWriter;
}

const partitions = Number(process.env["PARTITIONS"] ?? "1");

/**
 * Runs `work` in one transaction as the gateway's role. Its messages are written to the outbox; a running gateway
 * publishes them within half a second and reads the change itself within one.
 */
async function asGateway<T>(work: (unit: Work) => Promise<T>): Promise<T> {
  const client = await operatorDatabase();
  const sql: Sql = async <R extends object>(text: string, params: readonly unknown[] = []) =>
    (await client.query(text, [...params])).rows as R[];
  try {
    await sql("begin");
    await sql("set local role gateway");
    await sql("set local search_path = gateway");
    const outbox = new OutboxWriter(partitions);
    const done = await work({ sql, outbox });
    const rows = await outbox.write(sql);
    // The poller leaves young messages to the process that wrote them. This one publishes nothing, so it backdates
    // them.
    await sql(
      "update outbox set created_at = created_at - interval '2 seconds' where day = any ($1::date[]) and message_id = any ($2::uuid[])",
      [rows.map(({ day }) => day), rows.map(({ messageId }) => messageId)],
    );
    await sql("commit");
    return done;
  } finally {
    await client.end(); // rolls an open transaction back
  }
}

async function tenantOf(sql: Sql, text: string | undefined): Promise<TenantId> {
  if (text === undefined) throw new Error(usage);
  const tenant = isId("ten", text) ? await findTenant(sql, text) : await findTenantByName(sql, text);
  if (tenant === undefined)
    throw new Error(`no tenant ${isId("ten", text) ? "" : "named "}${text}; see npm run tenants -- list`);
  return tenant.id;
}

function keyIdOf(text: string | undefined): ApiKeyId {
  if (text === undefined || !isId("key", text))
    throw new Error("send the key's id, key_…; see npm run tenants -- keys <tenant>");
  return text;
}

function scopesOf(text: string | undefined): readonly Scope[] {
  if (text === "all") return scopes;
  return (text ?? "").split(",").map((name) => {
    const parsed = scope.safeParse(name.trim());
    if (!parsed.success)
      throw new Error(`--scopes: ${JSON.stringify(name)} is not one of ${scopes.join(", ")}`);
    return parsed.data;
  });
}

async function createKey(sql: Sql, args: readonly string[]): Promise<string[]> {
  const text = { type: "string" } as const;
  const options = {
    tenant: text,
    mode: text,
    principal: text,
    scopes: text,
    name: text,
    ip: text,
    expires: text,
  };
  const { values } = parseArgs({ args: [...args], options });
  const wantedMode = mode.safeParse(values.mode);
  if (!wantedMode.success) throw new Error("--mode must be Test or Live");
  if (values.principal === undefined)
    throw new Error("--principal is required: the person or system that the key acts for");
  const expiresAt = values.expires === undefined ? undefined : new Date(values.expires);
  if (expiresAt !== undefined && !(expiresAt.getTime() > Date.now()))
    throw new Error("--expires must be a future time, such as 2031-01-31T00:00:00Z");
  const { id, key } = await createOperatorKey(sql, {
    tenant: await tenantOf(sql, values.tenant),
    mode: wantedMode.data,
    principal: values.principal,
    scopes: scopesOf(values.scopes),
    ...(values.name === undefined ? {} : { name: values.name }),
    ...(values.ip === undefined ? {} : { ipAllowlist: values.ip.split(",").map((block) => block.trim()) }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
  return [`${id}  ${key}`, "Save it now: it is not shown again."];
}

async function keysOf(sql: Sql, name: string | undefined): Promise<string[]> {
  const keys = await listKeysForOperator(sql, await tenantOf(sql, name));
  return keys.map((key) => {
    const end = key.revokedAt === null ? (key.expiresAt?.toISOString() ?? "no expiry") : "revoked";
    return `${key.id}  ${key.shown}  ${key.principal}  ${end}  ${key.scopes.join(",")}`;
  });
}

async function run(
  { sql, outbox }: Work,
  command: string | undefined,
  args: readonly string[],
): Promise<string[]> {
  const [name] = args;
  switch (command) {
    case "list":
      return (await listTenants(sql)).flatMap(({ id, status, name: called }) => [
        `${id}  ${status.padEnd(9)}  ${called}`,
        `  Test ${bookIdOf(id, "Test")}  Live ${bookIdOf(id, "Live")}`,
      ]);
    case "create":
      return [(await createTenant(sql, name ?? "")).id];
    case "suspend":
      return [
        (await suspendTenant({ sql, outbox }, await tenantOf(sql, name))) ? "suspended" : "already suspended",
      ];
    case "reactivate":
      return [
        (await reactivateTenant({ sql, outbox }, await tenantOf(sql, name)))
          ? "active again"
          : "already active",
      ];
    case "keys":
      return keysOf(sql, name);
    case "create-key":
      return createKey(sql, args);
    case "revoke-key":
      await revokeKey({ sql, outbox }, keyIdOf(name));
      return ["revoked"];
    default:
      throw new Error(`unknown command ${String(command)}\n${usage}`);
  }
}

await runTool(async () => {
  const [command, ...args] = process.argv.slice(2);
  if (command === undefined) throw new Error(usage);
  if ([command, ...args].some((text) => text === "help" || text === "--help" || text === "-h")) {
    console.log(usage);
    return;
  }
  const lines = await asGateway((unit) => run(unit, command, args));
  for (const line of lines) console.log(line);
});
