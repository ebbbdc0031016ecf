import { alternativeCodes, type MagicScenario, magicScenario } from "../../../../contracts/sandbox.ts";
import type { OrderDirection, Rail } from "../../../../contracts/rails/rails.ts";
import { type Injection, stepsOfInjection } from "./injection.ts";
import { failed, lateReturnAfterMs, type Step } from "./step.ts";

/** What a rail does with an instruction, and why. */
export interface Scenario {
  readonly reason: "Injection" | "MagicNumber" | "Success";
  readonly steps: readonly Step[];
}

/** An Instant sandbox: RTP in the same breath, everything else visibly later and well within a second. */
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
 * Decides all that the rail will say of an instruction: what QA injected before hand-off, else what a magic account
 * number asks for, else success. `accountNumber` is null where it was not worth unsealing. A magic number whose code can't happen here was refused at submission; it settles.
 */
export function scenarioOf(
  instruction: {
    readonly rail: Rail;
    readonly direction: OrderDirection;
    readonly accountNumber: string | null;
  },
  kept: Injection | null,
): Scenario {
  const { rail, direction, accountNumber } = instruction;
  if (kept !== null) return { reason: "Injection", steps: stepsOfInjection([], kept) };
  const magic = accountNumber === null ? null : magicScenario(accountNumber, rail);
  if (magic !== null && alternativeCodes(magic, rail, direction) === null) {
    return { reason: "MagicNumber", steps: stepsOfMagic(rail, magic) };
  }
  return { reason: "Success", steps: success(rail) };
}

function success(rail: Rail): Step[] {
  return [
    { event: { kind: "Accepted" }, afterMs: 0 },
    { event: { kind: "Settled" }, afterMs: settlesAfterMs[rail] },
  ];
}

function stepsOfMagic(rail: Rail, magic: MagicScenario): Step[] {
  switch (magic.kind) {
    case "ReturnBeforeSettlement":
      return [
        { event: { kind: "Accepted" }, afterMs: 0 },
        { event: { kind: "Returned", code: magic.code }, afterMs: returnsAfterMs },
      ];
    case "LateReturn":
      return [
        ...success(rail),
        { event: { kind: "Returned", code: magic.code }, afterMs: settlesAfterMs[rail] + lateReturnAfterMs },
      ];
    case "Reject":
      return [{ event: failed(magic.code), afterMs: 0 }];
    case "TimeoutThenSettle":
      // The hand-off got lost on its way back: the rail has the payment, and says so only when asked.
      return [{ event: { kind: "Settled" }, afterMs: null }];
  }
}
