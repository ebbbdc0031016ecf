import { pino } from "pino";
import { expect, it } from "vitest";
import { newId } from "../../../contracts/ids/ids.ts";
import { holdOf, settlementOf } from "../../../test/ledger/commands.ts";
import { connected, openLedger } from "../../../test/ledger/world.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Auditor } from "./auditor.worker.ts";

const orders = 300;
const journals = 2 * orders;
/** Of the new journals' page and of the full scan's, for one journal. A plan that reads the book takes all of its. */
const maxEntriesRead = 20;

it("verifies a journal by a few entries of an index on a database without statistics", async () => {
  const world = await openLedger();
  const admin = await connected(world.units.adminUrl);
  const { units, database } = world.units;
  const indexEntriesRead = async () => {
    await database.sql("select pg_stat_force_next_flush()");
    const { rows } = await admin.query<{ entries: number }>(
      `select sum(idx_tup_read)::float8 as entries from pg_stat_user_indexes
       where schemaname = 'ledger' and relname like 'journal%'`,
    );
    return rows[0]?.entries ?? 0;
  };
  try {
    const payer = await world.opens();
    const ids = Array.from({ length: orders }, () => newId("po"));
    await world.writes(...ids.flatMap((order) => [holdOf(order, payer, 1), settlementOf(order)]));
    const config = { AUDIT_SHARE: 1, AUDIT_PASS_HOURS: 24, CHECKPOINT_MINUTES: 15 };
    const auditor = new Auditor(units, database, new Metrics("test"), config, pino({ level: "silent" }));
    const before = await indexEntriesRead();
    for (let tick = 0; tick < 4; tick += 1) await auditor.tick();
    const read = (await indexEntriesRead()) - before;
    expect(read).toBeGreaterThan(journals);
    expect(read).toBeLessThan(maxEntriesRead * journals);
  } finally {
    await admin.end();
    await world.close();
  }
});
