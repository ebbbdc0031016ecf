import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, balanceCents, maxAmountCents } from "../../money.ts";
import { namedEnum } from "../../named-enum.ts";
import { externalRail } from "../../rails/rails.ts";
import { lineText, nameText } from "../../text/text.ts";
import { basis } from "../payments/payment-order-parts.ts";
import {
  createdAt,
  mergePatch,
  oneOrMany,
  pageOf,
  pageQuery,
  principal,
  timestamp,
  updatedAt,
} from "../shapes.ts";

export const obligationType = namedEnum("ObligationType", "Which expense account it is booked to.", {
  FuelTaxReturn: "Fuel tax expense. Its remittances send `fuel_tax.*` events.",
  OperatorSettlement: "Operator settlement expense.",
  Other: "Obligation expense.",
});

const whatIsOwed = "What is owed, such as `Diesel, Oregon`.";
const theSource = "The source of the figure.";
const theBasis = "Where the amount comes from. Only Actual lines can be fixed.";
const line = z.object({
  description: z.string().min(1).max(255).meta({ description: whatIsOwed }),
  amountCents,
  basis: z
    .object({ kind: basis, source: z.string().min(1).max(255).meta({ description: theSource }) })
    .meta({ description: theBasis }),
});
const lineBody = z.strictObject({
  description: lineText(255).min(1).meta({ description: whatIsOwed }),
  amountCents,
  basis: z
    .strictObject({ kind: basis, source: lineText(255).min(1).meta({ description: theSource }) })
    .meta({ description: theBasis }),
});

/** All lines together are one payment, so their sum must fit one payment. */
const linesBody = z
  .array(lineBody)
  .max(100)
  .refine((lines) => lines.reduce((sum, { amountCents: cents }) => sum + cents, 0) <= maxAmountCents, {
    message: `together at most ${String(maxAmountCents)} cents`,
  });
const someLines = linesBody.min(1).meta({ description: "What makes up the liability, 1 to 100 lines." });

const reference = nameText(100).meta({
  description: "Your name for it. The name of its liability account begins with it.",
  examples: ["IFTA 2026-Q1"],
});
const jurisdiction = nameText(100).meta({ description: "Who the tax is owed to, such as `US-OR`." });
const period = nameText(50).meta({ description: "The period that it covers, such as `2026-Q1`." });
const payeeCounterpartyId = z.string().max(64).meta({
  description:
    "The counterparty to pay, of this book and not archived. Checked again when the obligation is remitted.",
});

/** The body of POST /v1/obligations. */
export const obligationCreate = z
  .strictObject({
    type: obligationType,
    reference,
    jurisdiction: jurisdiction.optional(),
    period: period.optional(),
    payeeCounterpartyId: payeeCounterpartyId.optional(),
    lines: someLines,
  })
  .meta({ id: "ObligationCreate", description: "A new obligation. Nothing is booked yet." });
export type ObligationCreate = z.output<typeof obligationCreate>;

/** The body of PATCH /v1/obligations/:id, a JSON merge patch (RFC 7396); `lines` are replaced whole. */
export const obligationPatch = mergePatch(
  z
    .strictObject({
      reference: reference.optional(),
      jurisdiction: jurisdiction.nullish(),
      period: period.nullish(),
      payeeCounterpartyId: payeeCounterpartyId.nullish(),
      lines: someLines.optional(),
    })
    .meta({ id: "ObligationPatch", description: "The fields to change. Null removes an optional field." }),
);
export type ObligationPatch = z.output<typeof obligationPatch>;

/** The body of POST /v1/obligations/:id/amend: all lines of the amended return. */
export const obligationAmend = z
  .strictObject({
    lines: linesBody.meta({ description: "All lines after the amendment. Empty if nothing is owed." }),
  })
  .meta({ id: "ObligationAmend", description: "The amended obligation." });
export type ObligationAmend = z.output<typeof obligationAmend>;

/** The fields of POST /v1/obligations/:id/remit, without the rule that crosses them. */
export const obligationRemit = z
  .strictObject({
    rail: externalRail,
    fundingLedgerAccountId: z.string().max(64).optional().meta({
      description: "Your account that pays, by its id. Send either this or `fundingLedgerAccountName`.",
    }),
    fundingLedgerAccountName: z.string().min(1).max(100).optional().meta({
      description: "Your account that pays, by its exact name.",
    }),
  })
  .meta({ id: "ObligationRemit", description: "How to pay the obligation." });
