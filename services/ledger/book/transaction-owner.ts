import type { TransactionOwner } from "../../../contracts/http/ledger/ledger-transactions.ts";
import { idOf } from "../../../contracts/ids/ids.ts";
import type { JournalKind } from "./journal.ts";
import { obligationOf } from "./obligation.ts";

/** What tells a transaction's owner. All ids are uuids. */
interface Ownership {
  readonly order_id: string | null;
  readonly kind: JournalKind;
  readonly transaction_id: string;
  /** The inbound payment that the transaction assigned to an account. */
  readonly assigned: string | null;
  /** The account of class ObligationLiability that the transaction has an entry on. */
  readonly liability: string | null;
}

/**
 * What a transaction belongs to; null for a tenant's own. An inbound payment has its transaction's uuid, an obligation
 * the uuid of its liability account.
 */
export function ownerOf(row: Ownership): TransactionOwner | null {
  if (row.order_id !== null) return { kind: "PaymentOrder", id: idOf("po", row.order_id) };
  const isInbound = row.kind === "Inbound" || row.kind === "UnmatchedReturn";
  const inbound = isInbound ? row.transaction_id : row.assigned;
  if (inbound !== null) return { kind: "InboundPayment", id: idOf("ip", inbound) };
  return row.liability === null ? null : { kind: "Obligation", id: obligationOf(idOf("la", row.liability)) };
}
