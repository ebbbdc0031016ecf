import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, balanceCents, currency } from "../../money.ts";
import { mode, orderDirection, rail, railReference } from "../../rails/rails.ts";
import { returnReasons } from "../../rails/return-codes.ts";
import { bankingDate, externalId, metadata, pageOf, timestamp } from "../shapes.ts";

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
    ledgerAccountName: ledgerAccountName.optional().meta({
      description: "Your account that pays or receives; or name it by `ledgerAccountId`, one of the two.",
    }),
    ledgerAccountId: z.string().max(64).optional().meta({ description: "In place of `ledgerAccountName`." }),
    counterpartyId: z
      .string()
      .max(64)
      .optional()
      .meta({ description: "In place of the counterparty's name, account and routing number." }),
    counterpartyName: z
      .string()
      .min(1)
      .max(140)
      .optional()
      .meta({ description: "Who is paid, or pays. Optional on Book." }),
    counterpartyAccountNumber: z.string().min(1).max(100).optional().meta({
      description:
        "A bank account number; on Usdc a wallet address; on Book the id or name of another ledger account of yours. Sealed on arrival, never shown again but for its last four.",
    }),
    counterpartyRoutingNumber: z.string().min(1).max(34).optional().meta({
      description:
        "Nine digits (ABA); on Usdc the network: `ethereum`, `base`, `polygon` or `solana`; none on Book.",
    }),
    externalId: externalId.optional(),
    description: z.string().max(255).optional().meta({ description: "For your own eyes." }),
    statementDescriptor: z
      .string()
      .min(1)
      .max(10)
      .optional()
      .meta({ description: "What the counterparty reads on the statement, at most 10 characters." }),
    effectiveDate: bankingDate
      .optional()
      .meta({ description: "The earliest day in New York to hand it to its rail." }),
    purpose: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: "Why the money moves, in your words." }),
    basis: basis.optional().meta({
      description:
        "Whether the figure is real: Demo and Missing can rest in a Draft and are refused at submission.",
    }),
    metadata: metadata.optional(),
    submit: z.boolean().optional().meta({ description: "False keeps a Draft; default true." }),
  })
  .meta({ id: "PaymentOrderCreate" });
export type PaymentOrderCreate = z.infer<typeof paymentOrderCreate>;

/** The same, with the rule that crosses fields: the ledger account is named in exactly one way. */
export const paymentOrderBody = paymentOrderCreate.superRefine(nameOneAccount);

type NamesAccount = Pick<PaymentOrderCreate, "ledgerAccountName" | "ledgerAccountId">;

function nameOneAccount(order: NamesAccount, context: z.RefinementCtx): void {
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
}

/** Pairs to set, and null for those to take away. */
const metadataPatch = z
  .record(z.string().min(1).max(40), z.string().max(500).nullable())
  .refine((pairs) => Object.keys(pairs).length <= 50, { message: "at most 50 pairs" })
  .meta({ maxProperties: 50, description: "Pairs to set; null takes one away, or all of them." });

/**
 * The body of PATCH /v1/payment-orders/:id, a JSON merge patch (RFC 7396): what is sent replaces what was, null takes
 * an optional field away. A Draft only; the same checks of shape as at creation.
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
    metadata: metadataPatch.nullish(),
  })
  .meta({ id: "PaymentOrderPatch" });
export type PaymentOrderPatch = z.infer<typeof paymentOrderPatch>;

/** The same, with the rule that crosses fields: the ledger account is named in one way at most. */
export const paymentOrderPatchBody = paymentOrderPatch.superRefine((patch, context) => {
  if (patch.ledgerAccountName === undefined || patch.ledgerAccountId === undefined) return;
  const message = "stands beside ledgerAccountName: send one of the two";
  context.addIssue({ code: "custom", path: ["ledgerAccountId"], message });
});

export const denyBody = z
  .strictObject({ reason: z.string().min(1).max(255).meta({ description: "Why, for the order's history." }) })
  .meta({ id: "PaymentOrderDeny" });

export const cancelBody = z
  .strictObject({
    reason: z.string().min(1).max(255).optional().meta({ description: "Why, for the order's history." }),
  })
  .meta({ id: "PaymentOrderCancel" });

