import { rtpRejectCodes } from "../../../../contracts/rails/return-codes.ts";
import type { RailEvent } from "./instruction.ts";

/** An event that the rail will publish. */
export interface Step {
  readonly event: RailEvent;
  /** Delay after the hand-off or injection. 0: published in the same transaction. Null: only on an inquiry. */
  readonly afterMs: number | null;
}

/** From a settlement to its late return. If the order has not completed by then, orders defers the event. */
export const lateReturnAfterMs = 150;

/** The code of a reject on networks without reject codes. */
export const genericRejectCode = "rail_rejected";

/** A reject with the network's text for the code, or ours. */
export function failedWith(code: string): RailEvent {
  return { kind: "Failed", code, message: rtpRejectCodes[code] ?? "The rail refused the payment" };
}
