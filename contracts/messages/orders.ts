import { z } from "zod";
import { paymentOrderQuery } from "../http/payments/payment-order-query.ts";
import {
  failure,
  orderStatus,
  paymentOrder,
  paymentOrderCreate,
  paymentOrderPage,
  paymentOrderPatch,
  paymentOrderPreview,
  paymentOrderPreviewCreate,
  paymentReturn,
} from "../http/payments/payment-orders.ts";
import {
  approvalPolicy,
  policyProposal,
  policyProposalPage,
  policyProposalQuery,
  proposed,
} from "../http/payments/approval-policies.ts";
import {
  counterparty,
  counterpartyAccountBody,
  counterpartyBody,
  counterpartyPage,
  counterpartyQuery,
} from "../http/payments/counterparties.ts";
import { timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids/ids.ts";
import { event, request } from "../message.ts";
import { amountCents, currency } from "../money.ts";
import { mode, orderDirection, rail, encryptedAccountNumber } from "../rails/rails.ts";

/** The body of POST /v1/payment-orders with the account number sealed at the edge. */
export const CreateOrder = request(
  "orders",
  "create-order",
  paymentOrderCreate
    .omit({ counterpartyAccountNumber: true })
    .extend({ counterpartyAccountNumber: encryptedAccountNumber.optional() }),
  paymentOrder,
);

const byId = z.object({ id: z.string() });

/** The body of PATCH with the account number sealed at the edge; null takes it away. */
export const UpdateOrder = request(
  "orders",
  "update-order",
  paymentOrderPatch
    .omit({ counterpartyAccountNumber: true })
    .extend({ id: z.string(), counterpartyAccountNumber: encryptedAccountNumber.nullish() }),
  paymentOrder,
);
export const PreviewOrder = request(
  "orders",
  "preview-order",
  paymentOrderPreviewCreate
    .omit({ counterpartyAccountNumber: true })
    .extend({ counterpartyAccountNumber: encryptedAccountNumber.optional() }),
  paymentOrderPreview,
);
export const DenyOrder = request("orders", "deny-order", byId.extend({ reason: z.string() }), paymentOrder);
export const GetOrder = request("orders", "get-order", byId, paymentOrder);
export const ListOrders = request("orders", "list-orders", paymentOrderQuery, paymentOrderPage);
export const SubmitOrder = request("orders", "submit-order", byId, paymentOrder);
export const ApproveOrder = request("orders", "approve-order", byId, paymentOrder);
export const CancelOrder = request(
  "orders",
  "cancel-order",
  byId.extend({ reason: z.string().optional() }),
  paymentOrder,
);

/**
 * The operator's word on an order that is stuck at its rail: what the bank's own records say became of it. The first
 * word proposes; the same word of another operator resolves it. No service may ask this: only the operator's NATS
 * user. Refused: not_found, invalid_state_transition, self_approval_not_allowed, invalid_field.
 */
export const ResolveOrder = request(
  "orders",
  "resolve-order",
  byId.extend({
    as: z.enum(["settled", "failed"]),
    /** What was seen, where: it stands in the order's history, for its tenant to read. */
    evidence: z
      .string()
      .min(10)
      .max(200)
      .regex(/^[\x20-\x7e]+$/),
    /** The operator's own name; small letters, so that one person is one name. */
    by: z.string().regex(/^[a-z][a-z0-9._-]{1,39}$/),
  }),
  z.object({ resolution: z.enum(["Proposed", "Resolved"]), status: orderStatus }),
);

/**
 * Every status change, and a return attached after completion. `sequence` counts the order's own events from 1:
 * receivers order by it and see gaps. The message's id is the public event id's uuid.
 */
export const OrderStatusChanged = event(
  "orders",
  "order-status-changed",
  z.object({
    orderId: idSchema("po"),
    mode,
    status: orderStatus,
    previousStatus: orderStatus,
    sequence: z.int32(),
    occurredAt: timestamp,
    rail,
    direction: orderDirection,
    amountCents,
    currency,
    externalId: z.string().nullable(),
    failure: failure.optional(),
    return: paymentReturn.optional(),
    late: z.boolean().optional(),
    cancelReason: z.string().optional(),
    approval: z.object({ required: z.int(), received: z.int() }).optional(),
  }),
);

export const GetApprovalPolicy = request("orders", "get-approval-policy", z.object({}), approvalPolicy);
/** The policy when it holds at once, a proposal when it loosens. */
export const PutApprovalPolicy = request(
  "orders",
  "put-approval-policy",
  approvalPolicy,
  z.union([z.object({ policy: approvalPolicy }), proposed]),
);
export const ListPolicyProposals = request(
  "orders",
  "list-policy-proposals",
  policyProposalQuery,
  policyProposalPage,
);
export const DecidePolicyProposal = request(
  "orders",
  "decide-policy-proposal",
  byId.extend({ decision: z.enum(["Approve", "Deny"]) }),
  policyProposal,
);

const sealedCounterparty = counterpartyBody.extend({
  accounts: z.array(counterpartyAccountBody.extend({ accountNumber: encryptedAccountNumber })),
});
export const CreateCounterparty = request("orders", "create-counterparty", sealedCounterparty, counterparty);
export const GetCounterparty = request("orders", "get-counterparty", byId, counterparty);
export const ListCounterparties = request(
  "orders",
  "list-counterparties",
  counterpartyQuery,
  counterpartyPage,
);
/** The versions that the caller names in If-Match: a counterparty at another one is refused with `precondition_failed`. */
const ifMatch = z.array(z.int()).optional();
export const ReplaceCounterparty = request(
  "orders",
  "replace-counterparty",
  sealedCounterparty.extend({ id: z.string(), ifMatch }),
  counterparty,
);
export const VerifyCounterparty = request(
  "orders",
  "verify-counterparty",
  byId.extend({ ifMatch }),
  counterparty,
);
