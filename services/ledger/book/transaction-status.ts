import type { LedgerTransaction } from "../../../contracts/http/ledger/ledger-transactions.ts";
import type { Transaction } from "./book-state.ts";

/** Where a transaction stands, as people see it. What was reversed stays Posted. */
export function statusOf({
  opening,
  resolution,
}: {
  readonly opening: Pick<Transaction["opening"], "kind">;
  readonly resolution: Pick<NonNullable<Transaction["resolution"]>, "kind"> | null;
}): LedgerTransaction["status"] {
  if (opening.kind !== "Hold" || resolution?.kind === "Settle") return "Posted";
  return resolution === null ? "Pending" : "Voided";
}

/** Nobody's but its maker's: no order's, and no other kind of opening than a caller can make. */
export function isManual({
  orderId,
  opening,
}: {
  readonly orderId: string | null;
  readonly opening: Pick<Transaction["opening"], "kind">;
}): boolean {
  return orderId === null && (opening.kind === "Post" || opening.kind === "Hold");
}
