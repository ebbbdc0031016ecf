import { rtpRejectCodes } from "../../../../contracts/rails/return-codes.ts";
import type { OrderDirection, Rail } from "../../../../contracts/rails/rails.ts";
import type { RailEvent } from "./instruction.ts";

/** An event that the rail will publish. Steps are listed in the order in which they happen. */
export interface Step {
  readonly event: RailEvent;
  /** In the time of the book. What is due at the hand-off is published in the same transaction. */
  readonly dueAt: Date;
  /** The rail says nothing of it until it is asked, and then not before it is due. */
  readonly silent?: true;
  /** How many times the rail publishes it; without it, once. */
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
