import { Refusal } from "../../../../contracts/errors.ts";
import type { SimulationAction } from "../../../../contracts/http/sandbox/simulations.ts";
import { codesFor, returnCode, rtpRejectCodes } from "../../../../contracts/rails/return-codes.ts";
import type { OrderDirection, Rail } from "../../../../contracts/rails/rails.ts";
import { describeCodes } from "../../../../contracts/rails/magic-numbers.ts";
import { misfit, missing, rejectBadCorrection } from "../../rules/domain/correction.ts";
import { correctedBy } from "../../rules/domain/fault-needs.ts";
import type { CorrectedData, RailEvent } from "./instruction.ts";
import { defaultRejectCode, defaultReturnCode, failedWith, type Step } from "./step.ts";
import type { Timetable } from "./timetable.ts";

type CodedAction = "fail" | "return" | "late-return";

/** What a tester wants the rail to do to one order (the API calls it a simulation). */
export type Injection =
  | { readonly action: Exclude<SimulationAction, CodedAction | "notify-of-change">; readonly code: null }
  | { readonly action: CodedAction; readonly code: string }
  | { readonly action: "notify-of-change"; readonly code: string; readonly correctedData: CorrectedData };

interface InjectionRequest {
  readonly action: SimulationAction;
  readonly code?: string | undefined;
  readonly force?: boolean | undefined;
  readonly correctedData?: CorrectedData | undefined;
}

interface CodeRule {
  readonly defaultCode: (rail: Rail, direction: OrderDirection) => string | null;
  /** Whether `force` may use the code even if rail and direction don't allow it. */
  readonly isKnown: (code: string) => boolean;
}

const noCode: CodeRule = { defaultCode: () => null, isKnown: () => false };
const anyReturnCode: CodeRule = {
  defaultCode: (_rail, direction) => defaultReturnCode(direction),
  isKnown: (code) => returnCode(code) !== undefined,
};
const codeRules = {
  accept: noCode,
  settle: noCode,
  fail: {
    defaultCode: defaultRejectCode,
    isKnown: (code) => Object.hasOwn(rtpRejectCodes, code),
  },
  return: anyReturnCode,
  "late-return": anyReturnCode,
} as const satisfies Record<Exclude<SimulationAction, "notify-of-change">, CodeRule>;

/**
 * The injection with the caller's code, checked against rail and direction, or with the default code. `force` allows
 * any known code. Refusals: `simulation_not_applicable`, with the allowed codes; `missing_field`, `invalid_field`,
 * `invalid_routing_number` for corrected data that does not fit.
 * @param bankingDate `YYYY-MM-DD` in the book: codes that begin later do not exist yet.
 */
export function toInjection(
  { rail, direction }: { readonly rail: Rail; readonly direction: OrderDirection },
  request: InjectionRequest,
  bankingDate: string,
): Injection {
  const { action, code, force = false } = request;
  if (rail === "Book") {
    throw notApplicable("A Book transfer settles on the ledger and never meets a rail.", { rail });
  }
  if (action === "notify-of-change") return noticeOf(rail, request);
  if (request.correctedData !== undefined) {
    throw misfit("/correctedData", "Send correctedData with notify-of-change only.");
  }
  const allowedCodes = codesFor(rail, direction, action, bankingDate);
  const context = { rail, direction, allowedCodes };
  const { defaultCode, isKnown } = codeRules[action];
  if ((action === "return" || action === "late-return") && allowedCodes.length === 0 && !force) {
    throw notApplicable(`${rail} has no returns. Use fail to have the rail refuse the payment.`, context);
  }
  if (code !== undefined && !allowedCodes.includes(code) && !(force && isKnown(code))) {
    const beginsOn = returnCode(code)?.effectiveFrom;
    const isEarly = beginsOn !== undefined && codesFor(rail, direction, action, beginsOn).includes(code);
    const why = isEarly
      ? `${code} begins on ${beginsOn}, and it is ${bankingDate} in this book.`
      : `${action} of a ${direction} over ${rail} can't carry ${code}.`;
    throw notApplicable(`${why} ${describeCodes(allowedCodes)}`, { ...context, code }, "/code");
  }
  return { action, code: code ?? defaultCode(rail, direction) } as Injection;
}

function noticeOf(rail: Rail, { code, correctedData = {} }: InjectionRequest): Injection {
  if (rail !== "Ach" && rail !== "SameDayAch") {
    throw notApplicable(`${rail} has no notices of change. Ach and SameDayAch have.`, { rail });
  }
  if (code === undefined) throw missing("/code", "notify-of-change");
  const allowedCodes = Object.keys(correctedBy);
  if (!allowedCodes.includes(code)) {
    const detail = `${code} is no change code. ${describeCodes(allowedCodes)}`;
    throw notApplicable(detail, { rail, code, allowedCodes }, "/code");
  }
  rejectBadCorrection({ code, correctedData });
  return { action: "notify-of-change", code, correctedData };
}

/** How far the payment is, by what the rail has published. `Open`: no money has moved. */
type RailState = "New" | "Open" | "Settled" | "Returned" | "SettledAndReturned";

type NextEvent =
  | Exclude<RailEvent["kind"], "UnmatchedReturn" | "SentBack">
  | "SettledThenReturned"
  | "SettledThenNoticeOfChange";

interface Outcome {
  /** Contradicts what the rail has published, as banks sometimes do: only with `force`. */
  readonly needsForce: boolean;
  /** The next events; null if not even `force` makes them possible. */
  readonly events: readonly NextEvent[] | null;
}

