import type { z } from "zod";
import type { Refusal } from "../../../../contracts/errors.ts";
import type { CreateInjection } from "../../../../contracts/messages/injections.ts";
import { returnCode } from "../../../../contracts/rails/return-codes.ts";
import { describeCodes } from "../../../../contracts/rails/magic-numbers.ts";
import {
  codesOfFault,
  everyKind,
  type PaymentKind,
  kindName,
  kindsOfFault,
} from "../../rules/domain/fault-needs.ts";
import { fieldRefusal, misfit, missing, rejectBadCorrection } from "../../rules/domain/correction.ts";
import type { RailAndDirection } from "../../rules/domain/rule.ts";

export type RuleRequest = z.output<typeof CreateInjection.data>;

/** The time in the book, and its banking date. */
export interface RuleTime {
  readonly now: Date;
  readonly bankingDate: string;
}

/**
 * The rails and directions on which a requested rule acts: those that it matches and where its fault and code exist.
 * Refusals: `simulation_not_applicable` if there are none; `missing_field`, `invalid_field`, `invalid_routing_number`
 * for fields that don't fit each other.
 * @param order the order that it names, if there is one.
 */
export function kindsOfRule(
  request: RuleRequest,
  order: PaymentKind | undefined,
  { now, bankingDate }: RuleTime,
): RailAndDirection[] {
  rejectMisfits(request, now);
  const matched = matchedKinds(request, order, bankingDate);
  const possible = kindsOfFault(request.fault, matched);
  if (possible.length === 0) {
    const possibleRails = new Set(
      kindsOfFault(request.fault, everyKind(bankingDate)).map(({ rail }) => rail),
    );
    throw refused(
      "/fault",
      `${request.fault} is not possible on the payments that the rule matches. Possible rails: ${[...possibleRails].join(", ")}.`,
    );
  }
  const kinds = kindsOfCode(request, possible, bankingDate);
  if (request.fault === "NoticeOfChange") rejectBadCorrection(request);
  return kinds.map(kindName);
}

/** Refusals: `simulation_not_applicable` for Book, and for an order of another direction than the rule's. */
function matchedKinds(
  { match }: RuleRequest,
  order: PaymentKind | undefined,
  bankingDate: string,
): readonly PaymentKind[] {
  if (match.rail === "Book" || order?.rail === "Book") {
    const pointer = match.rail === "Book" ? "/match/rail" : "/match";
    const detail =
      "A Book transfer settles on the ledger and never meets a rail. Match payments of another rail.";
    throw refused(pointer, detail);
  }
  const { rail, direction } = match;
  const every = order === undefined ? everyKind(bankingDate) : [order];
  const matched = every.filter(
    (kind) =>
      (rail === undefined || kind.rail === rail) && (direction === undefined || kind.direction === direction),
  );
  if (matched.length > 0) return matched;
  throw refused(
    "/match/direction",
    order === undefined
      ? `${rail ?? "No rail"} carries no ${direction ?? "payment"}. Send another direction, or none.`
      : `The order is a ${order.direction}, so the rule would never act. Send no direction.`,
  );
}

/** Refusals: `simulation_not_applicable` with the possible codes. */
function kindsOfCode(
  { fault, code }: RuleRequest,
  possible: PaymentKind[],
  bankingDate: string,
): PaymentKind[] {
  if (code === undefined) {
    if (fault === "NoticeOfChange") throw missing("/code", "NoticeOfChange");
    return possible;
  }
  const kinds = possible.filter((kind) => codesOfFault(fault, [kind], bankingDate).includes(code));
  if (kinds.length > 0) return kinds;
  const allowedCodes = codesOfFault(fault, possible, bankingDate);
  const from = returnCode(code)?.effectiveFrom;
  const why =
    from !== undefined && bankingDate < from
      ? `${code} exists from ${from}, and it is ${bankingDate} in this book.`
      : `${fault} can't have the code ${code} on the payments that the rule matches.`;
  throw refused("/code", `${why} ${describeCodes(allowedCodes)}`, { code, allowedCodes });
}

/** Refusals: `missing_field`, `invalid_field` for fields that don't fit the fault. */
function rejectMisfits(request: RuleRequest, now: Date): void {
  const { fault, then, delaySeconds, correctedData, seed, share, count, until, match } = request;
  if (then !== undefined && fault !== "Timeout") throw misfit("/then", "Send then with Timeout only.");
  if (delaySeconds === undefined && fault === "Delay") throw missing("/delaySeconds", fault);
  if (delaySeconds !== undefined && fault !== "Delay") {
    throw misfit("/delaySeconds", "Send delaySeconds with Delay only.");
  }
  if (correctedData !== undefined && fault !== "NoticeOfChange") {
    throw misfit("/correctedData", "Send correctedData with NoticeOfChange only.");
  }
  if (seed !== undefined && share === undefined) throw misfit("/seed", "Send seed with share only.");
  if (until !== undefined && new Date(until) <= now) {
    throw misfit("/until", `until must be after ${now.toISOString()}, the time in this book.`);
  }
  if (fault !== "Outage") return;
  if (match.rail === undefined || match.direction !== undefined) {
    throw misfit("/match", "An Outage is of a whole rail: match it by rail, and send no direction.");
  }
  if (share !== undefined) throw misfit("/share", "An Outage takes no share: it is of all payments.");
  if (count !== undefined) throw misfit("/count", "An Outage takes no count: end it, or send until.");
}

function refused(pointer: string, detail: string, context: Record<string, unknown> = {}): Refusal {
  return fieldRefusal("simulation_not_applicable", pointer, detail, context);
}
