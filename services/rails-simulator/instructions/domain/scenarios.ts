import type { BookClock } from "../../../../contracts/book-clock.ts";
import { newYorkDate } from "../../../../contracts/rails/banking-calendar.ts";
import type { OrderDirection, Rail } from "../../../../contracts/rails/rails.ts";
import {
  alternativeCodes,
  type MagicScenario,
  magicScenario,
} from "../../../../contracts/rails/magic-numbers.ts";
import { type Fault, type FaultAtRail, isAtRail, isPossible, stepsOf } from "./faults.ts";
import { type Injection, injectedSteps } from "./injection.ts";
import type { Step } from "./step.ts";
import { type Timetable, timetableOf } from "./timetable.ts";

/** What the rail does with an instruction, and why. */
export interface Scenario {
  readonly reason: "Injection" | "Rule" | "MagicNumber" | "Success";
  readonly steps: readonly Step[];
}

/** What decides a scenario besides the instruction. */
export interface Circumstances {
  /** What a tester wants to happen to this very order. */
  readonly pendingInjection: Injection | null;
  /** The fault of the oldest rule that matches the instruction. */
  readonly fault: Fault | null;
  readonly clock: Pick<BookClock, "mode">;
  /** The time in the book. */
  readonly now: Date;
}

/**
 * Decides at hand-off all steps of an instruction: the pending injection, else a rule's fault, else what a magic
 * account number asks for, else success. A fault that can't happen to the instruction is passed over. Orders refuses a
 * magic number whose code the rail lacks; if one arrives, it settles.
 * @param instruction `accountNumber` is null if its last four digits show that it can't be magic.
 */
export function chooseScenario(
  instruction: {
    readonly rail: Rail;
    readonly direction: OrderDirection;
    readonly accountNumber: string | null;
    /** Of a wallet. */
    readonly network?: string;
  },
  { pendingInjection, fault, clock, now }: Circumstances,
): Scenario {
  const { rail, direction, accountNumber } = instruction;
  const timetable = timetableOf(instruction, clock.mode, now);
  if (pendingInjection !== null) {
    return { reason: "Injection", steps: injectedSteps([], pendingInjection, timetable) };
  }
  if (fault !== null && isAtRail(fault) && isPossible(fault, instruction, newYorkDate(now))) {
    return { reason: "Rule", steps: stepsOf(fault, instruction, timetable) };
  }
  const magic = accountNumber === null ? null : magicScenario(accountNumber, rail);
  if (magic !== null && alternativeCodes(magic, rail, direction) === null) {
    return { reason: "MagicNumber", steps: stepsOf(faultOf(magic), instruction, timetable) };
  }
  return { reason: "Success", steps: successSteps(timetable) };
}

function successSteps({ now, settlesAt }: Timetable): Step[] {
  return [
    { event: { kind: "Accepted" }, dueAt: now },
    { event: { kind: "Settled" }, dueAt: settlesAt },
  ];
}

function faultOf(magic: MagicScenario): FaultAtRail {
  switch (magic.kind) {
    case "ReturnBeforeSettlement":
      return { kind: "Return", code: magic.code };
    case "LateReturn":
    case "Reject":
      return magic;
    case "TimeoutThenSettle":
      return { kind: "Timeout", then: "Settle" };
  }
}
