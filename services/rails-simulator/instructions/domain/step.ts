import { rtpRejectCodes } from "../../../../contracts/rails/return-codes.ts";
import type { OrderDirection, Rail } from "../../../../contracts/rails/rails.ts";
import type { RailEvent } from "./instruction.ts";

/** An event that the rail will publish. Steps are listed in the order in which they happen. */
export interface Step {
  readonly event: RailEvent;
  /** In the time of the book. What is due at the hand-off is published in the same transaction. */
  readonly dueAt: Date;
  /** The rail publishes it only on an inquiry, and not before it is due. */
  readonly onlyOnInquiry?: true;
  /** How many copies of the message the rail publishes. Default: 1. */
  readonly copies?: number;
}

/** The code of a reject on networks without reject codes. */
const genericRejectCode = "rail_rejected";

/** The code of a return for which nobody has named one. */
export function defaultReturnCode(direction: OrderDirection): string {
  return direction === "Debit" ? "R01" : "R03";
}

/** The code of a reject for which nobody has named one. */
export function defaultRejectCode(rail: Rail): string {
  return rail === "Rtp" ? "AC04" : genericRejectCode;
}

/** A reject with the network's text for the code, or ours. */
export function failedWith(code: string): RailEvent {
  return { kind: "Failed", code, message: rtpRejectCodes[code] ?? "The rail refused the payment" };
}
