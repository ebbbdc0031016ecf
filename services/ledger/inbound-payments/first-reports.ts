import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { InvalidCommand } from "../posting/post-journals.ts";
import { type KnownReport, readKnownReports, type ReportKey, textOfKey } from "./store/inbound-payments.ts";

/**
 * Those of the messages whose payment is not stored yet, in order, one per reference (and code). The caller has locked
 * the heads. Throws `InvalidCommand` if the bank reported another payment under the same reference.
 */
export async function firstReports<M>(
  unit: UnitOfWork,
  messages: readonly M[],
  reportOf: (message: M) => ReportKey & KnownReport,
): Promise<M[]> {
  const known = await readKnownReports(unit.sql, messages.map(reportOf));
  return messages.filter((message) => {
    const report = reportOf(message);
    const key = textOfKey(report);
    const before = known.get(key);
    if (before === undefined) known.set(key, report);
    else if (!isSame(before, report)) {
      const reason = `the bank reported another payment under ${report.bankReference}`;
      throw new InvalidCommand("command_conflict", reason);
    }
    return before === undefined;
  });
}

function isSame(a: KnownReport, b: KnownReport): boolean {
  return a.direction === b.direction && a.rail === b.rail && a.amountCents === b.amountCents;
}
