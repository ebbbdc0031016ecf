import type { OrderDirection, Rail } from "./rails.ts";

/** The `SimulationAction` of http/, spelled out: the dashboard imports this file, and a browser has no zod. */
type Action = "accept" | "settle" | "fail" | "return" | "late-return" | "notify-of-change";

/** The sender of a return. Only the receiver's bank (RDFI) returns an entry that reached an account. */
type Initiator = "Rdfi" | "Operator" | "Government" | "OdfiDishonor" | "RdfiContest" | "Gateway";

/** The sender's deadline: days after settlement, the operator's next file, or null when no time is fixed. */
type ReturnWindow =
  | { readonly bankingDays: number; readonly from?: "Refusal" }
  | { readonly calendarDays: number }
  | "NextFile"
  | null;

export interface ReturnCode {
  readonly code: string;
  readonly reason: string;
  readonly initiator: Initiator;
  /** The direction of the entries that it can return. */
  readonly direction: OrderDirection | "Both";
  readonly window: ReturnWindow;
  /** An unauthorized debit. Nacha watches the originator's rate of these. */
  readonly unauthorized: boolean;
  /** The first banking date of a code that Nacha has announced for the future. */
  readonly effectiveFrom?: string;
}

const twoDays = { bankingDays: 2 } as const;
const fiveDays = { bankingDays: 5 } as const;
const sixtyDays = { calendarDays: 60 } as const;
const unauthorizedCodes: ReadonlySet<string> = new Set(["R05", "R07", "R10", "R11", "R29", "R51"]);

function returned(
  code: string,
  reason: string,
  direction: ReturnCode["direction"],
  window: ReturnWindow,
  initiator: Initiator = "Rdfi",
): ReturnCode {
  return { code, reason, initiator, direction, window, unauthorized: unauthorizedCodes.has(code) };
}

/** Nacha Operating Rules, Appendix Four: every return code, with the reason that callers read. */
export const returnCodes: readonly ReturnCode[] = [
  returned("R01", "InsufficientFunds", "Debit", twoDays),
  returned("R02", "AccountClosed", "Both", twoDays),
  returned("R03", "NoAccount", "Both", twoDays),
  returned("R04", "InvalidAccountNumber", "Both", twoDays),
  returned("R05", "UnauthorizedCorporateDebitToConsumer", "Debit", sixtyDays),
  returned("R06", "ReturnedPerOdfiRequest", "Both", null),
  returned("R07", "AuthorizationRevoked", "Debit", sixtyDays),
  returned("R08", "PaymentStopped", "Debit", twoDays),
  returned("R09", "UncollectedFunds", "Debit", twoDays),
  returned("R10", "NotAuthorized", "Debit", sixtyDays),
  returned("R11", "NotInAccordanceWithAuthorization", "Debit", sixtyDays),
  returned("R12", "AccountSoldToAnotherBank", "Both", twoDays),
  returned("R13", "InvalidRoutingNumber", "Both", "NextFile", "Operator"),
  returned("R14", "RepresentativePayeeDeceased", "Both", twoDays),
  returned("R15", "AccountHolderDeceased", "Both", twoDays),
  returned("R16", "AccountFrozen", "Both", twoDays),
  returned("R17", "QuestionableEntry", "Both", twoDays),
  returned("R18", "ImproperEffectiveEntryDate", "Both", "NextFile", "Operator"),
  returned("R19", "AmountFieldError", "Both", "NextFile", "Operator"),
  returned("R20", "NonTransactionAccount", "Both", twoDays),
  returned("R21", "InvalidCompanyIdentification", "Credit", twoDays),
  returned("R22", "InvalidIndividualId", "Credit", twoDays),
  returned("R23", "CreditRefusedByReceiver", "Credit", { bankingDays: 2, from: "Refusal" }),
  returned("R24", "DuplicateEntry", "Both", twoDays),
  returned("R25", "AddendaError", "Both", "NextFile", "Operator"),
  returned("R26", "MandatoryFieldError", "Both", "NextFile", "Operator"),
  returned("R27", "TraceNumberError", "Both", "NextFile", "Operator"),
  returned("R28", "RoutingNumberCheckDigitError", "Both", "NextFile", "Operator"),
  returned("R29", "CorporateCustomerNotAuthorized", "Debit", twoDays),
  returned("R30", "NotInCheckTruncationProgram", "Debit", "NextFile"),
  returned("R31", "PermissibleReturn", "Debit", null),
  returned("R32", "RdfiNonSettlement", "Both", "NextFile", "Operator"),
  returned("R33", "ReturnOfXckEntry", "Debit", sixtyDays),
  returned("R34", "LimitedParticipationBank", "Both", "NextFile", "Operator"),
  returned("R35", "ImproperDebitEntry", "Debit", "NextFile", "Operator"),
  returned("R36", "ImproperCreditEntry", "Credit", "NextFile", "Operator"),
  returned("R37", "SourceDocumentPresented", "Debit", sixtyDays),
  returned("R38", "StopPaymentOnSourceDocument", "Debit", sixtyDays),
  returned("R39", "ImproperSourceDocument", "Debit", twoDays),
  returned("R40", "ReturnOfEnrollmentEntry", "Both", twoDays, "Government"),
  returned("R41", "InvalidTransactionCode", "Both", twoDays, "Government"),
  returned("R42", "EnrollmentRoutingNumberError", "Both", twoDays, "Government"),
  returned("R43", "EnrollmentAccountNumberError", "Both", twoDays, "Government"),
  returned("R44", "EnrollmentIndividualIdError", "Both", twoDays, "Government"),
  returned("R45", "EnrollmentNameError", "Both", twoDays, "Government"),
  returned("R46", "InvalidRepresentativePayeeIndicator", "Both", twoDays, "Government"),
  returned("R47", "DuplicateEnrollment", "Both", twoDays, "Government"),
  returned("R50", "StateLawAffectingRck", "Debit", twoDays),
  returned("R51", "RckItemIneligible", "Debit", sixtyDays),
  returned("R52", "StopPaymentOnRckItem", "Debit", sixtyDays),
  returned("R53", "RckItemAndEntryPresented", "Debit", sixtyDays),
  returned("R61", "MisroutedReturn", "Both", fiveDays, "OdfiDishonor"),
  returned("R62", "ReturnOfErroneousDebit", "Debit", fiveDays, "OdfiDishonor"),
  returned("R67", "DuplicateReturn", "Both", fiveDays, "OdfiDishonor"),
  returned("R68", "UntimelyReturn", "Both", fiveDays, "OdfiDishonor"),
  returned("R69", "FieldErrors", "Both", fiveDays, "OdfiDishonor"),
  returned("R70", "PermissibleReturnNotAccepted", "Both", fiveDays, "OdfiDishonor"),
  returned("R71", "MisroutedDishonoredReturn", "Both", twoDays, "RdfiContest"),
  returned("R72", "UntimelyDishonoredReturn", "Both", twoDays, "RdfiContest"),
  returned("R73", "TimelyOriginalReturn", "Both", twoDays, "RdfiContest"),
  returned("R74", "CorrectedReturn", "Both", twoDays, "RdfiContest"),
  returned("R75", "ReturnNotADuplicate", "Both", twoDays, "RdfiContest"),
  returned("R76", "NoErrorsFound", "Both", twoDays, "RdfiContest"),
  returned("R77", "NonAcceptanceOfDishonoredReturn", "Debit", twoDays, "RdfiContest"),
  returned("R80", "IatCodingError", "Both", null, "Gateway"),
  returned("R81", "NotInIatProgram", "Both", null, "Gateway"),
  returned("R82", "InvalidForeignBankIdentification", "Both", null, "Gateway"),
  returned("R83", "ForeignBankUnableToSettle", "Both", null, "Gateway"),
  returned("R84", "NotProcessedByGateway", "Both", null, "Gateway"),
  returned("R85", "IncorrectlyCodedInternationalPayment", "Both", null, "Gateway"),
  { ...returned("R90", "SanctionsCompliance", "Both", null), effectiveFrom: "2028-03-17" },
];

