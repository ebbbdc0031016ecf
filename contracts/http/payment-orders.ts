import { z } from "zod";
import { idSchema } from "../ids.ts";
import { amountCents, balanceCents, currency } from "../money.ts";
import { mode, orderDirection, rail, railReference } from "../rails.ts";
import { bankingDate, externalId, metadata, pageOf, pageQuery, timestamp } from "./shapes.ts";

export const orderStatuses = [
  "Draft",
  "Submitted",
  "Pending",
  "Processing",
  "Completed",
  "Failed",
  "Returned",
  "Cancelled",
] as const;
export const orderStatus = z.enum(orderStatuses);
export type OrderStatus = z.infer<typeof orderStatus>;

/** Whether the figure is real; Demo and Missing can rest in a Draft and are refused at submission. */
export const basis = z.enum(["Actual", "Demo", "Missing"]);

const ledgerAccountName = z.string().min(1).max(100);

/**
 * The body of POST /v1/payment-orders: shape only. What a rail asks of it (limits, account formats, directions) is
 * decided by orders at submission.
 */
export const paymentOrderCreate = z
  .strictObject({
    direction: orderDirection,
    rail,
    amountCents,
    currency: currency.optional(),
    ledgerAccountName: ledgerAccountName.optional(),
    ledgerAccountId: z.string().max(64).optional(),
    counterpartyId: z
      .string()
      .max(64)
      .optional()
      .meta({ description: "In place of the counterparty's name, account and routing number." }),
    counterpartyName: z.string().min(1).max(140).optional(),
    counterpartyAccountNumber: z.string().min(1).max(100).optional(),
    counterpartyRoutingNumber: z.string().min(1).max(34).optional(),
    externalId: externalId.optional(),
    description: z.string().max(255).optional(),
    statementDescriptor: z.string().min(1).max(10).optional(),
    effectiveDate: bankingDate.optional(),
    purpose: z.string().min(1).max(100).optional(),
    basis: basis.optional(),
    metadata: metadata.optional(),
    submit: z.boolean().optional(),
  })
  .meta({ id: "PaymentOrderCreate" });
export type PaymentOrderCreate = z.infer<typeof paymentOrderCreate>;

/** The same, with the rule that crosses fields: the ledger account is named in exactly one way. */
export const paymentOrderBody = paymentOrderCreate.superRefine((order, context) => {
  const byName = order.ledgerAccountName !== undefined;
  const byId = order.ledgerAccountId !== undefined;
  if (byName && byId) {
    const message = "stands beside ledgerAccountName: send one of the two";
    context.addIssue({ code: "custom", path: ["ledgerAccountId"], message });
  } else if (!byName && !byId) {
    const message = "is required, or ledgerAccountId in its place";
    context.addIssue({
      code: "custom",
      path: ["ledgerAccountName"],
      message,
      params: { code: "missing_field" },
    });
  }
});

/**
 * The body of PATCH /v1/payment-orders/:id: what is sent replaces what was, null takes an optional field away. A Draft
 * only; the same checks of shape as at creation.
 */
export const paymentOrderPatch = z
  .strictObject({
    direction: orderDirection.optional(),
    rail: rail.optional(),
    amountCents: amountCents.optional(),
    ledgerAccountName: ledgerAccountName.optional(),
    ledgerAccountId: z.string().max(64).optional(),
    counterpartyId: z.string().max(64).nullish(),
    counterpartyName: z.string().min(1).max(140).nullish(),
    counterpartyAccountNumber: z.string().min(1).max(100).nullish(),
    counterpartyRoutingNumber: z.string().min(1).max(34).nullish(),
    externalId: externalId.nullish(),
    description: z.string().max(255).nullish(),
    statementDescriptor: z.string().min(1).max(10).nullish(),
    effectiveDate: bankingDate.nullish(),
    purpose: z.string().min(1).max(100).nullish(),
    basis: basis.optional(),
    metadata: metadata.optional(),
  })
  .meta({ id: "PaymentOrderPatch" });
export type PaymentOrderPatch = z.infer<typeof paymentOrderPatch>;

export const denyBody = z
  .strictObject({ reason: z.string().min(1).max(255) })
  .meta({ id: "PaymentOrderDeny" });

