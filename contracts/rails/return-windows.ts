import { addBankingDays, addDays, localTime } from "./banking-calendar.ts";
import { returnCode } from "./return-codes.ts";

/** Banks answer by the opening of business. */
const opensAt = "08:30";

/**
 * The end of a return code's window: 08:30 in New York of the last banking day on which the receiver's bank may return
 * an entry that settled on `settlementDate`. Null if no time is fixed, or if it counts from something else: the
 * receiver's refusal (R23), or an earlier return that the originator's bank dishonors.
 */
export function returnWindowEnd(code: string, settlementDate: string): Date | null {
  const known = returnCode(code);
  if (known === undefined || known.window === null) return null;
  const { window, initiator } = known;
  if (initiator === "OdfiDishonor" || initiator === "RdfiContest") return null;
  if (window === "NextFile") return localTime(addBankingDays(settlementDate, 1), opensAt);
  if ("calendarDays" in window) {
    return localTime(addBankingDays(addDays(settlementDate, window.calendarDays + 1), 0), opensAt);
  }
  if (window.from === "Refusal") return null;
  return localTime(addBankingDays(settlementDate, window.bankingDays), opensAt);
}
