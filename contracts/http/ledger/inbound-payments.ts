import { z } from "zod";
import { idSchema } from "../../ids/ids.ts";
import { amountCents, currency } from "../../money.ts";
import { namedEnum } from "../../named-enum.ts";
import { externalRail, orderDirection } from "../../rails/rails.ts";
import { nameText } from "../../text/text.ts";
import { createdAtFilters, oneOrMany, pageOf, pageQuery, principal, timestamp } from "../shapes.ts";

/** Money comes in by every rail but Book, which never leaves the ledger. */
export const inboundRail = externalRail;

export const inboundPaymentStatus = namedEnum("InboundPaymentStatus", "Where the money is.", {
  Attributed: "On the virtual account's ledger account.",
  Suspended: "In Suspense, until you assign it.",
  Assigned: "Moved from Suspense to one of your accounts.",
  Offset:
    "In Suspense. It makes up for a payment that Suspense had made and its receiver sent back, so there is nothing to assign.",
  Returned: "A collection was tried on the number and returned. No money moved.",
});
export type InboundPaymentStatus = z.infer<typeof inboundPaymentStatus>;

export const inboundReason = namedEnum("InboundReason", "Why it was not attributed.", {
  UnknownNumber: "The number is not one of yours.",
  VirtualAccountDisabled: "The virtual account is disabled.",
  VirtualAccountClosed: "The virtual account is closed.",
  LedgerAccountClosed: "The ledger account is closed.",
  BalanceOutOfRange: "The ledger account's balance would leave the safe range.",
  UnmatchedReturn: "A bank returned an entry that is none of yours.",
  ReturnOfPayment: "Its receiver sent a payment back, and no account of yours had paid it.",
  DebitNotAuthorized: "Collections are not allowed on virtual accounts.",
});
export type InboundReason = z.infer<typeof inboundReason>;

const inboundReturnCode = z.literal("R29").meta({
  id: "InboundReturnCode",
  description: "The Nacha return code.",
  "x-enumDescriptions": { R29: "The corporate customer did not authorize the collection." },
});
export const unmatchedReturn = z
  .object({
    code: z.string().meta({ description: "The Nacha return code." }),
    originalTraceNumber: z
      .string()
      .meta({ description: "The trace number of the entry that it returns. None of your payments has it." }),
  })
  .meta({ id: "UnmatchedReturn", description: "A return that fits none of your payments." });
const originatorName = nameText(140).meta({ description: "The sender's name." });
const direction = orderDirection.meta({
  description: "Credit brings money in. Debit tries to collect money.",
});

export const inboundPayment = z
  .object({
    id: idSchema("ip"),
    status: inboundPaymentStatus,
    reason: inboundReason.nullable().meta({
      description: "Why it was not attributed. An assignment does not change it. Null if it was attributed.",
    }),
    // The defaults are for answers that were stored before the fields were added.
    returnsPaymentOrderId: idSchema("po").nullable().default(null).meta({
      description: "The order whose money it brings back: a wire that its receiver sent back.",
    }),
    unmatchedReturn: unmatchedReturn.nullable().default(null).meta({
      description:
        "Set if it is a return of an entry that is none of yours. Its `bankReference` is the return's trace number. Of a Credit, money came in; of a Debit, money went out. Each trace number and code is booked once.",
    }),
    returnCode: inboundReturnCode
      .nullable()
      .meta({ description: "R29 (not authorized) on a Debit, which is returned to its sender." }),
    virtualAccountId: idSchema("va").nullable().meta({ description: "The virtual account, if it is known." }),
    // The default is for answers that were stored before the field was added.
    accountNumber: z
      .string()
      .default("****")
      .meta({ description: "The number that was paid, masked except for the last four characters." }),
    accountNumberLast4: z.string().meta({
      description:
        "The last four characters of the number. `accountNumber` has them too, as everywhere else.",
    }),
    ledgerAccountId: idSchema("la")
      .nullable()
      .meta({ description: "The account with the money. Null in Suspense, and on a return." }),
    ledgerTransactionId: idSchema("lt")
      .nullable()
      .meta({ description: "The transaction that booked it. Null on a return." }),
    proposedAssignment: z
      .object({
        ledgerAccountId: idSchema("la").meta({ description: "The account to receive the money." }),
        proposedBy: principal("The principal that proposed it."),
        proposedAt: timestamp.meta({ description: "When it was proposed." }),
      })
      .nullable()
      .default(null)
      .meta({
        description:
          "The assignment that a principal has proposed, because the approval policy lets nobody make it alone; null if nobody has. While the payment is Suspended, another principal with `orders:approve` makes it by an `assign` to the same account.",
      }),
    assignment: z
      .object({
        ledgerTransactionId: idSchema("lt").meta({ description: "The transaction that moved the money." }),
        ledgerAccountId: idSchema("la").meta({ description: "The account that received the money." }),
        assignedBy: principal("The principal that assigned it."),
        assignedAt: timestamp.meta({ description: "When it was assigned." }),
      })
      .nullable()
      .meta({ description: "How it left Suspense." }),
    rail: inboundRail,
    direction,
    amountCents,
    currency,
    originatorName: z.string().meta({ description: "The sender's name." }),
    bankReference: z
      .string()
      .meta({ description: "The bank's reference. Each one is booked once; repeats are ignored." }),
    occurredAt: timestamp.meta({ description: "When the bank booked it." }),
    createdAt: timestamp.meta({ description: "When it was recorded." }),
  })
  .meta({ id: "InboundPayment", description: "Money that someone sent to you, or tried to collect." });
