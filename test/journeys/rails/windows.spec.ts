/** Weekends, holidays and the wait for returns, walked through in a book whose clock is advanced. */
import { describe, expect, it } from "vitest";
import { forThisFile } from "../../stack/for-this-file.ts";
import { approve } from "../../world/actions.ts";
import { advanceClock } from "../../world/patience/advances.ts";
import { setClock } from "../../world/patience/set-clock.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());
const payer = await world.payerNamed("Walker");

/** The times at which an order reached its statuses, in the order of its history. */
const reachedAt = async (id: string) => {
  const { statusHistory } = await world.order(id);
  return Object.fromEntries(statusHistory.map(({ to, at }) => [to, at]));
};

describe("a wire that misses Friday's cutoff before a Monday holiday", () => {
  // 17:30 in New York; Washington's birthday is on Monday.
  const fridayEvening = "2038-02-12T22:30:00.000Z";
  // Fedwire opens Tuesday's cycle on Monday at 21:00.
  const mondayEvening = "2038-02-16T02:00:00.000Z";

  it("leaves when Tuesday's cycle opens, to the second, and an ACH payment completes after its returns", async () => {
    const { maker } = world.tenant.keys;
    const set = await setClock(world, maker, { mode: "Manual", startAt: fridayEvening });
    expect(set.body.now).toBe(fridayEvening);
    const wire = await payer.pays(usd("40.00"), { rail: "Wire" });
    for (const approver of ["approver1", "approver2"] as const) {
      await world.reaches(wire.id, ({ status }) => status === "Pending");
      await approve(world, wire.id, approver);
    }
    expect(await world.reaches(wire.id, ({ awaiting }) => awaiting === "Window")).toMatchObject({
      submittedAt: fridayEvening,
      cutoff: {
        missed: true,
        cutoffAt: "2038-02-12T22:00:00.000Z",
        nextWindowOpensAt: mondayEvening,
        reason: "AfterCutoff",
      },
    });

    expect(await advanceClock(world, { nextWindow: "Wire" })).toMatchObject({
      status: "Done",
      now: mondayEvening,
    });
    expect(await world.order(wire.id)).toMatchObject({ status: "Processing" });
    expect(await advanceClock(world, { to: "2038-02-16T14:00:00Z" })).toMatchObject({ status: "Done" });
    expect(await reachedAt(wire.id)).toMatchObject({
      Pending: fridayEvening,
      Processing: mondayEvening,
      Completed: "2038-02-16T02:02:00.000Z",
    });

    // Tuesday, 9:00. It settles on Wednesday, and a return may come until Friday is over.
    const credit = await payer.pays(usd("1.00"), { rail: "Ach" });
    await world.reaches(credit.id, ({ status }) => status === "Processing");
    expect(await advanceClock(world, { to: "2038-02-20T05:00:00Z" })).toMatchObject({ status: "Done" });
    expect(await world.order(credit.id)).toMatchObject({ completedAt: "2038-02-20T05:00:00.000Z" });
  });
});
