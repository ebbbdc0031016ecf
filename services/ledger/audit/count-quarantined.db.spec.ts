import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { sampleBook } from "../../../test/ledger/commands.ts";
import { type LedgerWorld, openLedger, someNumbers, sqlOn } from "../../../test/ledger/world.ts";
import { readsOf } from "../../../test/stack/database/plans.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { countQuarantined } from "../posting/store/deferred-commands.ts";
import { ReplayDeferredCommands } from "./replay-deferred-commands.worker.ts";

let world: LedgerWorld;
beforeEach(async () => {
  world = await openLedger();
  await world.opens();
  return () => world.close();
});

const defers = (commands: number, failure: string | null) =>
  world.superuser.query(
    `insert into deferred_command (book_id, command_id, request_hash, message, failure)
     select $1, gen_random_uuid(), '', repeat('x', 500), $2 from generate_series(1, $3::int)`,
    [uuidOf(sampleBook), failure, commands],
  );

describe("a quarantined command", () => {
  it("is counted for as long as it is quarantined, also while its book is open", async () => {
    const metrics = new Metrics("ledger");
    const { units, database } = world.units;
    const log = pino({ level: "silent" });
    const replayer = new ReplayDeferredCommands(units, database, someNumbers, metrics, log);
    const counted = async (minutesLater: number) => {
      await replayer.tick(new Date(Date.now() + minutesLater * 60_000));
      const { values } = await metrics.gauge("ledger_quarantined_commands", "").get();
      return values.map(({ value }) => value);
    };
    await defers(2, "no such hold");
    expect(await counted(1)).toEqual([2]);
    await world.superuser.query("delete from deferred_command");
    expect(await counted(2)).toEqual([0]);
  });

  it("is counted without reading the others, however many are deferred", async () => {
    await defers(1, "no such hold");
    await defers(5_000, null);
    let counting = "";
    await countQuarantined((text) => {
      counting = text;
      return Promise.resolve([]);
    });
    expect(await readsOf(sqlOn(world.superuser), counting)).toMatchObject({ sequentialScans: [], rows: 1 });
  });
});
