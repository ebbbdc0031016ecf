import type { ClockMode } from "../../../contracts/book-clock.ts";
import type { ApprovalPolicy } from "./approval-policy.ts";
import type { ApprovalRight } from "./approvals.ts";

/** What decisions about an order depend on besides the order itself: its book, and the time. */
export interface BookContext {
  /** The time in the book: of windows, dates, limits, deadlines, settlements, the history and its events. */
  readonly now: Date;
  /** The time outside: of record times, of what waits for the ledger, and of the right to approve. */
  readonly realNow: Date;
  /** Instant: rail windows are always open and an ACH order completes at once. The others: as in New York. */
  readonly clock: ClockMode;
  /** The book's time differs from real time, or has once: what waits for a time of the book is due on its clock. */
  readonly hasOwnClock: boolean;
  readonly policy: ApprovalPolicy;
  readonly tenantActive: boolean;
  /** By principal: only those whose right to approve has ended once, or will. All others have it without an end. */
  readonly approvalRights: ReadonlyMap<string, ApprovalRight>;
  /** The ledger has frozen the book and posts nothing to it. */
  readonly bookFrozen: boolean;
  /** The completion delay: how many banking days a settled ACH order waits for returns. */
  readonly completesAfterBankingDays: number;
}
