/** Transfers per second through JetStream and every rule of the ledger, compared with a bare posting function. */
import { openBarePosting } from "../../measures/baselines.ts";
import { type Contender, interleave, type Measured } from "../../measures/measure.ts";
import type { Options } from "../../options.ts";
import { bounded, compared, type Row } from "../../report.ts";
import type { Stage } from "../../stage.ts";
import { accountCount, journals, openBook } from "./ledger-flow.ts";

export async function measureLedger(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const book = await openBook(stage, log);
  const bare = await openBarePosting(stage, accountCount);
  const hot = journals(stage, [book], "hot journals");
  const uniform = journals(stage, [book], "uniform journals");
  try {
    await hot.run(Math.max(1, Math.round(options.warmUpSeconds / 3)));
    const [ourHot, bareHot, ourUniform, bareUniform] = await interleave(
      [hot, bare.hot, uniform, bare.uniform],
      options,
      log,
    );
    if (!ourHot || !bareHot || !ourUniform || !bareUniform) throw new Error("a contender is missing");
    return [
      compared(ourHot, bareHot, {
        what: "Ledger transfers/s through JetStream, one hot account",
        floor: 3,
        goal: 4.2,
      }),
      compared(ourUniform, bareUniform, { what: "The same, 10,000 accounts", floor: 1.1, goal: 1.6 }),
      await measureImages(stage, uniform, options),
    ];
  } finally {
    await bare.hot.close();
    await bare.uniform.close();
  }
}

/**
 * The first change of a page after a checkpoint writes the whole page to the WAL, which makes scattered writes costly.
 */
async function measureImages(stage: Stage, uniform: Contender, options: Options): Promise<Row> {
  const images = async () => {
    const { rows } = await stage.admin.query<{ images: number }>(
      "select wal_fpi::float8 as images from pg_stat_wal",
    );
    return rows[0]?.images ?? 0;
  };
  await stage.admin.query("checkpoint");
  const before = await images();
  const measured: Measured = await uniform.run(options.seconds);
  // The server's statistics follow within a second; the ramp's transfers are in neither, so this errs upwards.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const perTransfer = ((await images()) - before) / measured.operations;
  return bounded(
    "Full-page images per transfer after a checkpoint",
    perTransfer,
    { floor: 0.6, goal: 0.25, unit: "" },
    [`over the first ${String(measured.operations)} transfers, 10,000 accounts`],
  );
}
