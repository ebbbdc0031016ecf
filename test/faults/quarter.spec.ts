/**
 * Plays days of a book on the Manual clock: payments on all rails, with the faults of the rails at random, and then 75
 * days in which the last returns come. `QUARTER_DAYS=90` plays a whole quarter, of 4,500 payments.
 */
import { describe, expect, it, onTestFinished } from "vitest";
import { addBankingDays, bankingDayOf } from "../../contracts/rails/banking-calendar.ts";
import type { SimulationDigest } from "../../contracts/http/sandbox/digest.ts";
import { services } from "../../contracts/message.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { patienceMs } from "../stack/until.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { orderCountOf, playQuarter } from "./load/quarter.ts";
import { RandomFaults } from "./inject/random-faults.ts";
import { advancesMs, begin, dayMs } from "./load/simulated-book.ts";

const days = Number(process.env["QUARTER_DAYS"] ?? 5);
const kills = Math.ceil(days / 30);

const world = await forThisFile(OwnWorld.start());

describe("a quarter with faults at random", { timeout: advancesMs }, async () => {
  const first = await forThisFile(playQuarter(world, { name: "A", seed: "one" }, { days }));

  it("leaves no order under way, and no webhook undelivered", async () => {
    expect(await first.ordersUnderWay()).toEqual([]);
    await expect.poll(() => first.openDeliveries(), { timeout: patienceMs }).toEqual([]);
    expect((await first.digest()).orderCount).toBe(orderCountOf(days));
  });

  it("has a statement for each banking day, and the ledger agrees with it", async () => {
    const runs = await first.reconciliations();
    expect(runs.filter(({ status }) => status !== "Reconciled")).toEqual([]);
    const firstDay = bankingDayOf(begin);
    const bankingDays = runs.map((_, index) => addBankingDays(firstDay, index));
    expect(runs.map(({ date }) => date).sort()).toEqual(bankingDays);
    expect(runs.length).toBeGreaterThanOrEqual(bankingDaysIn(days));
  });

  it("has another outcome with another seed", async () => {
    const other = await playQuarter(world, { name: "B", seed: "two" }, { days });
    onTestFinished(() => other.close());
    expect((await other.digest()).orders).not.toBe((await first.digest()).orders);
  });

  it("has the same outcome with the same seed, when services are killed on the way", async () => {
    const random = RandomFaults.of("quarter");
    const victims = services.filter((service) => service !== "gateway");
    const killedOn = new Set(random.shuffled(Array.from({ length: days }, (_, day) => day)).slice(0, kills));
    const again = await playQuarter(
      world,
      { name: "C", seed: "one" },
      {
        days,
        whileAdvancing: async (day) => {
          if (killedOn.has(day)) await world.killAndReplace(world.instanceOf(random.pick(victims)));
        },
      },
    );
    onTestFinished(() => again.close());
    expect(await again.digest()).toEqual<SimulationDigest>(await first.digest());
    const runs = await again.reconciliations();
    expect(runs.filter(({ status }) => status !== "Reconciled")).toEqual([]);
    await expect.poll(() => again.openDeliveries(), { timeout: patienceMs }).toEqual([]);
  });
});

/** The banking days of the first `count` days. */
function bankingDaysIn(count: number): number {
  const all = Array.from({ length: count }, (_, day) =>
    bankingDayOf(new Date(begin.getTime() + day * dayMs)),
  );
  return new Set(all).size;
}
