import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { anOrderIn, aBookContext } from "../../../test/stack/orders/payment-order.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { transition } from "./transition.ts";
import { phaseTimeouts } from "./phase-timeouts.ts";
import {
  type CommandName,
  eventTriggers,
  isExpectedLater,
  lifecycle,
  ownTriggers,
  type Step,
  stepFor,
  targetsOf,
  type Trigger,
} from "./lifecycle.ts";
import { type Phase, statusOf } from "./payment-order.ts";

type Row = [Phase, Trigger, Phase, CommandName?, Step["then"]?];

/** The life of an order, row by row, as it is specified. Read it beside `lifecycle`. */
const rows: Row[] = [
  ["Draft", "Submit", "ReservingFunds", "PlaceHold"],
  ["Draft", "Cancel", "Cancelled"],
  ["ReservingFunds", "HoldPlaced", "AwaitingApproval", undefined, "EvaluateGate"],
  ["ReservingFunds", "HoldRefused", "Failed"],
  ["ReservingFunds", "Cancel", "CancellingBeforeHold"],
  ["CancellingBeforeHold", "HoldPlaced", "ReleasingAsCancelled", "ReleaseHold"],
  ["CancellingBeforeHold", "HoldRefused", "Cancelled"],
  ["AwaitingApproval", "GateNeedsWindow", "AwaitingWindow"],
  ["AwaitingApproval", "Cancel", "ReleasingAsCancelled", "ReleaseHold"],
  ["AwaitingApproval", "Deny", "ReleasingAsCancelled", "ReleaseHold"],
  ["AwaitingApproval", "ApprovalExpired", "ReleasingAsCancelled", "ReleaseHold"],
  ["AwaitingWindow", "GateNeedsApproval", "AwaitingApproval", undefined, "EvaluateGate"],
  ["AwaitingWindow", "Cancel", "ReleasingAsCancelled", "ReleaseHold"],
  ["HandingOff", "BookTransferHandedOff", "Settling", "SettleHold"],
  ["HandingOff", "InstructionAccepted", "InFlight"],
  ["HandingOff", "InstructionFailed", "ReleasingAsFailed", "ReleaseHold"],
  ["HandingOff", "InstructionReturned", "ReleasingAsReturned", "ReleaseHold"],
  ["HandingOff", "InstructionUnknown", "HandingOff", "SubmitInstruction"],
  ["InFlight", "InstructionFailed", "ReleasingAsFailed", "ReleaseHold"],
  ["InFlight", "InstructionReturned", "ReleasingAsReturned", "ReleaseHold"],
  ["AwaitingReturns", "CompletionDelayOver", "Settling", "SettleHold"],
  ["AwaitingReturns", "InstructionReturned", "ReleasingAsReturned", "ReleaseHold"],
  ["Settling", "HoldSettled", "Completed"],
  ["ReleasingAsFailed", "HoldReleased", "Failed"],
  ["ReleasingAsReturned", "HoldReleased", "Returned"],
  ["ReleasingAsCancelled", "HoldReleased", "Cancelled"],
  ["Completed", "InstructionReturned", "PostingLateReturn", "PostLateReturn"],
  ["PostingLateReturn", "LateReturnPosted", "Completed"],
];

/** A settlement completes the order at once, except on ACH, which has a completion delay. */
const settledRows: [Phase, Rail, Phase, CommandName?][] = (["HandingOff", "InFlight"] as const).flatMap(
  (phase): [Phase, Rail, Phase, CommandName?][] => [
    [phase, "Ach", "AwaitingReturns"],
    [phase, "SameDayAch", "AwaitingReturns"],
    [phase, "Rtp", "Settling", "SettleHold"],
    [phase, "Wire", "Settling", "SettleHold"],
    [phase, "Usdc", "Settling", "SettleHold"],
  ],
);

/** The gate opens: a rail is sent the instruction, and a book transfer is settled at once. */
const handOffRows: [Phase, Rail, Phase, CommandName][] = (
  ["AwaitingApproval", "AwaitingWindow"] as const
).flatMap((phase): [Phase, Rail, Phase, CommandName][] => [
  [phase, "Ach", "HandingOff", "SubmitInstruction"],
  [phase, "SameDayAch", "HandingOff", "SubmitInstruction"],
  [phase, "Rtp", "HandingOff", "SubmitInstruction"],
  [phase, "Wire", "HandingOff", "SubmitInstruction"],
  [phase, "Usdc", "HandingOff", "SubmitInstruction"],
  [phase, "Book", "Settling", "SettleHold"],
]);

