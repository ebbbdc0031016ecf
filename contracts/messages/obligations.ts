import { z } from "zod";
import {
  obligationAmend,
  obligationCreate,
  obligationPage,
  obligationPatch,
  obligationQuery,
  obligationRemit,
  obligationWithHistory,
} from "../http/ledger/obligations.ts";
import { orderStatus, paymentReturn } from "../http/payments/payment-order-parts.ts";
import { timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids/ids.ts";
import { ifMatch } from "../if-match.ts";
import { notification, request } from "../message.ts";
import { amountCents } from "../money.ts";

const byId = z.object({ id: z.string() });

export const CreateObligation = request(
  "ledger",
  "create-obligation",
  obligationCreate,
  obligationWithHistory,
);
export const GetObligation = request("ledger", "get-obligation", byId, obligationWithHistory);
export const ListObligations = request("ledger", "list-obligations", obligationQuery, obligationPage);
export const EditObligation = request(
  "ledger",
  "edit-obligation",
  byId.extend({ patch: obligationPatch, ifMatch }),
  obligationWithHistory,
);
export const FixObligation = request(
  "ledger",
  "fix-obligation",
  byId.extend({ ifMatch }),
  obligationWithHistory,
);
export const AmendObligation = request(
  "ledger",
  "amend-obligation",
  byId.extend({ amendment: obligationAmend, ifMatch }),
  obligationWithHistory,
);
export const RemitObligation = request(
  "ledger",
  "remit-obligation",
  byId.extend({ remittance: obligationRemit, ifMatch }),
  obligationWithHistory,
);

/**
 * The ledger asks orders to create the one order that pays an obligation: the outstanding amount, from the funding
 * account to the payee, under an order id that the ledger chose. Only the ledger may ask, and a repeated request gets
 * the first reply. Refusals: every submission control, and `obligation_not_payable` when the payee is not in the book.
 */
export const CreateRemittance = request(
  "orders",
  "create-remittance",
  z.object({
    orderId: idSchema("po"),
    obligationId: idSchema("ob"),
    reference: z.string(),
    rail: obligationRemit.shape.rail,
    amountCents,
    ledgerAccountId: idSchema("la"),
    ledgerAccountName: z.string(),
    counterpartyId: idSchema("cp"),
    /** Everybody who created, edited, fixed or amended the obligation. They are makers of the order. */
    makers: z.array(z.string()).optional(),
  }),
  z.object({ id: idSchema("po"), status: orderStatus }),
);

/** Webhooks sends all these fields to tenants. */
const remittance = {
  obligationId: idSchema("ob"),
  reference: z.string(),
  jurisdiction: z.string().nullable(),
  period: z.string().nullable(),
  amountCents,
  paymentOrderId: idSchema("po"),
  occurredAt: timestamp,
};

/** An order paid a tax filing; the obligation's liability falls by the amount. */
export const RemittanceCleared = notification("ledger", "remittance-cleared", z.object(remittance));

/** The bank returned the payment of a tax filing; the amount is outstanding. */
export const RemittanceReturned = notification(
  "ledger",
  "remittance-returned",
  z.object({ ...remittance, return: paymentReturn }),
);
