import type { LedgerTransaction } from "../../../contracts/http/ledger/ledger-transactions.ts";
import type { Transaction } from "./book-state.ts";

/** The status that the API shows. A reversed transaction stays Posted. */
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

/** True if a tenant created it directly: it belongs to no order, and it opened as a posting or a hold. */
export function isManual({
  orderId,
  opening,
}: {
  readonly orderId: string | null;
  readonly opening: Pick<Transaction["opening"], "kind">;
}): boolean {
  return orderId === null && (opening.kind === "Post" || opening.kind === "Hold");
}