export type InboundPayment = z.infer<typeof inboundPayment>;

export const inboundPaymentPage = pageOf(inboundPayment).meta({
  id: "InboundPaymentPage",
  description: "One page of inbound payments.",
});
export const inboundPaymentQuery = z.strictObject({
  ...pageQuery,
  status: oneOrMany(inboundPaymentStatus),
  virtualAccountId: oneOrMany(idSchema("va")),
  ledgerAccountId: oneOrMany(idSchema("la")),
  bankReference: oneOrMany(
    z
      .string()
      .min(1)
      .max(100)
      .meta({ examples: ["20260302MMQFMP2B000042"] }),
    "The bank's reference.",
  ),
  ...createdAtFilters,
});
export type InboundPaymentQuery = z.infer<typeof inboundPaymentQuery>;

export const inboundPaymentAssign = z
  .strictObject({
    ledgerAccountId: z.string().max(64).optional().meta({
      description: "The account to receive the money, by its id. Send either this or `ledgerAccountName`.",
    }),
    ledgerAccountName: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .meta({ description: "The account to receive the money, by its exact name." }),
  })
  .meta({ id: "InboundPaymentAssign", description: "Whose money it is." });
export type InboundPaymentAssign = z.infer<typeof inboundPaymentAssign>;

export const inboundSimulation = z
  .strictObject({
    virtualAccountNumber: z
      .string()
      .regex(/^[A-Za-z0-9]{4,34}$/, "must be 4 to 34 letters and digits")
      .meta({ description: "A virtual account's number, or any other number." }),
    rail: inboundRail,
    direction: direction
      .default("Credit")
      .meta({ description: "Credit brings money in. Debit tries to collect money and is returned (R29)." }),
    amountCents,
    originatorName,
    bankReference: z
      .string()
      .regex(/^[A-Za-z0-9./-]{1,100}$/)
      .optional()
      .meta({ description: "The bank's reference. Default: a new one. A repeat is ignored." }),
  })
  .meta({ id: "InboundSimulation", description: "An incoming payment to simulate." });
export type InboundSimulation = z.infer<typeof inboundSimulation>;

export const inboundSimulationResult = z
  .object({
    bankReference: z
      .string()
      .meta({ description: "Find the payment with `GET /v1/inbound-payments?bankReference=…`." }),
    rail: inboundRail,
    direction,
    amountCents,
    currency,
    originatorName: z.string().meta({ description: "The sender's name." }),
    occurredAt: timestamp.meta({ description: "When the bank booked it." }),
  })
  .meta({ id: "InboundSimulationResult", description: "The payment as the bank sent it." });
export type InboundSimulationResult = z.infer<typeof inboundSimulationResult>;
