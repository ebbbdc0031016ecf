/** Profiles: statements by time, and self time by function of each service's CPU profile. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Stage } from "./stage.ts";

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}
interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Saves the statements by time beside the profiles that the services write when they end. */
export async function saveStatements(stage: Stage, folder: string): Promise<void> {
  const { rows } = await stage.admin.query(
    `select r.rolname as role, s.calls::float8 as calls, round(s.total_exec_time::numeric) as ms,
            round(s.mean_exec_time::numeric, 3) as mean_ms, round((s.rows / greatest(s.calls, 1)::numeric), 1) as rows_each,
            left(regexp_replace(s.query, '\\s+', ' ', 'g'), 160) as statement
     from pg_stat_statements s join pg_roles r on r.oid = s.userid
     order by s.total_exec_time desc limit 60`,
  );
  await writeFile(join(folder, "statements.json"), rows.map((row) => JSON.stringify(row)).join("\n"));
}

/** Self time by function of every profile in a folder, the most expensive first, as text. */
export async function summarise(folder: string, most: number): Promise<string> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".cpuprofile"));
  const parts = await Promise.all(
    files.map(async (name) =>
      summaryOf(name, JSON.parse(await readFile(join(folder, name), "utf8")) as CpuProfile, most),
    ),
  );
  return parts.join("\n\n");
}

function summaryOf(name: string, profile: CpuProfile, most: number): string {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const byFunction = new Map<string, number>();
  const byPackage = new Map<string, number>();
  let sum = 0;
  profile.samples.forEach((id, index) => {
    const us = profile.timeDeltas[index] ?? 0;
    const line = lineOf(nodes.get(id));
    if (line.startsWith("(idle)") || line.startsWith("(program)")) return;
    const owner = ownerOf(id, nodes, parents);
    // Loading modules happens once and is not part of the cost per operation.
    if (owner === "start-up") return;
    sum += us;
    byFunction.set(line, (byFunction.get(line) ?? 0) + us);
    byPackage.set(owner, (byPackage.get(owner) ?? 0) + us);
  });
  const lines = (times: ReadonlyMap<string, number>) =>
    [...times]
      .sort(([, a], [, b]) => b - a)
      .slice(0, most)
      .map(
        ([what, us]) =>
          `${((us / sum) * 100).toFixed(1).padStart(5)} %  ${(us / 1e3).toFixed(0).padStart(7)} ms  ${what}`,
      );
  return [`${name}: ${(sum / 1e6).toFixed(1)} s busy`, ...lines(byPackage), "", ...lines(byFunction)].join(
    "\n",
  );
}

function lineOf(node: ProfileNode | undefined): string {
  const { functionName = "", url = "", lineNumber = -1 } = node?.callFrame ?? {};
  return `${functionName || "(anonymous)"} ${url.replace(/^.*?(node_modules|dist)\//, "")}:${String(lineNumber + 1)}`;
}

/**
 * The nearest caller that is a service, a chunk or a package that is not bundled. A bundled package counts for the
 * service or chunk that it is in, and Node's own functions count for their callers.
 */
function ownerOf(
  id: number,
  nodes: ReadonlyMap<number, ProfileNode>,
  parents: ReadonlyMap<number, number>,
): string {
  for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
    const { url, functionName } = nodes.get(at)?.callFrame ?? { url: "", functionName: "" };
    if (url.startsWith("node:internal/modules/") || functionName === "evaluate") return "start-up";
    const ours = /\/dist\/(services\/[^/]+|chunks\/.+?)(?:\/|-[\w-]{8}\.js$)/.exec(url)?.[1];
    const theirs = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
    if (theirs !== undefined || ours !== undefined) return theirs ?? ours ?? "";
    if (functionName === "(garbage collector)") return functionName;
  }
  return "Node itself";
}
