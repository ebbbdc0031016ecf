/** Where the time goes: statements by time, and self time by function of each service's CPU profile. */
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Stage } from "./stage.ts";

interface CpuProfile {
  readonly nodes: readonly {
    id: number;
    callFrame: { functionName: string; url: string; lineNumber: number };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Keeps the statements by time, beside the profiles that the services write when they end. */
export async function keepStatements(stage: Stage, folder: string): Promise<void> {
  const { rows } = await stage.admin.query(
    `select r.rolname as role, s.calls::float8 as calls, round(s.total_exec_time::numeric) as ms,
            round(s.mean_exec_time::numeric, 3) as mean_ms, round((s.rows / greatest(s.calls, 1)::numeric), 1) as rows_each,
            left(regexp_replace(s.query, '\\s+', ' ', 'g'), 160) as statement
     from pg_stat_statements s join pg_roles r on r.oid = s.userid
     order by s.total_exec_time desc limit 60`,
  );
  await writeFile(join(folder, "statements.json"), rows.map((row) => JSON.stringify(row)).join("\n"));
}

/** Self time by function of every profile in a folder, the dearest first, as text. */
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
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]));
  const selfUs = new Map<string, number>();
  profile.samples.forEach((id, index) => {
    const frame = frames.get(id);
    const place = `${frame?.functionName || "(anonymous)"} ${(frame?.url ?? "").replace(/^.*?(node_modules|dist)\//, "")}:${String((frame?.lineNumber ?? -1) + 1)}`;
    selfUs.set(place, (selfUs.get(place) ?? 0) + (profile.timeDeltas[index] ?? 0));
  });
  const busy = [...selfUs].filter(([place]) => !place.startsWith("(idle)") && !place.startsWith("(program)"));
  const sum = busy.reduce((total, [, us]) => total + us, 0);
  const lines = busy
    .sort(([, a], [, b]) => b - a)
    .slice(0, most)
    .map(
      ([place, us]) =>
        `${((us / sum) * 100).toFixed(1).padStart(5)} %  ${(us / 1e3).toFixed(0).padStart(7)} ms  ${place}`,
    );
  return [`${name}: ${(sum / 1e6).toFixed(1)} s busy`, ...lines].join("\n");
}
