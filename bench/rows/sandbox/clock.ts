/** How long the sandbox takes to move a Manual clock: one step of an idle book, and many orders through one cutoff. */
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { median } from "../../measure.ts";
import type { Options } from "../../options.ts";
import { bounded, type Row } from "../../report.ts";
import type { Stage } from "../../stage.ts";
import { SandboxBook } from "./sandbox-book.ts";

const idleSteps = 50;
const orders = 1_000;
const ordersAtOnce = 32;
const hourMs = 3_600_000;
/** Friday, 17:00 in New York: the Ach window has closed for the weekend. */
const fridayEvening = "2027-03-05T22:00:00.000Z";

export async function measureClock(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  return [await measureIdleStep(stage, log), await measureCutoff(stage, options, log)];
}

async function measureIdleStep(stage: Stage, log: (line: string) => void): Promise<Row> {
  const book = await SandboxBook.open(stage, "Idle");
  await book.setClock({ mode: "Manual", startAt: fridayEvening });
  const tookMs: number[] = [];
  for (let step = 1; step <= idleSteps; step += 1) {
    const to = new Date(Date.parse(fridayEvening) + step * hourMs).toISOString();
    const startedAt = performance.now();
    const { steps } = await book.advance({ to });
    if (steps !== 1) throw new Error(`an idle book took ${String(steps)} steps`);
    tookMs.push(performance.now() - startedAt);
  }
  log(`a step of an idle book takes ${median(tookMs).toFixed(1)} ms`);
  const note = `median of ${String(idleSteps)} advances of one hour, from the request to the answer; the longest ${Math.max(...tookMs).toFixed(0)} ms`;
  return bounded("An advance of an idle book's clock", median(tookMs), { floor: 50, goal: 50, unit: "ms" }, [
    note,
  ]);
}

async function measureCutoff(stage: Stage, { rounds }: Options, log: (line: string) => void): Promise<Row> {
  const seconds: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const book = await SandboxBook.open(stage, `Cutoff ${String(round)}`);
    await book.setClock({ mode: "Manual", startAt: fridayEvening });
    await payAll(book);
    const startedAt = performance.now();
    await book.advance({ nextWindow: "Ach" });
    seconds.push((performance.now() - startedAt) / 1_000);
    await proveHandedOff(stage, book);
    log(`round ${String(round)}  ${String(orders)} orders: ${(seconds.at(-1) ?? 0).toFixed(2)} s`);
  }
  const list = seconds.map((one) => one.toFixed(2)).join(", ");
  const what = `${String(orders)} orders through one Ach opening`;
  return bounded(what, median(seconds), { floor: 5, goal: 5, unit: "s" }, [`seconds of each round: ${list}`]);
}

async function payAll(book: SandboxBook): Promise<void> {
  let left = orders;
  const payOneByOne = async () => {
    while (left > 0) {
      left -= 1;
      await book.payByAch();
    }
  };
  await Promise.all(Array.from({ length: ordersAtOnce }, payOneByOne));
}

/** Throws unless the rail has accepted all orders of the book. */
async function proveHandedOff({ admin }: Stage, { ledgerAccountId }: SandboxBook): Promise<void> {
  const { rows } = await admin.query<{ count: number }>(
    `select count(*)::int as count
     from orders.payment_order
     where ledger_account_id = $1 and status = 'Processing' and progress #>> '{rail,reference}' is not null`,
    [uuidOf(ledgerAccountId as `la_${string}`)],
  );
  const count = rows[0]?.count ?? 0;
  if (count !== orders) throw new Error(`${String(count)} of ${String(orders)} orders are at their rail`);
}
