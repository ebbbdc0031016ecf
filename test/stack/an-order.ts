import { newId } from "../../contracts/ids/ids.ts";

/** An order as orders would return it; a test sets the members that matter to it. */
export function anOrder(change: Record<string, unknown> = {}) {
  const at = "2026-03-02T15:00:00.000Z";
  return {
    id: newId("po"),
    status: "Submitted" as const,
    mode: "Test" as const,
    direction: "Credit" as const,
    rail: "Ach" as const,
    amountCents: 1250,
    currency: "USD" as const,
    ledgerAccountId: newId("la"),
    ledgerAccountName: "Operating",
    counterpartyId: null,
    counterpartyName: "Blue Freight",
    counterpartyAccountNumber: "••••6789",
    counterpartyRoutingNumber: "021000021",
    externalId: null,
    description: null,
    statementDescriptor: null,
    effectiveDate: null,
    purpose: null,
    basis: "Actual" as const,
    metadata: {},
    approval: { required: 0, received: 0, approvals: [], orderHash: null },
    cancellable: true,
    cutoff: null,
    expectedSettlementDate: null,
    ledgerTransactionId: null,
    obligationId: null,
    railReference: null,
    failure: null,
    cancelReason: null,
    return: null,
    strayMovements: [],
    statusHistory: [{ from: null, to: "Draft" as const, at, actor: "tester", reason: null }],
    createdBy: "tester",
    createdAt: at,
    updatedAt: at,
    ...change,
  };
}
