import type { PaymentOrderId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { type Fault, isAtRail } from "./domain/faults.ts";
import type { Submission } from "./rail-adapter.ts";
import { insertUndelivered } from "./store/undelivered-instructions.ts";

/** Stores the submissions that an outage holds or that get lost, and returns the others, which the rail takes. */
export async function withholdFromRail(
  submissions: readonly Submission[],
  faults: ReadonlyMap<PaymentOrderId, Fault>,
  { sql }: UnitOfWork,
): Promise<readonly Submission[]> {
  if (faults.size === 0) return submissions;
  const undelivered = submissions.flatMap((submission) => {
    const fault = faults.get(submission.data.orderId);
    if (fault === undefined || isAtRail(fault)) return [];
    return [{ submission, kind: fault.kind === "Outage" ? ("Held" as const) : ("Lost" as const) }];
  });
  if (undelivered.length === 0) return submissions;
  const withheld = await insertUndelivered(sql, undelivered);
  return submissions.filter(({ data }) => !withheld.has(data.orderId));
}
