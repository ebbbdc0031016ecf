/** Any schedule of payments and faults ends with every order final, and with a bank and a ledger that agree. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { InjectionCreate } from "../../contracts/http/sandbox/injections.ts";
import type { OrderDirection, Rail } from "../../contracts/rails/rails.ts";
import { forThisFile } from "../stack/for-this-file.ts";
import { patienceMs } from "../stack/until.ts";
import { OwnWorld } from "../world/system/own-world.ts";
import { advancesMs, begin, dayMs, SimulatedBook } from "./load/simulated-book.ts";

const runs = Number(process.env["RUNS"] ?? 3);
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const hourMs = 3_600_000;
/** So long after the last payment, every return has come and every order has ended. */
const afterwardsDays = 75;

type Rule = Omit<InjectionCreate, "match">;
interface Scheduled {
  readonly hour: number;
  readonly rail: Rail;
  readonly direction: OrderDirection;
  readonly amountCents: number;
  readonly rule: Rule | null;
}

const delaySeconds = fc.integer({ min: 1, max: 6 * 3_600 });
const ofEveryRail = [
  fc.record({ fault: fc.constantFrom("LostAcknowledgement", "DuplicateFacts", "Reject") }),
  fc.record({ fault: fc.constant("Timeout"), then: fc.constantFrom("Settle", "Fail", "NeverArrived") }),
  fc.record({ fault: fc.constant("Delay"), delaySeconds }),
];
const returnsOf = (direction: OrderDirection) =>
  fc.record({
    fault: fc.constantFrom("Return", "LateReturn", "OutOfOrder", "DuplicateReturn"),
    code: fc.constantFrom(...(direction === "Credit" ? ["R02", "R03", "R23"] : ["R01", "R10", "R29"])),
  });
const unmatched = fc.record({ fault: fc.constant("UnmatchedReturn") });
const sentBack = fc.record({ fault: fc.constant("SentBack") });
const notices = fc.record({
  fault: fc.constant("NoticeOfChange"),
  code: fc.constant("C02"),
  correctedData: fc.constant({ routingNumber: "790001102" }),
});

const kinds: readonly (readonly [Rail, OrderDirection])[] = [
  ["Ach", "Credit"],
  ["Ach", "Debit"],
  ["SameDayAch", "Credit"],
  ["SameDayAch", "Debit"],
  ["Rtp", "Credit"],
  ["Wire", "Credit"],
  ["Usdc", "Credit"],
];

/** A payment of one kind, at any hour of five days, with one of the faults that can happen to it or with none. */
const scheduled = fc.constantFrom(...kinds).chain(([rail, direction]) => {
  const ofAch = rail === "Ach" || rail === "SameDayAch" ? [returnsOf(direction), unmatched, notices] : [];
  const ofWire = rail === "Wire" ? [sentBack] : [];
  return fc.record({
    hour: fc.integer({ min: 0, max: 119 }),
    rail: fc.constant(rail),
    direction: fc.constant(direction),
    amountCents: fc.integer({ min: 1, max: 50_000 }),
    rule: fc.option(fc.oneof(...ofEveryRail, ...ofAch, ...ofWire)),
  });
}) as fc.Arbitrary<Scheduled>;

const world = await forThisFile(OwnWorld.start());
let books = 0;

it(`ends every schedule with books that agree (SEED=${String(seed)})`, { timeout: advancesMs }, async () => {
  const schedules = fc.array(scheduled, { minLength: 3, maxLength: 12 });
  await fc.assert(fc.asyncProperty(schedules, endsWell), { numRuns: runs, seed, endOnFailure: true });
});

async function endsWell(schedule: readonly Scheduled[]): Promise<void> {
  books += 1;
  const named = schedule.map((one, index) => ({ ...one, externalId: `payment ${String(index)}` }));
  const book = await SimulatedBook.open(world, {
    name: `Schedule ${String(books)}`,
    seed: "one",
    rules: named.flatMap(({ rule, externalId }) =>
      rule === null ? [] : [{ match: { externalId }, ...rule }],
    ),
  });
  try {
    for (const { hour, rule: _, ...payment } of named.toSorted((a, b) => a.hour - b.hour)) {
      await book.advanceTo(new Date(begin.getTime() + hour * hourMs));
      await book.pays([payment]);
    }
    await book.advanceTo(new Date(begin.getTime() + (5 + afterwardsDays) * dayMs));
    expect(await book.ordersUnderWay()).toEqual([]);
    expect((await book.digest()).orderCount).toBe(schedule.length);
    const unreconciled = (await book.reconciliations()).filter(({ status }) => status !== "Reconciled");
    expect(unreconciled).toEqual([]);
    await expect.poll(() => book.openDeliveries(), { timeout: patienceMs }).toEqual([]);
  } finally {
    await book.close();
  }
}
