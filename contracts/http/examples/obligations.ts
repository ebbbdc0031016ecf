/** Obligations as the reference page shows them. A test holds each against its schema. */
import type { z } from "zod";
import type {
  obligation,
  obligationAmend,
  obligationCreate,
  obligationPatch,
  obligationRemit,
  obligationWithHistory,
} from "../ledger/obligations.ts";
import { at, ids } from "./ids.ts";

const diesel = {
  description: "Diesel, Oregon",
  amountCents: 12_500,
  basis: { kind: "Actual" as const, source: "Trip sheets of 2026-Q1" },
};

const remitting = {
  id: ids.obligation,
  type: "FuelTaxReturn",
  status: "Remitting",
  reference: "IFTA 2026-Q1",
  jurisdiction: "US-OR",
  period: "2026-Q1",
  payeeCounterpartyId: ids.counterparty,
  lines: [diesel],
  fixedCents: 12_500,
  outstandingCents: 12_500,
  paymentOrderId: ids.order,
  liabilityLedgerAccountId: ids.liability,
  createdBy: "tax-desk",
  version: 3,
  createdAt: at(0),
  updatedAt: at(400),
} satisfies z.output<typeof obligation>;

/** By the schema's id. */
export const obligationExamples = {
  ObligationCreate: {
    type: "FuelTaxReturn",
    reference: "IFTA 2026-Q1",
    jurisdiction: "US-OR",
    period: "2026-Q1",
    payeeCounterpartyId: ids.counterparty,
    lines: [diesel],
  } satisfies z.input<typeof obligationCreate>,
  ObligationPatch: { payeeCounterpartyId: ids.counterparty } satisfies z.input<typeof obligationPatch>,
  ObligationAmend: { lines: [{ ...diesel, amountCents: 13_000 }] } satisfies z.input<typeof obligationAmend>,
  ObligationRemit: { rail: "Ach", fundingLedgerAccountName: "Operating" } satisfies z.input<
    typeof obligationRemit
  >,
  Obligation: remitting,
  ObligationWithHistory: {
    ...remitting,
    accruals: [
      {
        amountCents: 12_500,
        ledgerTransactionId: ids.transaction,
        lines: [diesel],
        at: at(200),
        actor: "tax-desk",
      },
    ],
    remittances: [
      { paymentOrderId: ids.order, amountCents: 12_500, event: "Held", reason: null, at: at(430) },
    ],
  } satisfies z.output<typeof obligationWithHistory>,
};
