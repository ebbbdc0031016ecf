/** What only the operator can do and see. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import type { NatsConnection } from "@nats-io/transport-node";
import pg from "pg";
import type { Scope } from "../../../contracts/http/scopes.ts";
import type { Mode, TenantId } from "../../../contracts/ids/ids.ts";
import { type Service, services } from "../../../contracts/message.ts";
import { type SeededTenant, seedTenant } from "../../../scripts/local/demo/seed.ts";
import { OutboxWriter } from "../../../services/platform/outbox/outbox.ts";
import { createKeyAsOperator } from "../../../services/api-gateway/keys/create-key-as-operator.ts";
import { connectNats } from "../../../services/platform/nats/connection.ts";
import type { World } from "../world.ts";

/** The URL by which a service connects to the world's database. */
export function databaseUrlOf(world: World, service: Service): string {
  const url = new URL(world.system.adminUrl);
  url.username = service;
  url.password = world.system.secrets.rolePasswords[service];
  return url.href;
}

/** The world's NATS as one of its users; the caller closes it. */
export function natsAs(world: World, user: Service | "operator"): Promise<NatsConnection> {
  return connectNats({
    NATS_URL: world.system.natsUrl,
    NATS_USER: user,
    NATS_PASSWORD: world.system.secrets.natsPasswords[user],
  });
}

/** Another tenant with its own keys. */
export function seedOtherTenant(world: World, name: string): Promise<SeededTenant> {
  return seedTenant(databaseUrlOf(world, "gateway"), world.tenantName(name));
}

/** One more key of the tenant, created as by the operator's command line. */
export async function issueAnotherKey(
  world: World,
  key: { principal: string; mode: Mode; scopes: readonly Scope[] },
): Promise<string> {
  const client = new pg.Client(databaseUrlOf(world, "gateway"));
  await client.connect();
  try {
    const sql = async <R extends object>(text: string, params: readonly unknown[] = []) =>
      (await client.query(text, [...params])).rows as R[];
    const tenant: TenantId = world.tenant.tenant.id;
    const outbox = new OutboxWriter(1);
    const made = await createKeyAsOperator({ sql, outbox }, { tenant, ...key });
    // The relay publishes what it finds here.
    await outbox.write(sql);
    return made.key;
  } finally {
    await client.end();
  }
}

/** Before the errors of a command that changes something: who runs it. */
const lineOfTheLog = /^\{.*"an operator runs a command"\}\n/;

/** Runs one of the operator's commands. Its code is not 0 if it failed; its errors are without the log's line. */
export function operatorRuns(
  world: World,
  tool: "books" | "dlq" | "encryption" | "orders" | "prove" | "tenants" | "versions" | "webhooks",
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    ...process.env,
    DATABASE_URL: world.system.adminUrl,
    NATS_URL: world.system.natsUrl,
    NATS_PASSWORD: world.system.secrets.natsPasswords.operator,
    ...more,
  };
  const script = join(import.meta.dirname, `../../../scripts/operator/${tool}.ts`);
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...args], { env }, (error, stdout, stderr) => {
      resolve({
        code: error === null ? 0 : Number(error.code),
        stdout,
        stderr: stderr.replace(lineOfTheLog, ""),
      });
    });
  });
}

/** Every table of the five services, without partitions. */
export async function tablesOf(world: World): Promise<string[]> {
  const rows = await world.rows<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any ($1)
       and c.relkind in ('r', 'p')
       and not c.relispartition
     order by 1`,
    [[...services]],
  );
  return rows.map(({ name }) => name);
}

/**
 * Tables that are written in the background and not by a request: the auditor's progress, and the usage of API
 * versions and the refused requests, which are added every few seconds.
 */
const writtenInBackground = new Set(["ledger.audit", "gateway.version_use", "gateway.refused_request"]);

/** The number of rows of each table that requests write. If it is equal before and after, nothing was inserted. */
export async function rowCounts(world: World): Promise<Record<string, number>> {
  const tables = (await tablesOf(world)).filter((table) => !writtenInBackground.has(table));
  const counts = tables.map((table) => `select '${table}' as name, count(*)::int as rows from ${table}`);
  // Named, so that Postgres plans it once: it reads hundreds of partitions.
  const { rows } = await world.admin.query<{ name: string; rows: number }>({
    name: "row counts",
    text: counts.join(" union all "),
  });
  return Object.fromEntries(rows.map((row) => [row.name, row.rows]));
}
