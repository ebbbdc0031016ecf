/** `--against COMMIT`: measures this tree and another commit by turns, each with its own bench and servers. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createProcessGroup } from "../../scripts/local/processes/processes.ts";
import { comparisonTable, failuresOf } from "./comparison.ts";
import type { Group, Options } from "../options.ts";
import type { Row } from "../report.ts";
import { type Compared, measureRounds, type Turn } from "./rounds.ts";
import { checkOut, type Tree, thisTree } from "./tree.ts";

const stopWithinMs = 60_000;
/** One turn of all groups takes minutes, so a turn that takes this long hangs. */
const turnWithinMs = 30 * 60_000;

/**
 * Measures, prints the table and writes `results/<date>-against-<commit>.json` after each round. Removes the other tree
 * again. The exit code is 1 if a turn lacks what it was to measure.
 */
export async function measureAgainst(commit: string, options: Options, signal: AbortSignal): Promise<void> {
  const group = createProcessGroup((line) => {
    // The table of each turn is not shown: its result file has it.
    if (/\| {2}(round \d|not measured:)/.test(line)) console.log(line);
  });
  const other = await checkOut(commit);
  signal.addEventListener("abort", () => void group.stopAll());
  try {
    const run = async (tree: Tree, only: readonly Group[], pace: number | undefined) => {
      signal.throwIfAborted();
      const turn = await runBench(group, tree, turnArguments(options, only, pace));
      signal.throwIfAborted();
      return turn;
    };
    const pace = options.pace ?? (await paceFor(options, run));
    const only = [...options.only];
    const file = await openFile(other.name);
    const plan = { rounds: options.rounds, only, pace, ours: thisTree, theirs: other };
    let last: Compared | undefined;
    try {
      await measureRounds(
        plan,
        (tree) => run(tree, only, pace),
        async (compared) => {
          last = compared;
          const { hasFailed: _, ...rest } = compared;
          await writeFile(file, `${JSON.stringify({ against: other.name, pace, ...rest }, null, 2)}\n`);
        },
        (line) => console.log(line),
      );
    } finally {
      if (last !== undefined) show(last, other.name, file);
    }
  } finally {
    await group.stopAll();
    await other.remove();
  }
}

/** Both trees get the same load for the latency rows: half of what this tree can do. */
async function paceFor(
  { only }: Options,
  run: (tree: Tree, only: readonly Group[], pace: undefined) => Promise<Turn>,
): Promise<number | undefined> {
  if (!only.has("latency")) return undefined;
  console.log("\nmeasuring the capacity, for the pace of the latency rows");
  const { rows, failure } = await run(thisTree, ["orders"], undefined);
  const capacity = rows[0]?.figures?.[0]?.medianRate;
  if (capacity === undefined) {
    const why = failuresOf(rows, ["orders"])[0] ?? failure ?? "no row";
    throw new Error(`the capacity could not be measured (${why}): give --pace`);
  }
  return Math.max(1, Math.round(capacity / 2));
}

function turnArguments(options: Options, only: readonly Group[], pace: number | undefined): string[] {
  const values = {
    rounds: 1,
    seconds: options.seconds,
    "warm-up": options.warmUpSeconds,
    "in-flight": options.inFlight,
    events: options.eventTypes.join(),
    only: only.join(),
    ...(pace === undefined ? {} : { pace }),
  };
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

/** One turn, read from the file that the tree's own bench wrote. */
async function runBench(
  group: ReturnType<typeof createProcessGroup>,
  tree: Tree,
  args: readonly string[],
): Promise<Turn> {
  const results = join(tree.folder, "bench/results");
  const filesOf = async () =>
    (await readdir(results).catch(() => [])).filter((name) => name.endsWith(".json"));
  const known = new Set(await filesOf()); // the first result creates the folder
  const child = await group.start({
    name: tree.name,
    command: join(tree.folder, "node_modules/.bin/node"),
    args: ["bench/run.ts", ...args],
    cwd: tree.folder,
    stopWithinMs,
  });
  const alarm = setTimeout(() => void child.stop(), turnWithinMs);
  const { code, signal } = await child.exited;
  clearTimeout(alarm);
  const how = signal ?? String(code);
  const [written] = (await filesOf()).filter((name) => !known.has(name));
  if (written === undefined) return { rows: [], failure: `its bench ended without a result (${how})` };
  const { rows } = JSON.parse(await readFile(join(results, written), "utf8")) as { rows: Row[] };
  return { rows, failure: code === 0 ? undefined : `its bench ended with ${how}` };
}

async function openFile(commit: string): Promise<string> {
  const folder = join(thisTree.folder, "bench/results");
  await mkdir(folder, { recursive: true });
  const at = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  return join(folder, `${at}-against-${commit}.json`);
}

function show({ comparisons, missing, hasFailed }: Compared, otherName: string, file: string): void {
  console.log(`\n${comparisonTable(comparisons, otherName, missing)}\n\n${file}`);
  if (hasFailed) process.exitCode = 1;
}