export const obligationRemitBody = obligationRemit.superRefine((body, context) => {
  const byName = body.fundingLedgerAccountName !== undefined;
  const byId = body.fundingLedgerAccountId !== undefined;
  if (byName && byId) {
    const message = "can't be combined with fundingLedgerAccountName";
    context.addIssue({ code: "custom", path: ["fundingLedgerAccountId"], message });
  } else if (!byName && !byId) {
    const message = "is required, unless you send fundingLedgerAccountId";
    const params = { code: "missing_field" };
    context.addIssue({ code: "custom", path: ["fundingLedgerAccountName"], message, params });
  }
});

export const obligationStatus = namedEnum("ObligationStatus", "Where the obligation is in its life.", {
  Open: "A draft. Nothing is booked.",
  Fixed: "Booked, with an amount outstanding.",
  Remitting: "A payment order is paying it.",
  Relieved: "Nothing is outstanding.",
});
export const obligationStatuses = obligationStatus.options;

export const obligation = z
  .object({
    id: idSchema("ob"),
    type: obligationType,
    status: obligationStatus,
    reference: z.string().meta({ description: "Your name for it." }),
    jurisdiction: z.string().nullable().meta({ description: "Who the tax is owed to." }),
    period: z.string().nullable().meta({ description: "The period that it covers." }),
    payeeCounterpartyId: idSchema("cp").nullable().meta({ description: "The counterparty to pay." }),
    lines: z.array(line).meta({ description: "The current lines, with all amendments." }),
    fixedCents: balanceCents.meta({
      description: "The amount booked as owed, with amendments, in cents. 0 while Open.",
    }),
    outstandingCents: balanceCents.meta({
      description: "The amount not yet paid, in cents: the posted balance of its liability account.",
    }),
    paymentOrderId: idSchema("po").nullable().meta({ description: "The order that pays it, or paid it." }),
    liabilityLedgerAccountId: idSchema("la")
      .nullable()
      .meta({ description: "Its liability account. Null while Open." }),
    createdBy: principal("The principal that created it."),
    // The default is for answers that were stored before the field was added. No If-Match names it.
    version: z.int().default(0).meta({
      description: "Rises whenever `updatedAt` changes. Also the `ETag`.",
    }),
    createdAt,
    updatedAt,
  })
  .meta({ id: "Obligation", description: "A liability with a fixed amount, such as a filed tax return." });
export type Obligation = z.output<typeof obligation>;

const accrual = z.object({
  amountCents: balanceCents.meta({ description: "The change of the liability, in cents. May be negative." }),
  ledgerTransactionId: idSchema("lt")
    .nullable()
    .meta({ description: "The transaction that booked it. Null if the total did not change." }),
  lines: z.array(line).meta({ description: "The lines at that time." }),
  at: timestamp.meta({ description: "When it was booked." }),
  actor: principal("The principal that fixed or amended it."),
});
const remittanceEvent = namedEnum("RemittanceEvent", "What happened to the payment.", {
  Held: "The money is held.",
  Refused: "The ledger refused the hold. The obligation is payable again.",
  Cleared: "Paid.",
  Failed: "The order failed. The obligation is payable again.",
  Returned: "The bank returned the money. The obligation is payable again.",
  Cancelled: "The order was cancelled. The obligation is payable again.",
});
const remittance = z.object({
  paymentOrderId: idSchema("po"),
  amountCents,
  event: remittanceEvent,
  reason: z.string().nullable().meta({ description: "The return code, or why the ledger refused the hold." }),
  at: timestamp.meta({ description: "When it happened." }),
});

/** One obligation, with everything that was booked for it. */
export const obligationWithHistory = obligation
  .extend({
    accruals: z.array(accrual).meta({ description: "The booking and each amendment, oldest first." }),
    remittances: z.array(remittance).meta({ description: "What happened to its payments, oldest first." }),
  })
  .meta({ id: "ObligationWithHistory", description: "An obligation with its bookings and payments." });
export type ObligationWithHistory = z.output<typeof obligationWithHistory>;

export const obligationPage = pageOf(obligation).meta({
  id: "ObligationPage",
  description: "One page of obligations.",
});
export const obligationQuery = z.strictObject({
  ...pageQuery,
  status: oneOrMany(obligationStatus),
  type: oneOrMany(obligationType),
  reference: oneOrMany(
    z
      .string()
      .min(1)
      .max(100)
      .meta({ examples: ["IFTA 2026-Q1"] }),
    "Your name for it.",
  ),
});
export type ObligationQuery = z.output<typeof obligationQuery>;