/** ISO 20022 reasons with which a receiver's bank refuses an RTP credit. The network has no returns. */
export const rtpRejectCodes: Readonly<Record<string, string>> = {
  AC03: "The receiver's account number is not valid",
  AC04: "The receiver's account is closed",
  AC06: "The receiver's account is blocked",
  AG01: "Credit transfers are forbidden on this type of account",
  AM09: "The amount is not the one agreed or expected",
  AM14: "The amount is above what the receiver's bank accepts",
  BE06: "The receiver is not known at this bank",
  MD07: "The receiver is deceased",
  RC04: "The receiver's bank identifier is not valid",
  DS24: "The receiver's bank did not answer in time",
};

const byCode: ReadonlyMap<string, ReturnCode> = new Map(returnCodes.map((known) => [known.code, known]));

/** Looks up a Nacha return code; undefined when there is no such code. */
export function returnCode(code: string): ReturnCode | undefined {
  return byCode.get(code);
}

/** The return codes of each reason that `returnReason` can give. */
export const codesByReason: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    [...Map.groupBy(returnCodes, ({ reason }) => reason)].map(([reason, same]) => [
      reason,
      same.map(({ code }) => code),
    ]),
  ),
  Other: [],
};

/** `R01` → `InsufficientFunds`; `Other` for an unknown code. */
export function returnReason(code: string): string {
  return byCode.get(code)?.reason ?? "Other";
}

/**
 * The codes that a rail can give for a simulated action, in order. Only ACH has returns, and they come from the
 * receiver's bank. Only RTP has rejects with a network code.
 * @param bankingDate `YYYY-MM-DD`. Leaves out codes that start after this date. Without a date, leaves out every code
 * that has a start date.
 */
export function codesFor(
  rail: Rail,
  direction: OrderDirection,
  action: Action,
  bankingDate?: string,
): string[] {
  if (action === "fail") return rail === "Rtp" && direction === "Credit" ? Object.keys(rtpRejectCodes) : [];
  if (action !== "return" && action !== "late-return") return [];
  if (rail !== "Ach" && rail !== "SameDayAch") return [];
  return returnCodes
    .filter(
      (known) =>
        known.initiator === "Rdfi" &&
        (known.direction === "Both" || known.direction === direction) &&
        (known.effectiveFrom === undefined ||
          (bankingDate !== undefined && bankingDate >= known.effectiveFrom)),
    )
    .map((known) => known.code);
}

/** True when the rail can reject or return a payment of that direction with the code. */
export function isPossibleCode(
  code: string,
  rail: Rail,
  direction: OrderDirection,
  bankingDate?: string,
): boolean {
  return possibleCodes(rail, direction, bankingDate).includes(code);
}

function possibleCodes(rail: Rail, direction: OrderDirection, bankingDate?: string): string[] {
  return [...codesFor(rail, direction, "fail"), ...codesFor(rail, direction, "return", bankingDate)];
}
