import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, currency } from "../../money.ts";
import { orderDirection, rail } from "../../rails/rails.ts";
import { pageOf, pageQuery, timeFilter, timestamp } from "../shapes.ts";

/** Money comes in by every rail but Book, which never leaves the ledger. */
export const inboundRail = rail.exclude(["Book"]);

export const inboundPaymentStatus = z.enum(["Attributed", "Suspended", "Assigned", "Returned"]).meta({
  description:
    "Attributed: on the virtual account's ledger account. Suspended: in Suspense, until you assign it. Assigned: out of Suspense, by a journal of its own. Returned: a collection that was tried on the number; nothing moved.",
});
export type InboundPaymentStatus = z.infer<typeof inboundPaymentStatus>;

export const inboundReason = z
  .enum([
    "UnknownNumber",
    "VirtualAccountDisabled",
    "VirtualAccountClosed",
    "LedgerAccountClosed",
    "BalanceOutOfRange",
    "DebitNotAuthorized",
  ])
  .meta({
    description: "Why it was not attributed, which an assignment does not change. Null where it was.",
  });
export type InboundReason = z.infer<typeof inboundReason>;

export const inboundPayment = z
  .object({
    id: idSchema("ip"),
    status: inboundPaymentStatus,
    reason: inboundReason.nullable(),
    returnCode: z
      .literal("R29")
      .nullable()
      .meta({ description: "R29 (not authorized) on a Debit, which is returned to its sender." }),
    virtualAccountId: idSchema("va").nullable(),
    accountNumberLast4: z.string().meta({ description: "Of the number that it was sent to, known or not." }),
    ledgerAccountId: idSchema("la")
      .nullable()
      .meta({ description: "Where the money is. Null while it is in Suspense, and on a return." }),
    ledgerTransactionId: idSchema("lt").nullable().meta({ description: "What booked it. Null on a return." }),
    assignment: z
      .object({
        ledgerTransactionId: idSchema("lt"),
        ledgerAccountId: idSchema("la"),
        assignedBy: z.string(),
        assignedAt: timestamp,
      })
      .nullable()
      .meta({ description: "What took it out of Suspense." }),
    rail: inboundRail,
    direction: orderDirection.meta({ description: "Credit brings money, Debit asks for it." }),
    amountCents,
    currency,
    originatorName: z.string(),
    bankReference: z.string().meta({ description: "The bank's own, counted once in a book, for ever." }),
    occurredAt: timestamp.meta({ description: "When the bank booked it." }),
    createdAt: timestamp,
  })
  .meta({ id: "InboundPayment" });
export type InboundPayment = z.infer<typeof inboundPayment>;

export const inboundPaymentPage = pageOf(inboundPayment).meta({ id: "InboundPaymentPage" });
export const inboundPaymentQuery = z.strictObject({
  ...pageQuery,
  status: inboundPaymentStatus.optional(),
  virtualAccountId: z.string().max(64).optional(),
  ledgerAccountId: z.string().max(64).optional(),
  bankReference: z.string().min(1).max(100).optional(),
  "createdAt[gte]": timeFilter("Only those created at this time (RFC 3339) and later."),
  "createdAt[lt]": timeFilter("Only those created before this time (RFC 3339)."),
});
export type InboundPaymentQuery = z.infer<typeof inboundPaymentQuery>;

export const inboundPaymentAssign = z
  .strictObject({
    ledgerAccountId: z
      .string()
      .max(64)
      .optional()
      .meta({ description: "Whose money it is. This or the name." }),
    ledgerAccountName: z.string().min(1).max(100).optional(),
  })
  .meta({ id: "InboundPaymentAssign" });
export type InboundPaymentAssign = z.infer<typeof inboundPaymentAssign>;

export const inboundSimulation = z
  .strictObject({
    virtualAccountNumber: z
      .string()
      .regex(/^[A-Za-z0-9]{4,34}$/, "must be 4 to 34 letters and digits")
      .meta({ description: "The number that it is sent to, a virtual account's or any other." }),
    rail: inboundRail,
    direction: orderDirection
      .default("Credit")
      .meta({ description: "Credit brings money. Debit tries to collect some, and is returned (R29)." }),
    amountCents,
    originatorName: z.string().min(1).max(140),
    bankReference: z
      .string()
      .regex(/^[A-Za-z0-9./-]{1,100}$/)
      .optional()
      .meta({
        description:
          "The bank's reference; made up when left out. Sent again, the bank tells of the same payment again.",
      }),
  })
  .meta({ id: "InboundSimulation" });
export type InboundSimulation = z.infer<typeof inboundSimulation>;

export const inboundSimulationResult = z
  .object({
    bankReference: z.string().meta({ description: "Find the payment by it: `GET /v1/inbound-payments`." }),
    rail: inboundRail,
    direction: orderDirection,
    amountCents,
    currency,
    originatorName: z.string(),
    occurredAt: timestamp,
  })
  .meta({ id: "InboundSimulationResult" });
export type InboundSimulationResult = z.infer<typeof inboundSimulationResult>;
