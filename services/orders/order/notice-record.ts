import type { CorrectedData } from "../../../contracts/http/payments/proposed-changes.ts";
import type { ProposedChangeId } from "../../../contracts/ids/ids.ts";

/** A notice of change as its order stores it: nothing of the account number but its last four. */
export interface NoticeRecord {
  /** Its number among the rail's events of the instruction. A notice that comes again has the same. */
  readonly number: number;
  readonly code: string;
  readonly correctedData: CorrectedData;
  readonly receivedAt: string;
  readonly proposedChangeId: ProposedChangeId | null;
}
