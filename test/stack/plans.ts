/** What a statement reads, by the plan that Postgres ran: for tests that a list has its index. */
import type { Sql } from "../../services/platform/persistence/sql.ts";

export interface Reads {
  /** Tables that were read from end to end, and not empty. */
  readonly sequentialScans: readonly string[];
  /** Rows of tables that were looked at, those that a filter threw away too. */
  readonly rows: number;
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Index Recheck"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Runs the statement and counts. */
export async function readsOf(sql: Sql, text: string, params: readonly unknown[] = []): Promise<Reads> {
  const [row] = await sql<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) ${text}`,
    params,
  );
  if (row === undefined) throw new Error("no plan came");
  const nodes = nodesOf(row["QUERY PLAN"][0].Plan);
  const tables = nodes.filter((node) => node["Relation Name"] !== undefined);
  return {
    sequentialScans: tables
      .filter((node) => node["Node Type"].includes("Seq Scan") && rowsOf(node) > 0)
      .map((node) => node["Relation Name"] ?? ""),
    rows: tables.reduce((sum, node) => sum + rowsOf(node), 0),
  };
}

function rowsOf(node: PlanNode): number {
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  return Math.round((node["Actual Rows"] + removed) * node["Actual Loops"]);
}

function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}
