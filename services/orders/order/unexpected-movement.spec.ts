import { describe, expect, it } from "vitest";
import { idOf } from "../../../contracts/ids/ids.ts";
import { anOrderIn, aBookContext } from "../../../test/stack/payment-order.ts";
import { type Transition, start, type EventDetail, applyEvent } from "./transition.ts";
import type { EventTrigger } from "./lifecycle.ts";
import type { Phase } from "./payment-order.ts";

const aReturn = (code: string, traceNumber: string) => ({
  id: idOf("ret", "019c0000-0000-7000-8000-0000000000b1"),
  code,
  reason: "AccountClosed",
  traceNumber,
  receivedAt: "2026-03-04T18:00:00.000Z",
});

function tell(advance: Transition, trigger: EventTrigger, detail: EventDetail) {
  return applyEvent(advance, { trigger, detail }, aBookContext());
}
const settles = (advance: Transition, number = 3) => tell(advance, "InstructionSettled", { number });
const comesBack = (advance: Transition, number: number, code: string, trace: string) =>
  tell(advance, "InstructionReturned", { number, return: aReturn(code, trace) });

/** An order that its rail refused with its second event. */
const refused = (phase: Phase = "Failed") =>
  start(anOrderIn(phase, { sequence: 4, progress: { applied: ["InstructionFailed"], railEventNumber: 2 } }));
/** An order that its bank returned with its second event. */
const returned = (phase: Phase = "Returned") =>
  start(
    anOrderIn(phase, {
      progress: {
        applied: ["InstructionReturned"],
        railEventNumber: 2,
        return: { ...aReturn("R02", "7"), late: false },
      },
    }),
  );
const strays = (advance: Transition) =>
  (advance.order.progress.unexpectedMovements ?? []).map(({ movement, returnCode }) => [
    movement,
    returnCode,
  ]);

describe("an order that settles after it failed", () => {
  it.each<Phase>(["Failed", "ReleasingAsFailed"])(
    "stays what it is in %s; what moved goes to Suspense",
    (phase) => {
      const advance = refused(phase);
      const before = advance.order;
      expect(settles(advance)).toBe("UnexpectedMovement");
      expect(advance.order).toMatchObject({ phase, status: before.status, sequence: 4 });
      expect([advance.history, advance.events, advance.commands]).toEqual([[], [], ["PostToSuspense"]]);
      expect(advance.order.progress.unexpectedMovements).toEqual([
        {
          movement: "Settlement",
          returnCode: null,
          // UUIDv5 of the order and `suspense/settlement`: the same for every telling.
          commandId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
          ledgerTransactionId: expect.stringMatching(/^lt_/),
          at: "2026-03-04T17:00:00.000Z",
        },
      ]);
    },
  );

  it("is told so once: the same word again changes nothing", () => {
    const advance = refused();
    settles(advance);
    const after = advance.order;
    expect(settles(advance, 3)).toBe("Duplicate");
    expect(settles(advance, 9)).toBe("Duplicate");
    expect(advance.order).toBe(after);
    expect(advance.commands).toEqual(["PostToSuspense"]);
  });

  it("may come back then: each return is a movement of its own", () => {
    const advance = refused();
    expect(comesBack(advance, 3, "R02", "7")).toBe("Parked");
    settles(advance);
    expect(comesBack(advance, 4, "R02", "7")).toBe("UnexpectedMovement");
    expect(comesBack(advance, 4, "R02", "7")).toBe("Duplicate");
    expect(comesBack(advance, 5, "R03", "8")).toBe("UnexpectedMovement");
    expect(strays(advance)).toEqual([
      ["Settlement", null],
      ["Return", "R02"],
      ["Return", "R03"],
    ]);
    const ids = advance.order.progress.unexpectedMovements?.map(({ commandId }) => commandId);
    expect(new Set(ids).size).toBe(3);
  });
});

describe("an order that comes back once more", () => {
  it.each<Phase>(["Returned", "ReleasingAsReturned", "PostingLateReturn", "Completed"])(
    "stays what it is in %s; what came goes to Suspense",
    (phase) => {
      const advance = returned(phase);
      expect(comesBack(advance, 3, "R02", "7")).toBe("Duplicate");
      expect(comesBack(advance, 3, "R02", "8")).toBe("UnexpectedMovement");
      expect(advance.order).toMatchObject({ phase, progress: { return: { traceNumber: "7" } } });
      expect(strays(advance)).toEqual([["Return", "R02"]]);
    },
  );

  it("or settles after it came back", () => {
    const advance = returned();
    expect(settles(advance)).toBe("UnexpectedMovement");
    expect(strays(advance)).toEqual([["Settlement", null]]);
  });
});

describe("what moves no money", () => {
  it("a word of before the rail's last is only late", () => {
    expect(settles(refused(), 1)).toBe("Duplicate");
  });

  it("an order that never was at its rail has moved nothing: a person looks", () => {
    expect(settles(start(anOrderIn("Failed")))).toBe("Parked");
    expect(settles(start(anOrderIn("Cancelled")))).toBe("Parked");
  });

  it("a failure after the end says nothing that could be booked", () => {
    const advance = returned();
    expect(tell(advance, "InstructionFailed", { number: 3 })).toBe("Parked");
    expect(strays(advance)).toEqual([]);
  });
});
