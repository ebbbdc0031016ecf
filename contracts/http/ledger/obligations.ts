import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, balanceCents, maxAmountCents } from "../../money.ts";
import { rail } from "../../rails/rails.ts";
import { basis } from "../payments/payment-orders.ts";
import { pageOf, pageQuery, timestamp } from "../shapes.ts";

export const obligationTypes = ["FuelTaxReturn", "OperatorSettlement", "Other"] as const;
export const obligationType = z.enum(obligationTypes).meta({
  description:
    "Which expense it is accrued against. Remittances of a FuelTaxReturn send `fuel_tax.*` events.",
});

const line = z.object({
  description: z.string().min(1).max(255).meta({ description: "What is owed, `Diesel, Oregon`." }),
  amountCents,
  basis: z.object({
    kind: basis.meta({ description: "Whether the figure is real: a Demo or Missing one is never fixed." }),
    source: z.string().min(1).max(255).meta({ description: "Where the figure comes from." }),
  }),
});
const lineBody = z.strictObject({ ...line.shape, basis: z.strictObject(line.shape.basis.shape) });

/** All lines together are one payment, so their sum keeps to what one payment may carry. */
const linesBody = z
  .array(lineBody)
  .max(100)
  .refine((lines) => lines.reduce((sum, { amountCents: cents }) => sum + cents, 0) <= maxAmountCents, {
    message: `together at most ${String(maxAmountCents)} cents`,
  });
const someLines = linesBody.min(1).meta({ description: "What makes up the liability, 1 to 100 lines." });

const reference = z.string().min(1).max(100).meta({
  description: "What you call it, `IFTA 2026-Q1`. The name of its liability account begins with it.",
});
const jurisdiction = z.string().min(1).max(100).meta({ description: "To whom a tax is owed, `US-OR`." });
const period = z.string().min(1).max(50).meta({ description: "For which time, `2026-Q1`." });
const payeeCounterpartyId = z
  .string()
  .max(64)
  .meta({ description: "Who is paid: a counterparty, looked up and checked when it is remitted." });

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
  .meta({ id: "ObligationCreate" });
export type ObligationCreate = z.output<typeof obligationCreate>;

/** The body of PATCH /v1/obligations/:id, a JSON merge patch (RFC 7396); `lines` are replaced whole. */
export const obligationPatch = z
  .strictObject({
    reference: reference.optional(),
    jurisdiction: jurisdiction.nullish(),
    period: period.nullish(),
    payeeCounterpartyId: payeeCounterpartyId.nullish(),
    lines: someLines.optional(),
  })
  .meta({ id: "ObligationPatch" });
export type ObligationPatch = z.output<typeof obligationPatch>;

/** The body of POST /v1/obligations/:id/amend: the amended return, whole. */
export const obligationAmend = z
  .strictObject({
    lines: linesBody.meta({ description: "All lines as they are now; none where nothing is owed any more." }),
  })
  .meta({ id: "ObligationAmend" });
export type ObligationAmend = z.output<typeof obligationAmend>;

/** The fields of POST /v1/obligations/:id/remit, without the rule that crosses them. */
export const obligationRemit = z
  .strictObject({
    rail: rail.exclude(["Book"]),
    fundingLedgerAccountId: z.string().max(64).optional(),
    fundingLedgerAccountName: z.string().min(1).max(100).optional().meta({
      description: "Your account that the money is taken from; or name it by `fundingLedgerAccountId`.",
    }),
  })
  .meta({ id: "ObligationRemit" });
export const obligationRemitBody = obligationRemit.superRefine((body, context) => {
  const byName = body.fundingLedgerAccountName !== undefined;
  const byId = body.fundingLedgerAccountId !== undefined;
  if (byName && byId) {
    const message = "stands beside fundingLedgerAccountName: send one of the two";
    context.addIssue({ code: "custom", path: ["fundingLedgerAccountId"], message });
  } else if (!byName && !byId) {
    const message = "is required, or fundingLedgerAccountId in its place";
    const params = { code: "missing_field" };
    context.addIssue({ code: "custom", path: ["fundingLedgerAccountName"], message, params });
  }
});

export const obligationStatuses = ["Open", "Fixed", "Remitting", "Relieved"] as const;
export const obligationStatus = z.enum(obligationStatuses);

export const obligation = z
  .object({
    id: idSchema("ob"),
    type: obligationType,
    status: obligationStatus.meta({
      description:
        "Open: a draft. Fixed: booked, and something is outstanding. Remitting: an order pays it. Relieved: nothing is outstanding.",
    }),
    reference: z.string(),
    jurisdiction: z.string().nullable(),
    period: z.string().nullable(),
    payeeCounterpartyId: idSchema("cp").nullable(),
    lines: z.array(line).meta({ description: "As they were last fixed or amended." }),
    fixedCents: balanceCents.meta({
      description: "What was booked as owed, amendments and all; 0 while Open.",
    }),
    outstandingCents: balanceCents.meta({
      description: "What of it is not paid: the liability account's posted balance.",
    }),
    paymentOrderId: idSchema("po")
      .nullable()
      .meta({ description: "The order that pays it, or relieved it." }),
    liabilityLedgerAccountId: idSchema("la").nullable().meta({ description: "Null while Open." }),
    createdBy: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "Obligation" });
export type Obligation = z.output<typeof obligation>;

const accrual = z.object({
  amountCents: balanceCents.meta({
    description: "What it added to the liability; negative where it took away.",
  }),
  ledgerTransactionId: idSchema("lt").nullable().meta({ description: "Null where the sum stayed the same." }),
  lines: z.array(line),
  at: timestamp,
  actor: z.string(),
});
const remittance = z.object({
  paymentOrderId: idSchema("po"),
  amountCents,
  event: z
    .enum(["Held", "Refused", "Cleared", "Failed", "Returned", "Cancelled"])
    .meta({ description: "What the order's money did. All but Held and Cleared made it payable again." }),
  reason: z.string().nullable().meta({ description: "A return's code, or why the ledger refused the hold." }),
  at: timestamp,
});

/** One obligation, with all that was booked of it. */
export const obligationWithHistory = obligation
  .extend({
    accruals: z.array(accrual).meta({ description: "Fixed, then each amendment; oldest first." }),
    remittances: z.array(remittance).meta({ description: "What became of its payments; oldest first." }),
  })
  .meta({ id: "ObligationWithHistory" });
export type ObligationWithHistory = z.output<typeof obligationWithHistory>;

export const obligationPage = pageOf(obligation).meta({ id: "ObligationPage" });
export const obligationQuery = z.strictObject({
  ...pageQuery,
  status: obligationStatus.optional(),
  type: obligationType.optional(),
  reference: reference.optional(),
});
export type ObligationQuery = z.output<typeof obligationQuery>;
