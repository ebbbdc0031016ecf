/** Two and four ledgers on the same books: their rates, and a proof of the books afterwards. */
import { type Figure, interleave } from "../../measures/measure.ts";
import type { Options } from "../../options.ts";
import { compared, type Row, withoutBounds } from "../../report.ts";
import type { Stage } from "../../stage.ts";
import type { Book } from "../../workers/publisher.ts";
import { journals, openBook } from "./ledger-flow.ts";
import { mustBeSound } from "./ledger-proof.ts";

const bookCount = 4;

/**
 * One book's hot account, and four books by turns, with two and with four instances, beside one instance a moment
 * before. All run on one machine, so more of them can't be faster than its cores: the rows show what sharing costs.
 * Throws if a book fails its proof afterwards. The instances keep running, so measure this last.
 */
export async function measureLedgerInstances(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const books: Book[] = [];
  while (books.length < bookCount) books.push(await openBook(stage, log));
  const first = books.slice(0, 1);
  let { meter } = stage;
  const measure = async (instances: string): Promise<readonly Figure[]> => {
    const one = journals(stage, first, "hot journals", { name: `one book, ${instances}`, meter });
    const four = journals(stage, books, "hot journals", { name: `four books, ${instances}`, meter });
    await four.run(2);
    return interleave([one, four], options, log);
  };
  const alone = await measure("one instance");
  const rows: Row[] = [];
  for (let count = 2; count <= 4; count++) {
    const { child } = await stage.startOneMore("ledger");
    meter = meter.with(`ledger ${String(count)}`, child.pid);
    if (count === 3) continue;
    const shared = await measure(`${String(count)} instances`);
    const { seconds } = await mustBeSound(stage, books);
    rows.push(
      ...shared.flatMap((figure, index) => {
        const baseline = alone[index];
        return baseline === undefined ? [] : [rowOf(figure, baseline, seconds)];
      }),
    );
  }
  return rows;
}

function rowOf(figure: Figure, baseline: Figure, seconds: number): Row {
  const row = compared(figure, baseline, { what: `Hot transfers/s, ${figure.name}`, floor: 0, goal: 0 });
  const proven = `all four books proven in ${seconds.toFixed(1)} s`;
  return { ...withoutBounds(row), notes: [...row.notes, proven] };
}
