/** The rows and tables that a statement reads, by its executed plan, to test that a list uses its index. */
import type { EntityManager } from "@mikro-orm/postgresql";
import pg from "pg";
import type { Sql } from "../../../services/platform/persistence/sql.ts";

export interface Reads {
  /** Tables that were read from end to end, and not empty. */
  readonly sequentialScans: readonly string[];
  /** Rows of tables that were read, including those that a filter removed. */
  readonly rows: number;
}

/** With the pages of 8 KiB, of indexes too: they show the index entries that were read and did not match. */
export interface PageReads extends Reads {
  readonly pages: number;
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Shared Hit Blocks": number;
  readonly "Shared Read Blocks": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Runs the statement with a plan for these values, as a connection's first executions do. */
export async function readsOf(sql: Sql, text: string, params: readonly unknown[] = []): Promise<PageReads> {
  const [row] = await sql<Explained>(`explain (analyze, buffers, timing off, format json) ${text}`, params);
  return countedIn(row);
}

/**
 * The same with the generic plan, which a connection may use from the sixth execution on. An `explain` with parameters
 * never shows that plan, so the values are written into the `execute`. `client` must be the test's own.
 */
export async function readsOfKeptPlan(
  client: pg.Client,
  text: string,
  params: readonly unknown[],
): Promise<PageReads> {
  await client.query("set plan_cache_mode = force_generic_plan");
  await client.query(`prepare kept as ${text}`);
  const values = params.map((value) =>
    value === null ? "null" : pg.escapeLiteral(typeof value === "string" ? value : literalOf(value)),
  );
  const { rows } = await client.query<Explained>(
    `explain (analyze, buffers, timing off, format json) execute kept (${values.join(", ")})`,
  );
  await client.query("deallocate kept");
  return countedIn(rows[0]);
}

/** A list of texts or numbers is an array of Postgres; everything else is JSON. */
function literalOf(value: unknown): string {
  return Array.isArray(value) && typeof value[0] !== "object"
    ? `{${value.map((each) => JSON.stringify(String(each))).join(",")}}`
    : JSON.stringify(value);
}

/** The statements that an EntityManager sends from now on. */
export function statementsOf(em: EntityManager): readonly string[] {
  const sent: string[] = [];
  const inner = em.getTransactionContext<{ executeQuery(query: { sql: string }): Promise<unknown> }>();
  em.setTransactionContext({
    executeQuery: (query: { sql: string }) => {
      sent.push(query.sql);
      return inner?.executeQuery(query);
    },
  });
  return sent;
}

interface Explained {
  readonly "QUERY PLAN": [{ Plan: PlanNode }];
}

function countedIn(row: Explained | undefined): PageReads {
  if (row === undefined) throw new Error("no plan came");
  const { Plan: root } = row["QUERY PLAN"][0];
  const nodes = nodesOf(root);
  const tables = nodes.filter((node) => node["Relation Name"] !== undefined);
  return {
    sequentialScans: tables
      .filter((node) => node["Node Type"].includes("Seq Scan") && rowsOf(node) > 0)
      .map((node) => node["Relation Name"] ?? ""),
    rows: tables.reduce((sum, node) => sum + rowsOf(node), 0),
    pages: root["Shared Hit Blocks"] + root["Shared Read Blocks"],
  };
}

function rowsOf(node: PlanNode): number {
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return Math.round((node["Actual Rows"] + removed) * node["Actual Loops"]);
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
