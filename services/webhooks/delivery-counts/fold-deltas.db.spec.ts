import { pino } from "pino";
import { expect, it } from "vitest";
import { newUuid } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { FoldDeltas } from "./fold-deltas.worker.ts";
import { maxFolded } from "./store/delivery-counts.ts";

const { database } = await forThisFile(openFreshUnits("webhooks"));
const { sql } = database;

it("counts of a burst are folded at once, however many they are", async () => {
  await sql(
    `insert into delivery_delta (book_id, day, endpoint_id, committed, delivered, dead, cancelled)
     select $1, '2026-03-04', $2, 1, 0, 0, 0
     from generate_series(1, $3::int)`,
    [newUuid(), newUuid(), maxFolded * 2 + 1],
  );
  const worker = new FoldDeltas(database, new Metrics("webhooks"), pino({ level: "silent" }));
  worker.start();
  try {
    const left = async () => (await sql("select from delivery_delta limit 1")).length;
    // The pause is five seconds.
    await until("all are folded", async () => (await left()) === 0);
  } finally {
    await worker.stop();
  }
  expect(await sql("select committed::int from delivery_count")).toEqual([{ committed: maxFolded * 2 + 1 }]);
});
