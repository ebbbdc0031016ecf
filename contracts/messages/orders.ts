import { z } from "zod";
import { paymentOrderQuery } from "../http/payments/payment-order-query.ts";
import { failure, orderStatus, paymentReturn } from "../http/payments/payment-order-parts.ts";
import { paymentOrderPreview, paymentOrderPreviewCreate } from "../http/payments/payment-order-preview.ts";
import {
  paymentOrder,
  paymentOrderChangePage,
  paymentOrderChangeQuery,
  paymentOrderCreate,
  paymentOrderPage,
  paymentOrderPatch,
} from "../http/payments/payment-orders.ts";
import {
  approvalPolicy,
  approvalPolicyPreview,
  approvalPolicyPut,
  policyProposal,
  policyProposalPage,
  policyProposalQuery,
  policyProposedAnswer,
} from "../http/payments/approval-policies.ts";
import {
  counterparty,
  counterpartyAccountBody,
  counterpartyBody,
  counterpartyPage,
  counterpartyQuery,
} from "../http/payments/counterparties.ts";
import {
  proposedChange,
  proposedChangePage,
  proposedChangeQuery,
} from "../http/payments/proposed-changes.ts";
import { inbox } from "../http/inbox.ts";
import { timestamp } from "../http/shapes.ts";
import { idSchema } from "../ids/ids.ts";
import { ifMatch } from "../if-match.ts";
import { batchedRequest, event, notification, request } from "../message.ts";
import { transactionPolicy } from "./ledger-transactions.ts";
import { numberedApprovalRight } from "./tenants.ts";
import { amountCents, currency } from "../money.ts";
import { mode, orderDirection, rail, encryptedAccountNumber } from "../rails/rails.ts";
import { operatorName } from "../text/operator-name.ts";

/** The body of POST /v1/payment-orders. The gateway has encrypted the account number. */
export const CreateOrder = batchedRequest(
  "orders",
  "create-order",
  paymentOrderCreate
    .omit({ counterpartyAccountNumber: true })
    .extend({ counterpartyAccountNumber: encryptedAccountNumber.optional() }),
  paymentOrder,
);

const byId = z.object({ id: z.string() });

/** The body of PATCH. The gateway has encrypted the account number; null removes it. */
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
/**
 * With `mayApprove` (whether the caller has the scope to approve), the reply says whether the caller could approve the
 * order now.
 */
export const GetOrder = request(
  "orders",
  "get-order",
  byId.extend({ mayApprove: z.boolean().optional() }),
  paymentOrder,
);
export const ListOrders = request("orders", "list-orders", paymentOrderQuery, paymentOrderPage);
/** What waits for a decision in the book, and whether this caller could approve it now. */
export const ReadInbox = request(
  "orders",
  "read-inbox",
  z.object({
    /** Whether the caller has the scopes to approve orders, and to decide on policies. */
    mayApprove: z.boolean(),
    mayDecidePolicies: z.boolean(),
  }),
  inbox.pick({ paymentOrders: true, policyProposals: true }),
);
export const ListOrderChanges = request(
  "orders",
  "list-order-changes",
  paymentOrderChangeQuery.extend({ id: z.string() }),
  paymentOrderChangePage,
);
export const SubmitOrder = request("orders", "submit-order", byId, paymentOrder);
/**
 * `right` is the approver's right to approve as the gateway knows it; absent if it never had an end. Its event may come
 * later than the first approval with a new key. `orderHash` is what the approver saw; absent if the caller did not say.
 */
export const ApproveOrder = request(
  "orders",
  "approve-order",
  byId.extend({ orderHash: z.string().optional(), right: numberedApprovalRight.optional() }),
  paymentOrder,
);
/** Rights to approve that have just changed. Their events bring them too; the gateway's caller waits for the reply. */
export const ApplyApprovalRights = request(
  "orders",
  "apply-approval-rights",
  z.object({ rights: z.array(numberedApprovalRight) }),
  z.object({ recorded: z.int() }),
);
export const CancelOrder = request(
  "orders",
  "cancel-order",
  byId.extend({ reason: z.string().optional() }),
  paymentOrder,
);

