/** The rounds of a comparison: in each, this tree, the other one, and this tree again. */
import {
  type Comparison,
  compareRounds,
  failuresOf,
  incompleteRows,
  type Reading,
  readingsOf,
  type Round,
} from "./comparison.ts";
import type { Group } from "../options.ts";
import type { Row } from "../report.ts";

/** What one run of a tree's bench left. */
export interface Turn {
  /** Empty without a result. */
  readonly rows: readonly Row[];
  /** Why it is not what it should be, unless a row says so. */
  readonly failure: string | undefined;
}

export interface Compared {
  readonly comparisons: readonly Comparison[];
  /** What the comparison lacks, and why. */
  readonly missing: readonly string[];
  readonly rounds: readonly Round[];
  /** Whether a turn lacks what it was to measure. A row that only one tree's bench has is no failure. */
  readonly hasFailed: boolean;
}

export interface Plan<Tree> {
  readonly rounds: number;
  readonly only: readonly Group[];
  /** Orders per second of the latency rows, the same for both trees. */
  readonly pace: number | undefined;
  readonly ours: Tree;
  readonly theirs: Tree;
}

/** Measures round by round. `save` gets everything so far after each round. */
export async function measureRounds<Tree extends { readonly name: string }>(
  { rounds: count, only, pace, ours, theirs }: Plan<Tree>,
  run: (tree: Tree) => Promise<Turn>,
  save: (compared: Compared) => Promise<unknown>,
  log: (line: string) => void,
): Promise<void> {
  const rounds: Round[] = [];
  const failures: string[] = [];
  const turn = async (tree: Tree, round: number): Promise<Reading[]> => {
    const { rows, failure } = await run(tree);
    const ofRows = failuresOf(rows, only);
    const all = failure === undefined || ofRows.length > 0 ? ofRows : [failure];
    failures.push(...all.map((why) => `round ${String(round)}, ${tree.name}: ${why}`));
    return readingsOf(rows, pace);
  };
  for (let round = 1; round <= count; round++) {
    log(`\nround ${String(round)} of ${String(count)}`);
    const before = await turn(ours, round);
    const other = await turn(theirs, round);
    rounds.push({ before, other, after: await turn(ours, round) });
    const comparisons = compareRounds(rounds);
    const missing = [...failures, ...incompleteRows(rounds, theirs.name)];
    const hasFailed = failures.length > 0 || comparisons.length === 0;
    await save({ comparisons, missing, rounds: [...rounds], hasFailed });
  }
}
