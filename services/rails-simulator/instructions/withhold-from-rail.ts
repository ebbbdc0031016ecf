import type { PaymentOrderId } from "../../../contracts/ids/ids.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import type { SimulatedBooks } from "../rules/store/simulated-books.ts";
import { type Fault, isAtRail } from "./domain/faults.ts";
import type { Submission } from "./rail-adapter.ts";
import { readIsCatchingUp } from "./store/payment-rechecks.ts";
import { insertUndelivered, readLost } from "./store/undelivered-instructions.ts";

/**
 * Stores the submissions that an outage withholds or that get lost, and returns the others, which the rail takes. A
 * message that got lost stays lost when it comes again, also if its rule acts no more.
 */
export async function withholdFromRail(
  submissions: readonly Submission[],
  faults: ReadonlyMap<PaymentOrderId, Fault>,
  { sql }: UnitOfWork,
  bookOf: SimulatedBooks,
): Promise<readonly Submission[]> {
  const faultless = submissions.filter(
    ({ book, data }) => bookOf(book).ruleChanges !== null && !faults.has(data.orderId),
  );
  const lost = faultless.length === 0 ? new Set<string>() : await readLost(sql, faultless);
  const arriving = lost.size === 0 ? submissions : submissions.filter(({ id }) => !lost.has(id));
  const undelivered = arriving.flatMap((submission) => {
    const fault = faults.get(submission.data.orderId);
    if (fault === undefined || isAtRail(fault)) return [];
    return [{ submission, kind: fault.kind === "Outage" ? ("Held" as const) : ("Lost" as const) }];
  });
  if (undelivered.length === 0) return arriving;
  const withheld = await insertUndelivered(sql, undelivered);
  return arriving.filter(({ data }) => !withheld.has(data.orderId));
}

/**
 * After an outage, withholds submissions until their rail has those that were withheld before them, and returns the
 * others. No rule acts on one before the rail gets it.
 */
export async function withholdBehindOthers(
  submissions: readonly Submission[],
  { sql }: UnitOfWork,
  bookOf: SimulatedBooks,
): Promise<readonly Submission[]> {
  const ruled = submissions.map(({ book }) => book).filter((book) => bookOf(book).ruleChanges !== null);
  const isCatchingUp = await readIsCatchingUp(sql, ruled);
  const behind = submissions.filter(({ book, data }) => isCatchingUp(book, data.rail));
  if (behind.length === 0) return submissions;
  const withheld = await insertUndelivered(
    sql,
    behind.map((submission) => ({ submission, kind: "Held" as const })),
  );
  return submissions.filter(({ data }) => !withheld.has(data.orderId));
}