const phases: [Phase, string][] = [
  ["Draft", "Draft"],
  ["ReservingFunds", "Submitted"],
  ["CancellingBeforeHold", "Submitted"],
  ["AwaitingApproval", "Pending"],
  ["AwaitingWindow", "Pending"],
  ["HandingOff", "Processing"],
  ["InFlight", "Processing"],
  ["AwaitingReturns", "Processing"],
  ["Settling", "Processing"],
  ["Completed", "Completed"],
  ["PostingLateReturn", "Completed"],
  ["Failed", "Failed"],
  ["Returned", "Returned"],
  ["Cancelled", "Cancelled"],
];
const releasing: Phase[] = ["ReleasingAsFailed", "ReleasingAsReturned", "ReleasingAsCancelled"];
const allPhases = [...phases.map(([phase]) => phase), ...releasing];
const triggers: Trigger[] = [...eventTriggers, ...ownTriggers];

const legal = new Set([
  ...rows.map(([phase, trigger]) => `${phase}/${trigger}`),
  ...settledRows.map(([phase]) => `${phase}/InstructionSettled`),
  ...handOffRows.map(([phase]) => `${phase}/GateOpened`),
]);
const illegal = allPhases.flatMap((phase) =>
  triggers.filter((trigger) => !legal.has(`${phase}/${trigger}`)).map((trigger) => [phase, trigger] as const),
);

describe("the life of a payment order", () => {
  it.each(rows)("%s: on %s goes to %s", (phase, trigger, to, send, then) => {
    expect(stepFor(phase, trigger)).toEqual({
      to,
      ...(send === undefined ? {} : { send }),
      ...(then === undefined ? {} : { then }),
    });
  });

  it.each(settledRows)("%s: a settled %s goes to %s", (phase, rail, to, send) => {
    const settled = anOrderIn(phase, { terms: { rail } });
    const { order, commands } = transition(settled, "InstructionSettled", aBookContext(), { actor: "rail" });
    expect(order.phase).toBe(to);
    expect(commands).toEqual(send === undefined ? [] : [send]);
  });

  it.each(handOffRows)("%s: an open gate takes %s to %s and sends %s", (phase, rail, to, send) => {
    const ready = anOrderIn(phase, { terms: { rail } });
    const { order, commands } = transition(ready, "GateOpened", aBookContext(), { actor: "system" });
    expect(order.phase).toBe(to);
    expect(commands).toEqual([send]);
  });

  it("has every phase, and no other rows", () => {
    expect(Object.keys(lifecycle).sort()).toEqual([...allPhases].sort());
    expect(legal.size).toBe(32);
    expect(illegal.length).toBe(17 * 19 - 32);
  });

  it.each(illegal)("%s refuses %s, and nothing changes", (phase, trigger) => {
    expect(stepFor(phase, trigger)).toBeUndefined();
    const order = anOrderIn(phase);
    const before = structuredClone(order);
    expect(() => transition(order, trigger, aBookContext(), { actor: "anybody" })).toThrow(
      `${trigger} is not possible in ${phase}`,
    );
    expect(order).toEqual(before);
  });

  it.each(["Failed", "Returned", "Cancelled"] as const)("ends in %s", (phase) => {
    expect(Object.keys(lifecycle[phase])).toEqual([]);
  });
});

describe("what callers see", () => {
  it.each(phases)("of %s is %s", (phase, status) => {
    expect(statusOf(phase, "Draft")).toBe(status);
  });

  it.each(releasing)("of %s is the status it came from, until the hold is released", (phase) => {
    expect(statusOf(phase, "Submitted")).toBe("Submitted");
    expect(statusOf(phase, "Pending")).toBe("Pending");
    expect(statusOf(phase, "Processing")).toBe("Processing");
  });
});

