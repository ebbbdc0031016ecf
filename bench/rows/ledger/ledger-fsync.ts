/** The effect of group commit: the same journals on a disk that takes 2 ms to flush, in batches and one by one. */
import { type Contender, interleave, watch } from "../../measures/measure.ts";
import type { Options } from "../../options.ts";
import { compared, type Row } from "../../report.ts";
import type { Stage } from "../../stage.ts";
import { startWorker } from "../../worker.ts";
import type { FromRowPoster, ToRowPoster } from "../../workers/row-poster.ts";
import { journals, openBook } from "./ledger-flow.ts";

const connections = 8;
/** `commit_delay` makes each flush wait first, even without concurrent commits, like a slower disk. */
const flushUs = 2_000;

export async function measureLedgerFsync(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const book = await openBook(stage, log);
  const worker = startWorker<ToRowPoster, FromRowPoster>(
    "row poster",
    new URL("../../../dist/bench/workers/row-poster.js", import.meta.url),
  );
  const meter = stage.meter.with("row poster", worker.pid);
  const oneByOne: Contender = {
    name: "one journal per transaction",
    run: async (seconds) => {
      let operations = 0;
      const measured = await watch(
        meter,
        () => operations,
        async () => {
          const url = stage.databaseUrlOf("ledger");
          worker.send({ kind: "run", url, book, connections, seconds });
          const ran = await worker.answer("a round", (message) => message, (seconds + 60) * 1_000);
          if (ran.failure !== undefined) throw new Error(ran.failure);
          operations = ran.operations;
        },
      );
      return { ...measured, seconds };
    },
  };
  const together = journals(stage, [book], "hot journals");
  await slowFlushes(stage, flushUs);
  try {
    for (const contender of [together, oneByOne])
      await contender.run(Math.max(1, Math.round(options.warmUpSeconds / 3)));
    const [ours, theirs] = await interleave([together, oneByOne], options, log);
    if (!ours || !theirs) throw new Error("a contender is missing");
    return [
      compared(ours, theirs, {
        what: "Ledger transfers/s, hot, on a disk with a 2 ms fsync",
        floor: 50,
        goal: 80,
      }),
    ];
  } finally {
    await slowFlushes(stage, 0);
    await worker.stop();
  }
}

async function slowFlushes({ admin }: Stage, us: number): Promise<void> {
  await admin.query(`alter system set commit_delay = ${String(us)}`);
  await admin.query(`alter system set commit_siblings = ${us === 0 ? "5" : "0"}`);
  await admin.query("select pg_reload_conf()");
}
