/** How long the sandbox takes to move a Manual clock: one step of an idle book, and many orders through one cutoff. */
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { median } from "../../measures/measure.ts";
import type { Options } from "../../options.ts";
import { bounded, type Row } from "../../report.ts";
import type { Stage } from "../../stage.ts";
import { addRule, SandboxBook } from "./sandbox-book.ts";

const idleSteps = 50;
const orders = 1_000;
const ordersAtOnce = 32;
const hourMs = 3_600_000;
/** Friday, 17:00 in New York: the Ach window has closed for the weekend. */
const fridayEvening = "2038-03-05T22:00:00.000Z";

export async function measureClock(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  return [await measureIdleStep(stage, options, log), await measureCutoff(stage, options, log)];
}

/** One advance through many steps. At each an outage ends, which is all that happens in the book. */
async function measureIdleStep(stage: Stage, { rounds }: Options, log: (line: string) => void): Promise<Row> {
  const msPerStep: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const book = await SandboxBook.open(stage, `Idle ${String(round)}`);
    await book.setClock({ mode: "Manual", startAt: fridayEvening });
    const hoursLater = (hours: number) => new Date(Date.parse(fridayEvening) + hours * hourMs).toISOString();
    for (let hours = 1; hours <= idleSteps; hours += 1) {
      await addRule(book.baseUrl, book.key, {
        match: { rail: "Rtp" },
        fault: "Outage",
        until: hoursLater(hours),
      });
    }
    const startedAt = performance.now();
    const { steps } = await book.advance({ to: hoursLater(idleSteps) });
    if (steps !== idleSteps) throw new Error(`an idle book took ${String(steps)} steps`);
    msPerStep.push((performance.now() - startedAt) / steps);
    log(`round ${String(round)}  a step of an idle book: ${(msPerStep.at(-1) ?? 0).toFixed(1)} ms`);
  }
  const list = msPerStep.map((one) => one.toFixed(1)).join(", ");
  const note = `advances of ${String(idleSteps)} steps, from the request to the answer; ms per step of each round: ${list}`;
  return bounded(
    "A step of an advance of an idle book",
    median(msPerStep),
    { floor: 50, goal: 50, unit: "ms" },
    [note],
  );
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
