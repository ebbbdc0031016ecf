/** What the operator does in the gateway's own tables. */
import { Refusal } from "../../../contracts/errors.ts";
import { isId, type TenantId } from "../../../contracts/ids/ids.ts";
import { findTenant, findTenantByName } from "../../../services/api-gateway/tenants/store/tenants.ts";
import { OutboxWriter } from "../../../services/platform/outbox/outbox.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import { operatorDatabase, sqlOf } from "../command-line/connections.ts";
import { type Given, Misuse } from "../command-line/given.ts";

export interface Work {
  readonly sql: Sql;
  readonly outbox: OutboxWriter;
}

const partitions = Number(process.env["PARTITIONS"] ?? "1");

/**
 * Runs `work` in one transaction as the gateway's role. Its messages are written to the outbox; a running gateway
 * publishes them within about a second, and reads the change itself within one.
 */
export async function asGateway<T>(work: (unit: Work) => Promise<T>): Promise<T> {
  const client = await operatorDatabase();
  const sql = sqlOf(client);
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

/** The text that names a tenant: its id or its name. */
export function checkTenant(text: string): void {
  if (text.trim() === "") throw new Misuse("name the tenant, by its id or name; see npm run tenants -- list");
}

export async function tenantOf(sql: Sql, text: string): Promise<TenantId> {
  const tenant = isId("ten", text) ? await findTenant(sql, text) : await findTenantByName(sql, text);
  if (tenant === undefined)
    throw new Error(`no tenant ${isId("ten", text) ? "" : "named "}${text}; see npm run tenants -- list`);
  return tenant.id;
}

/** What the service would refuse is wrong on the command line, and named before anything is connected. */
export function asMisuse<T>(argument: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof Refusal) throw new Misuse(`${argument}: ${error.message}`);
    throw error;
  }
}

/** Prints what was done, or found. */
export type Report = () => void;

/** A command that is one transaction. It reports once that is committed: before, a key that it prints may not exist. */
export const inGateway =
  (act: (unit: Work, given: Given) => Promise<Report>) =>
  async (given: Given): Promise<void> => {
    const report = await asGateway((unit) => act(unit, given));
    report();
  };
