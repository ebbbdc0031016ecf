import { z } from "zod";
import {
  inboundPayment,
  inboundPaymentAssign,
  inboundPaymentPage,
  inboundPaymentQuery,
  inboundRail,
  inboundSimulation,
  inboundSimulationResult,
} from "../http/ledger/inbound-payments.ts";
import { timestamp } from "../http/shapes.ts";
import {
  virtualAccount,
  virtualAccountCreate,
  virtualAccountPage,
  virtualAccountQuery,
} from "../http/ledger/virtual-accounts.ts";
import { idSchema } from "../ids/ids.ts";
import { event, request } from "../message.ts";
import { amountCents, currency } from "../money.ts";
import { mode, orderDirection, encryptedAccountNumber } from "../rails/rails.ts";

/**
 * A bank reports an incoming payment, or an attempt to debit one of the book's numbers. The ledger resolves the number
 * to an account. The bank may report it again: (book, bankReference) is one payment.
 */
export const InboundReceived = event(
  "rails",
  "inbound-received",
  z.object({
    tenantId: idSchema("ten"),
    mode,
    // The transaction hash of a USDC payment has 66 characters.
    bankReference: z.string().min(1).max(100),
    rail: inboundRail,
    direction: orderDirection,
    amountCents,
    currency,
    originatorName: z.string(),
    accountNumber: encryptedAccountNumber,
    occurredAt: timestamp,
  }),
);

/** QA simulates an incoming payment (Test books only). */
export const SimulateInbound = request(
  "rails",
  "simulate-inbound",
  inboundSimulation
    .omit({ virtualAccountNumber: true })
    .extend({ direction: orderDirection, accountNumber: encryptedAccountNumber }),
  inboundSimulationResult,
);

const byId = z.object({ id: z.string() });

export const CreateVirtualAccount = request(
  "ledger",
  "create-virtual-account",
  virtualAccountCreate,
  virtualAccount,
);
export const GetVirtualAccount = request("ledger", "get-virtual-account", byId, virtualAccount);
export const ListVirtualAccounts = request(
  "ledger",
  "list-virtual-accounts",
  virtualAccountQuery,
  virtualAccountPage,
);
export const ChangeVirtualAccount = request(
  "ledger",
  "change-virtual-account",
  byId.extend({ action: z.enum(["Disable", "Enable", "Close"]) }),
  virtualAccount,
);

export const GetInboundPayment = request("ledger", "get-inbound-payment", byId, inboundPayment);
export const ListInboundPayments = request(
  "ledger",
  "list-inbound-payments",
  inboundPaymentQuery,
  inboundPaymentPage,
);
export const AssignInboundPayment = request(
  "ledger",
  "assign-inbound-payment",
  byId.extend({ assignment: inboundPaymentAssign }),
  inboundPayment,
);
