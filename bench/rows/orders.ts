/** Orders per second, POST to Completed with every leg posted and the webhook acknowledged, beside TPC-B. */
import { openTpcb } from "../measures/baselines.ts";
import { type Flow, measureFlow } from "../measures/flow.ts";
import { type Contender, interleave } from "../measures/measure.ts";
import type { Options } from "../options.ts";
import { compared, type Row } from "../report.ts";
import type { Stage } from "../stage.ts";
import { uuidOf } from "../../contracts/ids/ids.ts";

export async function measureOrders(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const baseline = await openTpcb(stage);
  try {
    const orders: Contender = {
      name: "orders",
      run: (seconds) => measureFlow(openOrderFlow(stage, options.inFlight), stage.meter, seconds),
    };
    const before = await bookCounts(stage);
    log(`warming up for ${String(options.warmUpSeconds)} s`);
    if (options.warmUpSeconds > 0) await orders.run(options.warmUpSeconds);
    const [ours, theirs] = await interleave([orders, baseline], options, log);
    if (ours === undefined || theirs === undefined) throw new Error("a contender is missing");
    await proveBooked(stage, before, log);
    return [
      compared(ours, theirs, {
        what: "Orders/s, POST → Completed, legs posted, webhook acknowledged",
        floor: 0.14,
        goal: 0.3,
      }),
    ];
  } finally {
    await baseline.close();
  }
}

/** Keeps `inFlight` orders between POST and webhook. Done is the number of orders that the receiver acknowledged. */
export function openOrderFlow({ payer, receiver }: Stage, inFlight: number): Flow {
  let done = 0;
  receiver.send({ kind: "count", what: "orders" });
  const off = receiver.on((message) => {
    if (message.kind !== "acknowledged") return;
    done += message.count;
    payer.send({ kind: "credit", count: message.count });
  });
  return {
    start: () => payer.send({ kind: "flow", inFlight }),
    halt: async () => {
      const halted = payer.answer("halting", (message) => (message.kind === "halted" ? message : undefined));
      payer.send({ kind: "halt" });
      const { accepted, refused } = await halted;
      if (refused.length > 0)
        throw new Error(`${String(refused.length)} POSTs failed; the first: ${refused[0] ?? ""}`);
      return accepted;
    },
    done: () => done,
    close: off,
  };
}

interface BookCounts {
  readonly completed: number;
  readonly settled: number;
  readonly entries: number;
}

async function bookCounts({ admin, tenant }: Stage): Promise<BookCounts> {
  const { rows } = await admin.query<BookCounts>(
    `select
       (select count(*)::int from orders.payment_order where book_id = $1 and status = 'Completed') as completed,
       (select count(*)::int from ledger.journal where book_id = $1 and kind = 'Settle') as settled,
       (select count(*)::int from ledger.entry where book_id = $1 and layer = 'Posted') as entries`,
    [uuidOf(tenant.tenant.testBook as `book_${string}`)],
  );
  const [counts] = rows;
  if (counts === undefined) throw new Error("the database counted nothing");
  return counts;
}

/** Throws if completed orders and booked money differ: then the rate means nothing. */
async function proveBooked(stage: Stage, before: BookCounts, log: (line: string) => void): Promise<void> {
  const after = await bookCounts(stage);
  const completed = after.completed - before.completed;
  const settled = after.settled - before.settled;
  const entries = after.entries - before.entries;
  if (completed !== settled || entries !== 2 * settled) {
    throw new Error(
      `${String(completed)} orders completed, ${String(settled)} settled with ${String(entries)} posted entries`,
    );
  }
  log(`${String(completed)} orders completed, each with its settlement and two posted entries`);
}
