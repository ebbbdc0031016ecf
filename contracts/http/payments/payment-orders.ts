import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, currency } from "../../money.ts";
import { mode, orderDirection, rail, railReference } from "../../rails/rails.ts";
import { lineText, nameText } from "../../text/text.ts";
import {
  bankingDate,
  createdAt,
  sentExternalId,
  mergePatch,
  metadata,
  metadataPatch,
  pageOf,
  pageQuery,
  principal,
  sentMetadata,
  storedExternalId,
  timestamp,
  updatedAt,
} from "../shapes.ts";
import {
  approvalState,
  awaiting,
  basis,
  cutoff,
  failure,
  orderStatus,
  paymentReturn,
  statusChange,
  strayMovement,
} from "./payment-order-parts.ts";
import { noticeOfChange } from "./proposed-changes.ts";

/** The fields that a Draft may change. Each is optional at creation or in a patch, as that body says. */
const fields = {
  ledgerAccountName: z.string().min(1).max(100).meta({
    description: "Your ledger account, by its exact name. Send either this or `ledgerAccountId`.",
  }),
  ledgerAccountId: z.string().max(64).meta({
    description: "Your ledger account, by its id. Send either this or `ledgerAccountName`.",
  }),
  counterpartyId: z.string().max(64).meta({
    description: "A stored counterparty, in place of the three fields below.",
  }),
  counterpartyName: nameText(140).meta({
    description:
      "Who is paid, or who pays. On Ach and SameDayAch at most 22 characters; on those, Rtp and Wire printable ASCII. Optional on Book.",
  }),
  counterpartyAccountNumber: z.string().min(1).max(100).meta({
    description:
      "The bank account number; on Usdc a wallet address; on Book the id or name of another ledger account of yours, or a virtual account's number. Encrypted when it is stored; answers show the last four characters.",
  }),
  counterpartyRoutingNumber: lineText(34).min(1).meta({
    description:
      "The ABA routing number (nine digits); on Usdc the network: `ethereum`, `base`, `polygon` or `solana`. Leave it out on Book.",
  }),
  description: lineText(255).meta({ description: "A note for yourself." }),
  statementDescriptor: lineText(10).min(1).meta({
    description:
      "The text on the counterparty's bank statement, at most 10 characters. Between banks printable ASCII.",
  }),
  effectiveDate: bankingDate.meta({
    description: "The earliest day, in New York, on which the order goes to its rail.",
  }),
  purpose: lineText(100).min(1).meta({ description: "Why the money moves, in your words." }),
};

/**
 * The body of POST /v1/payment-orders: shape only. What the rail requires (limits, account formats, directions) is
 * checked by orders at submission.
 */
export const paymentOrderCreate = z
  .strictObject({
    direction: orderDirection,
    rail,
    amountCents,
    currency: currency.optional(),
    ledgerAccountName: fields.ledgerAccountName.optional(),
    ledgerAccountId: fields.ledgerAccountId.optional(),
    counterpartyId: fields.counterpartyId.optional(),
    counterpartyName: fields.counterpartyName.optional(),
    counterpartyAccountNumber: fields.counterpartyAccountNumber.optional(),
    counterpartyRoutingNumber: fields.counterpartyRoutingNumber.optional(),
    externalId: sentExternalId.optional(),
    description: fields.description.optional(),
    statementDescriptor: fields.statementDescriptor.optional(),
    effectiveDate: fields.effectiveDate.optional(),
    purpose: fields.purpose.optional(),
    basis: basis.optional().meta({
      description: "Whether the amount is a real figure. Default: Actual. Only Actual can be submitted.",
    }),
    metadata: sentMetadata.optional(),
    submit: z.boolean().optional().meta({
      description: "Whether to submit the order at once. False keeps a Draft. Default: true.",
    }),
  })
  .meta({ id: "PaymentOrderCreate", description: "A new payment order." });
export type PaymentOrderCreate = z.infer<typeof paymentOrderCreate>;

/** The same, with the rule that crosses fields: the ledger account is named in exactly one way. */
export const paymentOrderBody = paymentOrderCreate.superRefine(nameOneAccount);