/**
 * An operator states the outcome of an order that is stuck at its rail, from the bank's own records. The first operator
 * proposes; a second operator with the same outcome resolves the order. Only the operator's NATS user may send it.
 * Refusals: `not_found`, `invalid_state_transition`, `self_approval_not_allowed`, `invalid_field`.
 */
export const ResolveOrder = request(
  "orders",
  "resolve-order",
  byId.extend({
    as: z.enum(["settled", "failed"]),
    /** What the operator saw, and where. The tenant reads the second operator's in the order's history. */
    evidence: z
      .string()
      .min(10)
      .max(200)
      .regex(/^[\x20-\x7e]+$/),
    by: operatorName,
  }),
  z.object({ resolution: z.enum(["Proposed", "Resolved"]), status: orderStatus }),
);

const completionDelay = z.object({ completesAfterBankingDays: z.int().min(0).max(5) });
/** Sets how many banking days settled ACH orders of the book wait for returns. Only the operator's NATS user may. */
export const SetCompletionDelay = request("orders", "set-completion-delay", completionDelay, completionDelay);

/**
 * The order changed its status, or a return was attached after completion. `sequence` counts the order's own events
 * from 1: receivers order by it and detect gaps. The message's id is the uuid of the public event id.
 */
export const OrderStatusChanged = notification(
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

/**
 * An approval was recorded and the order's status stayed: it needs another approval, or waits for its hold. No service
 * consumes the event. The gateway passes it on to open screens, which read the order again.
 */
export const OrderApprovalRecorded = event(
  "orders",
  "order-approval-recorded",
  z.object({ orderId: idSchema("po"), required: z.int(), received: z.int() }),
);

/** Another policy is in force: what of it the ledger enforces. */
export const ApprovalPolicyChanged = event("orders", "approval-policy-changed", transactionPolicy);

export const GetApprovalPolicy = request("orders", "get-approval-policy", z.object({}), approvalPolicy);
/** The reply is the policy when it applies at once, or a proposal when it loosens the policy. */
export const PutApprovalPolicy = request(
  "orders",
  "put-approval-policy",
  approvalPolicyPut,
  z.union([z.object({ policy: approvalPolicy }), policyProposedAnswer]),
);
/** What a PUT of the policy would change. It writes nothing. */
export const PreviewApprovalPolicy = request(
  "orders",
  "preview-approval-policy",
  approvalPolicyPut,
  approvalPolicyPreview,
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

const encryptedCounterparty = counterpartyBody.extend({
  accounts: z.array(counterpartyAccountBody.extend({ accountNumber: encryptedAccountNumber })),
});
export const CreateCounterparty = request(
  "orders",
  "create-counterparty",
  encryptedCounterparty,
  counterparty,
);
export const GetCounterparty = request("orders", "get-counterparty", byId, counterparty);
export const ListCounterparties = request(
  "orders",
  "list-counterparties",
  counterpartyQuery,
  counterpartyPage,
);
export const ReplaceCounterparty = request(
  "orders",
  "replace-counterparty",
  encryptedCounterparty.extend({ id: z.string(), ifMatch }),
  counterparty,
);
export const ArchiveCounterparty = request(
  "orders",
  "archive-counterparty",
  byId.extend({ ifMatch }),
  counterparty,
);
export const RestoreCounterparty = request(
  "orders",
  "restore-counterparty",
  byId.extend({ ifMatch }),
  counterparty,
);
export const VerifyCounterparty = request(
  "orders",
  "verify-counterparty",
  byId.extend({ ifMatch }),
  counterparty,
);

export const ListProposedChanges = request(
  "orders",
  "list-proposed-changes",
  proposedChangeQuery.extend({ id: z.string() }),
  proposedChangePage,
);
const byChange = byId.extend({ changeId: z.string() });
/** Counts as an edit of the counterparty. */
export const AcceptProposedChange = request(
  "orders",
  "accept-proposed-change",
  byChange.extend({ ifMatch }),
  counterparty,
);
export const DismissProposedChange = request("orders", "dismiss-proposed-change", byChange, proposedChange);

/** A notice of change proposes a change of a counterparty. It is published once for each proposal. */
export const CounterpartyChangeProposed = notification(
  "orders",
  "counterparty-change-proposed",
  proposedChange.omit({ status: true, decidedBy: true, decidedAt: true }).extend({ mode }),
);