describe("the hand-off gate", () => {
  it("is the only way into HandingOff: every path from Draft to the rail passes GateOpened", () => {
    const openGates = everyPath("Draft", "HandingOff").map((path) =>
      path.filter((trigger) => trigger === "GateOpened"),
    );
    expect(openGates.length).toBeGreaterThan(0);
    expect(openGates.every((gates) => gates.length === 1)).toBe(true);
  });

  it("is evaluated only once the money is held: HoldPlaced comes before it on every path", () => {
    for (const path of everyPath("Draft", "HandingOff")) {
      expect(path.indexOf("HoldPlaced")).toBeGreaterThanOrEqual(0);
      expect(path.indexOf("HoldPlaced")).toBeLessThan(path.indexOf("GateOpened"));
    }
  });

  it("comes before every command to a rail", () => {
    for (const [phase, trigger, , send] of rows) {
      if (send !== "SubmitInstruction") continue;
      expect([`${phase}/${trigger}`, phase === "HandingOff" || trigger === "GateOpened"]).toEqual([
        `${phase}/${trigger}`,
        true,
      ]);
    }
  });
});

describe("the trigger that opens the gate", () => {
  const folder = join(import.meta.dirname, "..");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".spec.ts"))
    .map((file) => ({ file, text: readFileSync(join(folder, file), "utf8") }));
  const filesWith = (text: string) =>
    sources
      .filter((source) => source.text.includes(text))
      .map(({ file }) => file)
      .sort();

  it("is named only by the lifecycle table, the gate, which decides it, and the record of approvals", () => {
    expect(filesWith('"GateOpened"')).toEqual(["order/hand-off-gate.ts", "order/lifecycle.ts"]);
    expect(filesWith("GateOpened")).toEqual([
      "order/approval-decision.ts",
      "order/hand-off-gate.ts",
      "order/lifecycle.ts",
    ]);
  });

  it("is decided for callers in one place", () => {
    expect(filesWith("decideHandOff(")).toEqual(["order/hand-off-gate.ts", "order/transition.ts"]);
  });

  it("has no substitute: no code sets HandingOff, and no timeout sends an instruction by itself", () => {
    expect(filesWith('phase: "HandingOff"')).toEqual([]);
    const resent = Object.values(phaseTimeouts).map((timeout) => timeout?.action);
    expect(resent).not.toContainEqual({ resend: "SubmitInstruction" });
  });
});

describe("a hold", () => {
  it("is settled or released before every final phase, and never both", () => {
    const ends = (["Completed", "Failed", "Returned", "Cancelled"] as const).flatMap((end) =>
      everyPath("Draft", end).map((path) => [end, path] as const),
    );
    for (const [end, path] of ends) {
      const placed = path.filter((trigger) => trigger === "HoldPlaced").length;
      const settled = path.filter((trigger) => trigger === "HoldSettled").length;
      const released = path.filter((trigger) => trigger === "HoldReleased").length;
      expect([end, path, placed]).toEqual([end, path, settled + released]);
      expect(settled).toBe(end === "Completed" ? 1 : 0);
    }
  });
});

describe("an event that came out of order", () => {
  it("is expected later if a phase that can still come has it", () => {
    expect(isExpectedLater("HandingOff", "HoldSettled")).toBe(true);
    expect(isExpectedLater("ReservingFunds", "InstructionSettled")).toBe(true);
    expect(isExpectedLater("Settling", "InstructionReturned")).toBe(true);
    expect(isExpectedLater("PostingLateReturn", "InstructionReturned")).toBe(true);
  });

  it("is not expected later if no phase that can still come has it", () => {
    expect(isExpectedLater("Settling", "InstructionFailed")).toBe(false);
    expect(isExpectedLater("AwaitingApproval", "HoldRefused")).toBe(false);
    expect(isExpectedLater("Failed", "InstructionSettled")).toBe(false);
    expect(isExpectedLater("ReleasingAsCancelled", "HoldPlaced")).toBe(false);
  });
});

/** Every way from a phase to another by the table that visits no phase twice, as the triggers taken. */
function everyPath(from: Phase, to: Phase, seen: readonly Phase[] = [from]): Trigger[][] {
  if (from === to) return [[]];
  return edges
    .filter(([phase, , next]) => phase === from && !seen.includes(next))
    .flatMap(([, trigger, next]) => everyPath(next, to, [...seen, next]).map((path) => [trigger, ...path]));
}

/** The real table, with every target that a step can choose. */
const edges: [Phase, Trigger, Phase][] = allPhases.flatMap((phase) =>
  Object.entries(lifecycle[phase] as Record<string, Step>).flatMap(([trigger, step]) =>
    targetsOf(step).map((to): [Phase, Trigger, Phase] => [phase, trigger as Trigger, to]),
  ),
);
