/**
 * Plays weeks of a book on the Manual clock: payments on all rails every day, with the faults of the rails at random,
 * and then 75 days in which the last returns come. The bank and the ledger agree on each statement, and the same seed
 * gives the same outcome. `QUARTER_DAYS=90` plays a whole quarter, of 4,500 payments.
 */
import { describe, expect, it } from "vitest";
import type { SimulationDigest } from "../../contracts/http/sandbox/digest.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { OwnWorld } from "../world/own-world.ts";
import { Quarter } from "./quarter.ts";

const days = Number(process.env["QUARTER_DAYS"] ?? 5);
const ordersPerDay = 50;

const world = await forThisFile(OwnWorld.start());
const play = async (name: string, seed: string): Promise<Quarter> => {
  const quarter = await Quarter.open(world, { name, seed });
  await quarter.play({ days, ordersPerDay });
  return quarter;
};

describe("weeks with faults at random", async () => {
  const first = await play("A", "one");

  it("leaves no order under way", async () => {
    expect(await first.ordersUnderWay()).toEqual([]);
    const { orderCount } = await first.digest();
    expect(orderCount).toBe(days * ordersPerDay);
  });

  it("is reconciled by every statement", async () => {
    const runs = await first.reconciliations();
    expect(runs.length).toBeGreaterThanOrEqual(days / 2);
    expect(runs.filter(({ status }) => status !== "Reconciled")).toEqual([]);
  });

  it("has the same digest for the same seed, and another one for another seed", async () => {
    const again = await play("B", "one");
    const other = await play("C", "two");
    const digest = await first.digest();
    expect(await again.digest()).toEqual<SimulationDigest>(digest);
    expect((await other.digest()).orders).not.toBe(digest.orders);
  });
});