const statusChange = z.object({
  from: orderStatus.nullable().meta({ description: "Null for the first." }),
  to: orderStatus,
  at: timestamp,
  actor: z.string().meta({ description: "The principal, or the service that it came from." }),
  reason: z.string().nullable().meta({ description: "Why, where one was given." }),
});

export const paymentReturn = z.object({
  id: idSchema("ret"),
  code: z.string().meta({ description: "The rail's own code, `R01`." }),
  reason: z.enum(returnReasons).meta({ description: "The code in words; `Other` where it has none." }),
  receivedAt: timestamp,
  late: z.boolean().meta({ description: "It came after completion: the order stays Completed." }),
});

export const cutoff = z.object({
  missed: z.boolean().meta({ description: "It can't go today any more." }),
  cutoffAt: timestamp.nullable(),
  nextWindowOpensAt: timestamp.nullable(),
  reason: z
    .enum(["AfterCutoff", "Weekend", "Holiday", "ApprovedLate"])
    .nullable()
    .meta({ description: "Why it was missed." }),
});

export const failure = z.object({
  code: z.string().meta({ description: "For a program: `insufficient_funds`." }),
  message: z.string().meta({ description: "For a person." }),
});

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
    counterpartyAccountNumber: z.string().nullable().meta({ description: "Masked to the last four." }),
    counterpartyRoutingNumber: z.string().nullable().meta({ description: "As it was sent." }),
    externalId: z.string().nullable(),
    description: z.string().nullable(),
    statementDescriptor: z.string().nullable(),
    effectiveDate: bankingDate.nullable(),
    purpose: z.string().nullable(),
    basis: basis.meta({ description: "Whether the figure is real." }),
    metadata,
    approval: z.object({
      required: z.int().meta({ description: "0, 1 or 2; computed at submission and only ever raised." }),
      received: z.int(),
      approvals: z.array(z.object({ principal: z.string(), at: timestamp })),
      orderHash: z
        .string()
        .nullable()
        .meta({ description: "SHA-256 of the frozen fields: what was approved." }),
    }),
    cancellable: z.boolean().meta({ description: "Whether a cancel would be taken now." }),
    cutoff: cutoff.nullable().meta({ description: "Null on a rail without windows." }),
    expectedSettlementDate: bankingDate
      .nullable()
      .meta({ description: "When the rail is expected to settle it." }),
    ledgerTransactionId: idSchema("lt").nullable().meta({ description: "Null until its money is held." }),
    obligationId: z.string().nullable().meta({ description: "The liability that it pays." }),
    railReference: railReference
      .nullable()
      .meta({ description: "What the rail calls it, from hand-off on." }),
    failure: failure.nullable().meta({ description: "Why it is Failed." }),
    cancelReason: z
      .string()
      .nullable()
      .meta({ description: "Why it is Cancelled; `ApprovalExpired` when nobody approved in time." }),
    return: paymentReturn.nullable().meta({ description: "The return that the bank sent, late ones too." }),
    strayMovements: z
      .array(
        z.object({
          movement: z.enum(["Settlement", "Return"]),
          returnCode: z.string().nullable(),
          ledgerTransactionId: idSchema("lt"),
          at: timestamp,
        }),
      )
      .optional()
      .meta({
        description:
          "Money that the bank moved when the order was over: settled after it had failed, or returned once more. It is in Suspense until we have found whose it is; the order stays what it was. Left out where there is none.",
      }),
    statusHistory: z.array(statusChange).meta({ description: "Every status that it had, oldest first." }),
    createdBy: z.string().meta({ description: "The principal of the key that made it." }),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: "PaymentOrder" });
export type PaymentOrder = z.infer<typeof paymentOrder>;

export const paymentOrderPage = pageOf(paymentOrder).meta({ id: "PaymentOrderPage" });

/** What POST /v1/payment-orders/preview takes: an order as it would be created, submitted at once. */
export const paymentOrderPreviewCreate = paymentOrderCreate
  .omit({ submit: true })
  .meta({ id: "PaymentOrderPreviewCreate" });
export const paymentOrderPreviewBody = paymentOrderPreviewCreate.superRefine(nameOneAccount);

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
