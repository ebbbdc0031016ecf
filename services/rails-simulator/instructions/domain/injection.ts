import { Refusal } from "../../../../contracts/errors.ts";
import type { SimulationAction } from "../../../../contracts/http/sandbox/simulations.ts";
import { codesFor, returnCode, rtpRejectCodes } from "../../../../contracts/rails/return-codes.ts";
import type { OrderDirection, Rail } from "../../../../contracts/rails/rails.ts";
import { describeCodes } from "../../../../contracts/sandbox.ts";
import type { RailEvent } from "./instruction.ts";
import { failed, lateReturnAfterMs, railRejected, type Step } from "./step.ts";

type CodedAction = "fail" | "return" | "late-return";

/** What QA wants a rail to do to one order. */
export type Injection =
  | { readonly action: Exclude<SimulationAction, CodedAction>; readonly code: null }
  | { readonly action: CodedAction; readonly code: string };

interface Asked {
  readonly action: SimulationAction;
  readonly code?: string | undefined;
  readonly force?: boolean | undefined;
}

/**
 * The injection with its code: the caller's, checked against rail and direction, or the default (R01 on a debit, R03
 * on a credit, AC04 for a reject on RTP). `force` lets any known code happen.
 * @throws Refusal `simulation_not_applicable`, naming the codes that can happen.
 */
export function injectionFor(rail: Rail, direction: OrderDirection, asked: Asked): Injection {
  const { action, code, force = false } = asked;
  if (rail === "Book") {
    throw notApplicable("A Book transfer settles on the ledger and never meets a rail.", { rail });
  }
  const possible = codesFor(rail, direction, action);
  const about = { rail, direction, allowedCodes: possible };
  if (code !== undefined && !possible.includes(code) && !(force && isCodeOf(action, code))) {
    throw notApplicable(
      `${action} can't carry ${code} on a ${rail} ${direction}. ${describeCodes(possible)}`,
      {
        ...about,
        code,
      },
    );
  }
  switch (action) {
    case "accept":
    case "settle":
      return { action, code: null };
    case "fail":
      return { action, code: code ?? (rail === "Rtp" ? "AC04" : railRejected) };
    case "return":
    case "late-return":
      if (possible.length === 0 && !force) {
        throw notApplicable(`${rail} has no returns. Use fail to have the rail refuse the payment.`, about);
      }
      return { action, code: code ?? (direction === "Debit" ? "R01" : "R03") };
  }
}

function isCodeOf(action: SimulationAction, code: string): boolean {
  if (action === "fail") return Object.hasOwn(rtpRejectCodes, code);
  return (action === "return" || action === "late-return") && returnCode(code) !== undefined;
}

/**
 * What the rail says next when something is injected: it replaces whatever was planned and not yet said. Empty when
 * the very return was said already: then it is said again, as banks do.
 * @param said what the rail has said of the instruction so far.
 * @param force lets the rail contradict what it has said: settle after a failure, return once more. Banks do that too.
 * @throws Refusal `simulation_not_applicable` when the payment is past it.
 */
export function stepsOfInjection(said: readonly RailEvent[], injection: Injection, force = false): Step[] {
  const settled = said.some(({ kind }) => kind === "Settled");
  const returned = said.some(({ kind }) => kind === "Returned");
  const saidAgain = said.some((event) => event.kind === "Returned" && event.code === injection.code);
  if (saidAgain && injection.action === "late-return" && settled) return [];
  if (!force) refuseWhatIsOver(injection.action, said);
  // A return is known by its code and a settlement by its order: said twice, each is the same one.
  if (saidAgain && (injection.action === "return" || injection.action === "late-return")) return [];
  if (settled && injection.action === "settle")
    throw notApplicable("The payment has settled, and settles once.");
  const accepted: Step[] = said.length === 0 ? [{ event: { kind: "Accepted" }, afterMs: 0 }] : [];
  switch (injection.action) {
    case "accept":
      return accepted;
    case "settle":
      return [...accepted, { event: { kind: "Settled" }, afterMs: 0 }];
    case "fail":
      return [{ event: failed(injection.code), afterMs: 0 }];
    case "return":
      return [...accepted, { event: { kind: "Returned", code: injection.code }, afterMs: 0 }];
    case "late-return": {
      const comesBack: RailEvent = { kind: "Returned", code: injection.code };
      if (settled || returned) return [{ event: comesBack, afterMs: 0 }];
      return [
        ...accepted,
        { event: { kind: "Settled" }, afterMs: 0 },
        { event: comesBack, afterMs: lateReturnAfterMs },
      ];
    }
  }
}

function refuseWhatIsOver(action: SimulationAction, said: readonly RailEvent[]): void {
  const kinds = new Set(said.map(({ kind }) => kind));
  if (kinds.has("Failed"))
    throw notApplicable("The rail has refused the payment: nothing can happen to it any more.");
  if (kinds.has("Returned"))
    throw notApplicable("The payment has been returned: nothing can happen to it any more.");
  if (!kinds.has("Settled") || action === "late-return") return;
  if (action === "return") {
    throw notApplicable("The payment has settled. Use late-return to have it come back.", {
      instead: "late-return",
    });
  }
  throw notApplicable(`The payment has settled: ${action} comes too late.`);
}

export function notApplicable(detail: string, context: Record<string, unknown> = {}): Refusal {
  return new Refusal("simulation_not_applicable", detail, { context });
}
