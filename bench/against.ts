/** `--against COMMIT`: measures this tree and another commit by turns, each with its own bench and servers. */
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createProcessGroup } from "../scripts/local/processes.ts";
import { compareRounds, comparisonTable, readingsOf, type Round } from "./comparison.ts";
import { checkOut, type Tree, thisTree } from "./tree.ts";
import type { Group, Options } from "./options.ts";
import type { Row } from "./report.ts";

const stopWithinMs = 60_000;
/** One turn of all groups takes minutes, so a turn that takes this long hangs. */
const turnWithinMs = 30 * 60_000;

/** Measures, prints the table and writes `results/<date>-against-<commit>.json`. Removes the other tree again. */
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
      const rows = await runBench(group, tree, turnArguments(options, only, pace));
      signal.throwIfAborted();
      return rows;
    };
    const pace = options.pace ?? (await paceFor(options, run));
    const only = [...options.only];
    const rounds: Round[] = [];
    for (let round = 1; round <= options.rounds; round++) {
      console.log(`\nround ${String(round)} of ${String(options.rounds)}`);
      const before = readingsOf(await run(thisTree, only, pace));
      const theirs = readingsOf(await run(other, only, pace));
      const after = readingsOf(await run(thisTree, only, pace));
      rounds.push({ before, other: theirs, after });
    }
    const comparisons = compareRounds(rounds);
    const file = await saveComparison(other.name, { against: other.name, pace, comparisons, rounds });
    console.log(`\n${comparisonTable(comparisons, other.name)}\n\n${file}`);
  } finally {
    await group.stopAll();
    await other.remove();
  }
}

/** Both trees get the same load for the latency rows: half of what this tree can do. */
async function paceFor(
  { only }: Options,
  run: (tree: Tree, only: readonly Group[], pace: undefined) => Promise<readonly Row[]>,
): Promise<number | undefined> {
  if (!only.has("latency")) return undefined;
  console.log("\nmeasuring the capacity, for the pace of the latency rows");
  const [orders] = await run(thisTree, ["orders"], undefined);
  const capacity = orders?.figures?.[0]?.medianRate;
  if (capacity === undefined) throw new Error("the capacity could not be measured: give --pace");
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

/** The rows of one turn, read from the file that the tree's own bench wrote. */
async function runBench(
  group: ReturnType<typeof createProcessGroup>,
  tree: Tree,
  args: readonly string[],
): Promise<readonly Row[]> {
  const results = join(tree.folder, "bench/results");
  const known = new Set(await readdir(results).catch(() => [])); // the first result creates the folder
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
  const [written] = (await readdir(results).catch(() => [])).filter((name) => !known.has(name));
  if (written === undefined) {
    throw new Error(`the bench of ${tree.name} ended without a result (${signal ?? String(code)})`);
  }
  return (JSON.parse(await readFile(join(results, written), "utf8")) as { rows: Row[] }).rows;
}

async function saveComparison(commit: string, comparison: object): Promise<string> {
  const folder = join(thisTree.folder, "bench/results");
  await mkdir(folder, { recursive: true });
  const at = new Date().toISOString().slice(0, 19).replaceAll(":", "-");
  const file = join(folder, `${at}-against-${commit}.json`);
  await writeFile(file, `${JSON.stringify(comparison, null, 2)}\n`);
  return file;
}