export const cancelBody = z
  .strictObject({ reason: z.string().min(1).max(255).optional() })
  .meta({ id: "PaymentOrderCancel" });

const statusChange = z.object({
  from: orderStatus.nullable(),
  to: orderStatus,
  at: timestamp,
  actor: z.string(),
  reason: z.string().nullable(),
});

export const paymentReturn = z.object({
  id: idSchema("ret"),
  code: z.string(),
  reason: z.string(),
  receivedAt: timestamp,
  late: z.boolean(),
});

export const cutoff = z.object({
  missed: z.boolean(),
  cutoffAt: timestamp.nullable(),
  nextWindowOpensAt: timestamp.nullable(),
  reason: z.enum(["AfterCutoff", "Weekend", "Holiday", "ApprovedLate"]).nullable(),
});

export const failure = z.object({ code: z.string(), message: z.string() });

export const paymentOrder = z
  .object({
    id: idSchema("po"),
    status: orderStatus,
    mode,
    direction: orderDirection,
    rail,
    amountCents,
    currency,
    ledgerAccountId: idSchema("la").nullable(),
    ledgerAccountName: z.string().nullable(),
    counterpartyId: idSchema("cp").nullable(),
    counterpartyName: z.string().nullable(),
    /** Masked to the last four. */
    counterpartyAccountNumber: z.string().nullable(),
    counterpartyRoutingNumber: z.string().nullable(),
    externalId: z.string().nullable(),
    description: z.string().nullable(),
    statementDescriptor: z.string().nullable(),
    effectiveDate: bankingDate.nullable(),
    purpose: z.string().nullable(),
    basis,
    metadata,
    approval: z.object({
      required: z.int(),
      received: z.int(),
      approvals: z.array(z.object({ principal: z.string(), at: timestamp })),
      orderHash: z.string().nullable(),
    }),
    cancellable: z.boolean(),
    cutoff: cutoff.nullable(),
    expectedSettlementDate: bankingDate.nullable(),
    ledgerTransactionId: idSchema("lt").nullable(),
    obligationId: z.string().nullable(),
    railReference: railReference.nullable(),
    failure: failure.nullable(),
    cancelReason: z.string().nullable(),
    return: paymentReturn.nullable(),
    statusHistory: z.array(statusChange),
    createdBy: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "PaymentOrder" });
export type PaymentOrder = z.infer<typeof paymentOrder>;

const oneOrMany = <T extends z.ZodType>(item: T) =>
  z.preprocess(
    (value) => (value === undefined || Array.isArray(value) ? value : [value]),
    z.array(item).optional(),
  );

export const paymentOrderQuery = z.strictObject({
  ...pageQuery,
  status: oneOrMany(orderStatus),
  rail: oneOrMany(rail),
  direction: orderDirection.optional(),
  externalId: externalId.optional(),
});
export type PaymentOrderQuery = z.infer<typeof paymentOrderQuery>;

export const paymentOrderPage = pageOf(paymentOrder).meta({ id: "PaymentOrderPage" });

/** What POST /v1/payment-orders/preview takes: an order as it would be created, submitted at once. */
export const paymentOrderPreviewCreate = paymentOrderCreate
  .omit({ submit: true })
  .meta({ id: "PaymentOrderPreviewCreate" });

const balances = z.object({
  pendingBalanceCents: balanceCents,
  postedBalanceCents: balanceCents,
  availableBalanceCents: balanceCents,
});

/** What would become of an order that passed every control; nothing was written. */
export const paymentOrderPreview = z
  .object({
    approvalsRequired: z.int(),
    cutoff: cutoff.nullable(),
    expectedSettlementDate: bankingDate.nullable(),
    ledgerAccountId: idSchema("la"),
    balances: z.object({ now: balances, held: balances, settled: balances }).meta({
      description:
        "The ledger account's balances as they are, with the order's hold, and after its settlement.",
    }),
    dailyLimit: z
      .object({ limitCents: z.int(), usedCents: z.int() })
      .nullable()
      .meta({ description: "Null where the policy sets none; `usedCents` is without this order." }),
  })
  .meta({ id: "PaymentOrderPreview" });
export type PaymentOrderPreview = z.infer<typeof paymentOrderPreview>;
