import { beforeEach, describe, expect, it } from "vitest";
import { lineOf } from "../../../test/ledger/bank.ts";
import { sampleBook } from "../../../test/ledger/commands.ts";
import { Reconciler } from "../../../test/ledger/reconciler.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { nextDueOfBook } from "./next-due.ts";

let at: Reconciler;
let sequence = 0;
beforeEach(async () => {
  at = await Reconciler.open();
  sequence = 0;
  return () => at.close();
});
const sql = () => at.world.units.database.sql;
const standsAt = (time: string) =>
  saveClock(sql(), sampleBook, {
    mode: "Manual",
    leadMs: 0,
    standsAt: new Date(time),
    sequence: (sequence += 1),
  });
const nextDue = async () => (await nextDueOfBook(sql(), sampleBook))?.toISOString() ?? null;
/** Real time has come much further than the book. */
const longAfter = "2030-01-01T00:00:00.000Z";

describe("a missing statement in a book with a clock of its own", () => {
  it("is due and recorded at ten o'clock on that clock, once for each banking day", async () => {
    await at.settled();
    await standsAt("2026-03-03T14:59:59.999Z");
    expect(await nextDue()).toBe("2026-03-03T15:00:00.000Z");
    expect(await at.misses(longAfter)).toBe(0);

    await standsAt("2026-03-03T15:00:00.000Z");
    expect(await at.misses(longAfter)).toBe(1);
    expect(await at.runs()).toEqual(["2026-03-02 NotReconciled"]);
    expect(await nextDue()).toBe("2026-03-04T15:00:00.000Z");
    expect(await at.misses(longAfter)).toBe(0);
  });

  it("is recorded once if the clock has skipped days", async () => {
    await at.settled();
    await standsAt("2026-03-09T20:00:00.000Z");
    expect(await nextDue()).toBe("2026-03-07T15:00:00.000Z");
    expect(await at.misses(longAfter)).toBe(1);
    expect(await at.runs()).toEqual(["2026-03-06 NotReconciled"]);
    expect(await nextDue()).toBe("2026-03-10T14:00:00.000Z");
  });

  it("is due after the last statement, also for money that is booked later with an earlier date", async () => {
    await standsAt("2026-03-03T16:00:00.000Z");
    const order = await at.settled();
    await at.gets("2026-03-02", [lineOf(order, -300)]);
    await at.settled();
    expect(await nextDue()).toBe("2026-03-04T15:00:00.000Z");
    expect(await at.misses(longAfter)).toBe(0);
  });

  it("is not due before money has moved, nor once the statement has come", async () => {
    await standsAt("2026-03-03T15:00:00.000Z");
    expect(await nextDue()).toBeNull();
    const order = await at.settled();
    expect(await nextDue()).toBe("2026-03-03T15:00:00.000Z");
    await at.gets("2026-03-02", [lineOf(order, -300)]);
    expect(await nextDue()).toBeNull();
  });
});