type NamesAccount = Pick<PaymentOrderCreate, "ledgerAccountName" | "ledgerAccountId">;

export function nameOneAccount(order: NamesAccount, context: z.RefinementCtx): void {
  if (order.ledgerAccountName === undefined && order.ledgerAccountId === undefined) {
    const message = "is required, unless you send ledgerAccountId";
    const params = { code: "missing_field" };
    context.addIssue({ code: "custom", path: ["ledgerAccountName"], message, params });
  }
  refuseTwoNames(order, context);
}

function refuseTwoNames(order: Partial<NamesAccount>, context: z.RefinementCtx): void {
  if (order.ledgerAccountName === undefined || order.ledgerAccountId === undefined) return;
  const message = "can't be combined with ledgerAccountName";
  context.addIssue({ code: "custom", path: ["ledgerAccountId"], message });
}

/**
 * The body of PATCH /v1/payment-orders/:id, a JSON merge patch (RFC 7396): what is sent replaces the stored value,
 * null removes an optional field. The checks of shape are those of a creation. Any field of a Draft; later only
 * description and metadata.
 */
export const paymentOrderPatch = z
  .strictObject({
    direction: orderDirection.optional(),
    rail: rail.optional(),
    amountCents: amountCents.optional(),
    ledgerAccountName: fields.ledgerAccountName.optional(),
    ledgerAccountId: fields.ledgerAccountId.optional(),
    counterpartyId: fields.counterpartyId.nullish(),
    counterpartyName: fields.counterpartyName.nullish(),
    counterpartyAccountNumber: fields.counterpartyAccountNumber.nullish(),
    counterpartyRoutingNumber: fields.counterpartyRoutingNumber.nullish(),
    externalId: sentExternalId.nullish(),
    description: fields.description.nullish(),
    statementDescriptor: fields.statementDescriptor.nullish(),
    effectiveDate: fields.effectiveDate.nullish(),
    purpose: fields.purpose.nullish(),
    basis: basis.optional(),
    metadata: metadataPatch.nullish(),
  })
  .meta({
    id: "PaymentOrderPatch",
    description:
      "The fields to change. Null removes an optional field. After the submission only `description` and `metadata` can change.",
  });
export type PaymentOrderPatch = z.infer<typeof paymentOrderPatch>;

/** The same, with the rule that crosses fields: the ledger account is named in one way at most. */
export const paymentOrderPatchBody = mergePatch(paymentOrderPatch.superRefine(refuseTwoNames));

export const approvalBody = z
  .strictObject({
    orderHash: z
      .string()
      .regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits in lower case, as the order shows it")
      .optional()
      .meta({
        description:
          "The order's `approval.orderHash`, as the approver saw it. If the order has another one, the answer is 409 `order_changed`. Without it, the order is approved as it is.",
      }),
  })
  .meta({ id: "PaymentOrderApprove", description: "What is approved." });
const reason = lineText(255).min(1);
export const denyBody = z
  .strictObject({ reason: reason.meta({ description: "Why. Kept in the order's history." }) })
  .meta({ id: "PaymentOrderDeny", description: "Why the order is denied." });
export const cancelBody = z
  .strictObject({ reason: reason.optional().meta({ description: "Why. Kept in the order's history." }) })
  .meta({ id: "PaymentOrderCancel", description: "Why the order is cancelled." });

const reachedAt = (description: string) => timestamp.nullable().default(null).meta({ description });

