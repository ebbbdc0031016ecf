/** What orders commands for the order that pays an obligation, once its hold is placed. */
import { derivedUuid, idOf, type PaymentOrderId } from "../../contracts/ids/ids.ts";
import type { LedgerCommand } from "../../services/ledger/book/commands.ts";

const at = "2026-03-02T15:00:00.000Z";

export const settled = (orderId: PaymentOrderId): LedgerCommand => ({
  kind: "Settle",
  commandId: derivedUuid(orderId, "settle"),
  orderId,
  effectiveAt: at,
});

export const paymentReturned = (orderId: PaymentOrderId, late = false) =>
  ({
    id: idOf("ret", derivedUuid(orderId, "return")),
    code: "R02",
    reason: "AccountClosed",
    receivedAt: at,
    late,
  }) as const;

export const released = (
  orderId: PaymentOrderId,
  cause: "Failed" | "Returned" | "Cancelled",
): LedgerCommand => ({
  kind: "Release",
  commandId: derivedUuid(orderId, "release"),
  orderId,
  effectiveAt: at,
  cause,
  ...(cause === "Returned" ? { return: paymentReturned(orderId) } : {}),
});

export const lateReturned = (orderId: PaymentOrderId): LedgerCommand => ({
  kind: "LateReturn",
  commandId: derivedUuid(orderId, "late-return"),
  orderId,
  returnId: paymentReturned(orderId).id,
  effectiveAt: at,
  return: paymentReturned(orderId, true),
});
