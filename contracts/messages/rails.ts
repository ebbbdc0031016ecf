import { z } from "zod";
import { correctionWithoutAccount } from "../http/sandbox/injections.ts";
import { simulatedEvent } from "../http/sandbox/simulated-rails.ts";
import { simulationAction, simulationBody, simulationResult } from "../http/sandbox/simulations.ts";
import { bankingDate, timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids/ids.ts";
import { command, event, request } from "../message.ts";
import { amountCents, currency } from "../money.ts";
import {
  encryptedAccountNumber,
  externalRail,
  mode,
  orderDirection,
  rail,
  railReference,
} from "../rails/rails.ts";

/** Hands an order to its rail. The order id identifies it: an instruction that repeats it is the same instruction. */
export const SubmitInstruction = command(
  "rails",
  "submit-instruction",
  z.object({
    orderId: idSchema("po"),
    /** The caller's own id of the order. Testers' rules match by it. */
    externalId: z.string().optional(),
    mode,
    rail,
    direction: orderDirection,
    amountCents,
    currency,
    counterpartyName: z.string(),
    counterpartyAccountNumber: encryptedAccountNumber,
    counterpartyRoutingNumber: z.string(),
    statementDescriptor: z.string().optional(),
    /** Whom the money comes from. Set where it may arrive at a virtual account. */
    originator: z.object({ tenantId: idSchema("ten"), name: z.string() }).optional(),
  }),
);

/**
 * Asks the rail for the state of an order. The adapter of its mode answers with all events again, or with
 * InstructionUnknown; where no adapter has that mode, nobody answers. Orders of the previous release send only the id.
 */
export const InquireInstruction = command(
  "rails",
  "inquire-instruction",
  z.object({ orderId: idSchema("po"), mode: mode.optional(), rail: rail.optional() }),
);

/** Rails number the events of an instruction. Orders defer an event that belongs to a later phase. */
const ofInstruction = { orderId: idSchema("po"), number: z.int(), occurredAt: timestamp };

/** The rail took the instruction, and will settle or fail it. */
export const InstructionAccepted = event(
  "rails",
  "instruction-accepted",
  z.object({ ...ofInstruction, railReference }),
);
/** The money has moved on the rail. A return may still follow. */
export const InstructionSettled = event(
  "rails",
  "instruction-settled",
  z.object({
    ...ofInstruction,
    railReference,
    /** Return windows count from it. */
    settlementDate: bankingDate.optional(),
  }),
);
/**
 * The rail refused the instruction or gave up: no money moved. `code` is the rail's (AC03) or ours (`rail_rejected`).
 */
export const InstructionFailed = event(
  "rails",
  "instruction-failed",
  z.object({ ...ofInstruction, code: z.string(), message: z.string() }),
);
/** The bank sent the money back. Unique per (order, trace, code). */
export const InstructionReturned = event(
  "rails",
  "instruction-returned",
  z.object({
    ...ofInstruction,
    code: z.string(),
    traceNumber: z.string(),
    /** The window of the code was over. The originator's bank may dishonour such a return. */
    afterWindow: z.boolean().optional(),
  }),
);
/** The receiver's bank corrects the data of a payment. No money moves. */
export const NoticeOfChange = event(
  "rails",
  "notice-of-change",
  z.object({
    ...ofInstruction,
    code: z.string(),
    correctedData: z.object({
      accountNumber: encryptedAccountNumber.optional(),
      routingNumber: z.string().optional(),
      name: z.string().optional(),
      transactionCode: z.string().optional(),
      individualId: z.string().optional(),
    }),
  }),
);
/**
 * A bank returned an entry that belongs to no order. Unique per (book, trace, code). Nobody knows yet whose money it
 * is, so the ledger books it to Suspense. The book exists, because something went out of it.
 */
export const UnmatchedReturnReceived = event(
  "rails",
  "unmatched-return-received",
  z.object({
    rail: externalRail,
    /** Credit: a payment comes back, and money comes in. Debit: a collection does, and money goes out. */
    direction: orderDirection,
    amountCents,
    currency,
    code: z.string().min(1).max(4),
    /** Of the return; the bank's statement has it. */
    traceNumber: z.string().min(1).max(100),
    /** Of the entry that it returns. */
    originalTraceNumber: z.string().min(1).max(100),
    originatorName: z.string(),
    occurredAt: timestamp,
  }),
);
/**
 * The receiver of a payment sent its money back as a new payment. The payment stays as it is. Unique per (book,
 * bankReference). The ledger books it to the account that had paid.
 */
export const PaymentSentBack = event(
  "rails",
  "payment-sent-back",
  z.object({
    orderId: idSchema("po"),
    rail: externalRail,
    amountCents,
    currency,
    bankReference: z.string().min(1).max(100),
    originatorName: z.string(),
    occurredAt: timestamp,
  }),
);
/** The rail does not know this order: orders submits it again under the same id. */
export const InstructionUnknown = event(
  "rails",
  "instruction-unknown",
  z.object({ orderId: idSchema("po") }),
);

/** What the rail of an order has reported so far, for its timeline. Empty before the hand-off. */
export const ListRailEvents = request(
  "rails",
  "list-rail-events",
  z.object({ orderId: z.string() }),
  z.object({
    submittedAt: timestamp.nullable(),
    events: z.array(
      z.object({
        event: simulatedEvent,
        code: z.string().nullable(),
        reference: z.string().nullable(),
        at: timestamp,
      }),
    ),
  }),
);

/** A tester makes a rail act on one order (Test books only). */
export const SimulateInstruction = request(
  "rails",
  "simulate-instruction",
  z.object({
    ...simulationBody.shape,
    orderId: z.string(),
    action: simulationAction,
    /** Its account number travels encrypted. */
    correctedData: z
      .object({ ...correctionWithoutAccount, accountNumber: encryptedAccountNumber.optional() })
      .optional(),
  }),
  simulationResult,
);