export const paymentOrder = z
  .object({
    id: idSchema("po"),
    status: orderStatus,
    mode,
    direction: orderDirection,
    rail,
    amountCents,
    currency,
    ledgerAccountId: idSchema("la").nullable().meta({ description: "Your ledger account." }),
    ledgerAccountName: z.string().nullable().meta({ description: "The name of your ledger account." }),
    counterpartyId: idSchema("cp")
      .nullable()
      .meta({ description: "The stored counterparty, if the order names one." }),
    counterpartyName: z.string().nullable().meta({ description: "Who is paid, or who pays." }),
    counterpartyAccountNumber: z
      .string()
      .nullable()
      .meta({ description: "Masked except for the last four characters." }),
    counterpartyRoutingNumber: z
      .string()
      .nullable()
      .meta({ description: "The ABA routing number, or the network on Usdc." }),
    externalId: storedExternalId,
    description: z.string().nullable().meta({ description: "A note for yourself." }),
    statementDescriptor: z
      .string()
      .nullable()
      .meta({ description: "The text on the counterparty's bank statement." }),
    effectiveDate: bankingDate
      .nullable()
      .meta({ description: "The earliest day, in New York, on which the order goes to its rail." }),
    purpose: z.string().nullable().meta({ description: "Why the money moves, in your words." }),
    basis,
    metadata,
    approval: approvalState.meta({ description: "The approvals that it needs and has." }),
    // The defaults are for answers that were stored before the fields were added.
    awaiting: awaiting
      .nullable()
      .default(null)
      .meta({ description: "What it waits for. Null if it is not Pending." }),
    cancellable: z.boolean().meta({ description: "True if it can be cancelled now." }),
    cutoff: cutoff.nullable().meta({
      description: "Null on a rail without windows, and in a book with the clock Instant, which has none.",
    }),
    expectedSettlementDate: bankingDate
      .nullable()
      .meta({ description: "When the rail is expected to settle it." }),
    ledgerTransactionId: idSchema("lt")
      .nullable()
      .meta({ description: "The transaction that holds and moves its money. Null before the hold." }),
    obligationId: z.string().nullable().meta({ description: "The obligation that it pays." }),
    railReference: railReference
      .nullable()
      .meta({ description: "The rail's reference. Null before the hand-off." }),
    failure: failure.nullable().meta({
      description: "Why it failed. A Cancelled order has one too if its hold was refused.",
    }),
    cancelReason: z
      .string()
      .nullable()
      .meta({ description: "Why it is Cancelled. `ApprovalExpired` if nobody approved in time." }),
    return: paymentReturn.nullable().meta({ description: "The return from the bank, also a late one." }),
    // The default is for answers that were stored before the field was always there.
    strayMovements: z.array(strayMovement).default([]).meta({
      description:
        "Money that the bank moved after the order was over. It is in Suspense until our operators resolve it; the order does not change. Usually empty.",
    }),
    // The default is for answers that were stored before the field was added.
    noticesOfChange: z.array(noticeOfChange).default([]).meta({
      description:
        "What the receiver's bank corrected, oldest first. No money moves, and the order does not change. Usually empty.",
    }),
    sentBackBy: idSchema("ip").nullable().default(null).meta({
      description:
        "The inbound payment by which its receiver sent the money back. A Completed order stays Completed. One that has not settled yet stays Processing, with its hold, until it settles.",
    }),
    statusHistory: z.array(statusChange).meta({ description: "Every status change, oldest first." }),
    createdBy: principal("The principal that created it."),
    createdAt,
    submittedAt: reachedAt("When it was submitted. Null in a Draft."),
    completedAt: reachedAt("When it became Completed. Null if it has not. A late return leaves it as it is."),
    returnedAt: reachedAt(
      "When the bank's return arrived, also a late one. The same as `return.receivedAt`.",
    ),
    updatedAt,
  })
  .meta({ id: "PaymentOrder", description: "One payment, on any rail." });
export type PaymentOrder = z.infer<typeof paymentOrder>;

const annotations = z.object({
  description: z.string().nullable().meta({ description: "A note for yourself." }),
  metadata,
});
export const paymentOrderChange = z
  .object({
    principal: principal("Who changed it."),
    at: timestamp.meta({ description: "When it was changed." }),
    before: annotations.meta({ description: "As it was. In the first change: as it was submitted." }),
    after: annotations.meta({ description: "As it became." }),
  })
  .meta({ id: "PaymentOrderChange", description: "A change of an order after its submission." });
export const paymentOrderChangePage = pageOf(paymentOrderChange).meta({
  id: "PaymentOrderChangePage",
  description: "One page of changes.",
});
export type PaymentOrderChange = z.infer<typeof paymentOrderChange>;
export const paymentOrderChangeQuery = z.strictObject(pageQuery);

export const paymentOrderPage = pageOf(paymentOrder).meta({
  id: "PaymentOrderPage",
  description: "One page of payment orders.",
});
