import { alternativeCodes, type MagicScenario, magicScenario } from "../../../../contracts/sandbox.ts";
import type { OrderDirection, Rail } from "../../../../contracts/rails/rails.ts";
import { type Injection, injectedSteps } from "./injection.ts";
import { failedWith, lateReturnAfterMs, type Step } from "./step.ts";

/** What the rail does with an instruction, and why. */
export interface Scenario {
  readonly reason: "Injection" | "MagicNumber" | "Success";
  readonly steps: readonly Step[];
}

/** RTP settles in the transaction of the hand-off; the others visibly later, within a second. */
const settlesAfterMs: Readonly<Record<Rail, number>> = {
  Rtp: 0,
  Wire: 200,
  SameDayAch: 250,
  Ach: 300,
  Usdc: 300,
  Book: 0,
};
const returnsAfterMs = 150;

/**
 * Decides at hand-off all steps of an instruction: the pending injection, else what a magic account number asks for,
 * else success. Orders refuses a magic number whose code the rail lacks; if one arrives, it settles.
 * @param instruction `accountNumber` is null if its last four digits show that it can't be magic.
 */
export function chooseScenario(
  instruction: {
    readonly rail: Rail;
    readonly direction: OrderDirection;
    readonly accountNumber: string | null;
  },
  pendingInjection: Injection | null,
): Scenario {
  const { rail, direction, accountNumber } = instruction;
  if (pendingInjection !== null) {
    return { reason: "Injection", steps: injectedSteps([], pendingInjection) };
  }
  const magic = accountNumber === null ? null : magicScenario(accountNumber, rail);
  if (magic !== null && alternativeCodes(magic, rail, direction) === null) {
    return { reason: "MagicNumber", steps: magicSteps(rail, magic) };
  }
  return { reason: "Success", steps: successSteps(rail) };
}

function successSteps(rail: Rail): Step[] {
  return [
    { event: { kind: "Accepted" }, afterMs: 0 },
    { event: { kind: "Settled" }, afterMs: settlesAfterMs[rail] },
  ];
}

function magicSteps(rail: Rail, magic: MagicScenario): Step[] {
  switch (magic.kind) {
    case "ReturnBeforeSettlement":
      return [
        { event: { kind: "Accepted" }, afterMs: 0 },
        { event: { kind: "Returned", code: magic.code }, afterMs: returnsAfterMs },
      ];
    case "LateReturn":
      return [
        ...successSteps(rail),
        { event: { kind: "Returned", code: magic.code }, afterMs: settlesAfterMs[rail] + lateReturnAfterMs },
      ];
    case "Reject":
      return [{ event: failedWith(magic.code), afterMs: 0 }];
    case "TimeoutThenSettle":
      // Simulates a lost answer to the hand-off: the rail has the payment and reports it only on an inquiry.
      return [{ event: { kind: "Settled" }, afterMs: null }];
  }
}
