import type { InjectionFault } from "../../../../contracts/http/sandbox/injections.ts";
import { codesFor } from "../../../../contracts/rails/return-codes.ts";
import { railLimit } from "../../../../contracts/rails/rail-rules.ts";
import { type OrderDirection, type Rail, rails } from "../../../../contracts/rails/rails.ts";
import type { CorrectedData, RailAndDirection } from "./rule.ts";

/** What each notice of change corrects (Nacha Operating Rules, Appendix Five). */
export const correctedBy: Readonly<Record<string, readonly (keyof CorrectedData)[]>> = {
  C01: ["accountNumber"],
  C02: ["routingNumber"],
  C03: ["routingNumber", "accountNumber"],
  C04: ["name"],
  C05: ["transactionCode"],
  C06: ["accountNumber", "transactionCode"],
  C07: ["routingNumber", "accountNumber", "transactionCode"],
  C09: ["individualId"],
};

type CodesOf = (rail: Rail, direction: OrderDirection, bankingDate: string) => readonly string[];

interface FaultNeed {
  /** The rails that have the fault; absent: every rail but Book. */
  readonly on?: readonly Rail[];
  /** Its codes; absent: it has none. */
  readonly codes?: CodesOf;
}

const ach = ["Ach", "SameDayAch"] as const;
const returnCodes: CodesOf = (rail, direction, date) => codesFor(rail, direction, "return", date);
const ofReturns: FaultNeed = { on: ach, codes: returnCodes };

const faultNeeds: Readonly<Record<InjectionFault, FaultNeed>> = {
  Return: ofReturns,
  LateReturn: ofReturns,
  OutOfOrder: ofReturns,
  DuplicateReturn: ofReturns,
  UnmatchedReturn: ofReturns,
  SentBack: { on: ["Wire"] },
  Reject: { codes: (rail, direction) => codesFor(rail, direction, "fail") },
  NoticeOfChange: { on: ach, codes: () => Object.keys(correctedBy) },
  Timeout: {},
  LostAcknowledgement: {},
  DuplicateFacts: {},
  Delay: {},
  Outage: {},
};

/** The faults whose references chance gives: the same in every run. */
export const faultsByChance: ReadonlySet<InjectionFault> = new Set(["UnmatchedReturn", "SentBack"]);

export interface PaymentKind {
  readonly rail: Rail;
  readonly direction: OrderDirection;
}

/** Every rail but Book, with the directions that it carries on a banking date. */
export function everyKind(bankingDate: string): PaymentKind[] {
  return rails.flatMap((rail) =>
    rail === "Book"
      ? []
      : (["Credit", "Debit"] as const)
          .filter((direction) => railLimit(rail, direction, bankingDate) !== null)
          .map((direction) => ({ rail, direction })),
  );
}

/** Those of the kinds where the fault is possible, whatever its code. */
export function kindsOfFault(fault: InjectionFault, kinds: readonly PaymentKind[]): PaymentKind[] {
  const { on } = faultNeeds[fault];
  return kinds.filter(({ rail }) => on === undefined || on.includes(rail));
}

/** The codes that the fault can have in any of the kinds, each once. */
export function codesOfFault(
  fault: InjectionFault,
  kinds: readonly PaymentKind[],
  bankingDate: string,
): string[] {
  const { codes } = faultNeeds[fault];
  if (codes === undefined) return [];
  return [...new Set(kinds.flatMap(({ rail, direction }) => codes(rail, direction, bankingDate)))].sort();
}

export const kindName = ({ rail, direction }: PaymentKind): RailAndDirection => `${rail}/${direction}`;
