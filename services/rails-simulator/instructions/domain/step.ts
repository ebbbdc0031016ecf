import { rtpRejectCodes } from "../../../../contracts/rails/return-codes.ts";
import type { RailEvent } from "./instruction.ts";

/** One thing that the rail will say. */
export interface Step {
  readonly event: RailEvent;
  /** Milliseconds after hand-off or injection; 0 is in the same breath, null only when somebody inquires. */
  readonly afterMs: number | null;
}

/** Between a settlement and its late return: the order completes meanwhile, and if not keeps the event until then. */
export const lateReturnAfterMs = 150;

/** A reject without a code of the network's. */
export const railRejected = "rail_rejected";

/** A reject in the network's words, or ours. */
export function failed(code: string): RailEvent {
  return { kind: "Failed", code, message: rtpRejectCodes[code] ?? "The rail refused the payment" };
}