const next = (...events: NonNullable<Outcome["events"]>): Outcome => ({ needsForce: false, events });
const byForce = (...events: NonNullable<Outcome["events"]>): Outcome => ({ needsForce: true, events });
const never: Outcome = { needsForce: true, events: null };

/** What each action makes the rail publish next, in each state. */
const outcomes = {
  accept: {
    New: next("Accepted"),
    Open: next(),
    Settled: byForce(),
    Returned: byForce(),
    SettledAndReturned: byForce(),
  },
  settle: {
    New: next("Accepted", "Settled"),
    Open: next("Settled"),
    Settled: never,
    Returned: byForce("Settled"),
    SettledAndReturned: never,
  },
  fail: {
    New: next("Failed"),
    Open: next("Failed"),
    Settled: byForce("Failed"),
    Returned: byForce("Failed"),
    SettledAndReturned: byForce("Failed"),
  },
  return: {
    New: next("Accepted", "Returned"),
    Open: next("Returned"),
    Settled: byForce("Returned"),
    Returned: byForce("Returned"),
    SettledAndReturned: byForce("Returned"),
  },
  "late-return": {
    New: next("Accepted", "SettledThenReturned"),
    Open: next("SettledThenReturned"),
    Settled: next("Returned"),
    Returned: byForce("Returned"),
    SettledAndReturned: byForce("Returned"),
  },
  "notify-of-change": {
    New: next("Accepted", "SettledThenNoticeOfChange"),
    Open: next("SettledThenNoticeOfChange"),
    Settled: next("NoticeOfChange"),
    Returned: byForce("NoticeOfChange"),
    SettledAndReturned: byForce("NoticeOfChange"),
  },
} as const satisfies Record<SimulationAction, Record<RailState, Outcome>>;

/**
 * The steps that an injection puts in place of the unpublished ones. Empty for an `accept` of a payment that the rail
 * already has, which then waits for the next injection, and for a return that the rail has already published. The
 * caller then publishes all earlier events again. A return is identified by its code, so it can't happen twice.
 * Refusals: `simulation_not_applicable` if the payment is too far for the action.
 * @param published what the rail has published about the instruction.
 */
export function injectedSteps(
  published: readonly RailEvent[],
  injection: Injection,
  timetable: Timetable,
  force = false,
): Step[] {
  const { action } = injection;
  const state = stateOf(published);
  const { needsForce, events } = outcomes[action][state];
  const isRepeatedReturn =
    (action === "return" || action === "late-return") &&
    published.some((event) => event.kind === "Returned" && event.code === injection.code);
  if (isRepeatedReturn && (force || (action === "late-return" && state === "SettledAndReturned"))) return [];
  const hasFailed = published.some(({ kind }) => kind === "Failed");
  if (!force && (hasFailed || needsForce)) throw tooLate(action, state, hasFailed);
  if (events === null) throw notApplicable("The payment has already settled.");
  return events.flatMap((event) => toSteps(event, injection, timetable));
}

function stateOf(published: readonly RailEvent[]): RailState {
  const kinds = new Set(published.map(({ kind }) => kind));
  if (kinds.has("Returned")) return kinds.has("Settled") ? "SettledAndReturned" : "Returned";
  if (kinds.has("Settled")) return "Settled";
  return published.length === 0 ? "New" : "Open";
}

function toSteps(event: NextEvent, injection: Injection, timetable: Timetable): Step[] {
  const { now, settlesBeforeLateReturnAt: settlesAt, lateReturnAt } = timetable;
  // Only accept and settle have no code, and their events need none.
  const code = injection.code ?? "";
  const notice: RailEvent = {
    kind: "NoticeOfChange",
    code,
    correctedData: "correctedData" in injection ? injection.correctedData : {},
  };
  const afterSettlement = (last: RailEvent): Step[] => [
    { event: { kind: "Settled" }, dueAt: settlesAt },
    { event: last, dueAt: lateReturnAt(code, settlesAt) },
  ];
  switch (event) {
    case "Accepted":
    case "Settled":
      return [{ event: { kind: event }, dueAt: now }];
    case "Failed":
      return [{ event: failedWith(code), dueAt: now }];
    case "Returned":
      return [{ event: { kind: "Returned", code }, dueAt: now }];
    case "NoticeOfChange":
      return [{ event: notice, dueAt: now }];
    case "SettledThenReturned":
      return afterSettlement({ kind: "Returned", code });
    case "SettledThenNoticeOfChange":
      return afterSettlement(notice);
  }
}

function tooLate(action: SimulationAction, state: RailState, hasFailed: boolean): Refusal {
  if (hasFailed) return notApplicable("The rail has refused the payment: nothing can happen to it any more.");
  if (state !== "Settled") {
    return notApplicable("The payment has been returned: nothing can happen to it any more.");
  }
  if (action !== "return") return notApplicable(`The payment has settled: ${action} comes too late.`);
  return notApplicable("The payment has settled. Use late-return to have it come back.", {
    instead: "late-return",
  });
}

/** `pointer` names the field of the request's body that is refused; without one, the order's state is the cause. */
export function notApplicable(
  detail: string,
  context: Record<string, unknown> = {},
  pointer?: string,
): Refusal {
  const code = "simulation_not_applicable";
  const errors = pointer === undefined ? {} : { errors: [{ pointer, code, message: detail } as const] };
  return new Refusal(code, detail, { context, ...errors });
}
