/** Moves one payment through a new system and describes each step. */
import type { LedgerAccount, LedgerEntry } from "../../../contracts/http/ledger/ledger-accounts.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import type { TestSink, TestSinkRequest } from "../../../contracts/http/webhooks/test-sinks.ts";
import type { WebhookEndpoint } from "../../../contracts/http/webhooks/webhooks.ts";
import { callUntil, callWithinLimits } from "./api.ts";
import type { SeededTenant } from "./seed.ts";

/** The URL of the tenant's webhook receiver. */
export interface Receiving {
  readonly sinkId: string;
  readonly sinkUrl: string;
}

export interface FirstPayment extends Receiving {
  /** What became of it, in one line. */
  readonly outcome: string;
  /** One line for each step; empty if the approval policy in force refused the payment. */
  readonly way: readonly string[];
}

/** Refusals of the approval policy in force: the book is well, and only its policy is another one. */
const refusedByPolicy = new Set(["counterparty_unverified", "velocity_limit_exceeded"]);

const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`;

/**
 * The approvers approve if the policy in force wants that. A book whose receiver is as the last start left it gets no
 * second payment. Throws when the payment does not complete within 15 s.
 */
export async function moveFirstPayment(
  baseUrl: string,
  keys: SeededTenant["keys"],
  existing?: Receiving,
): Promise<FirstPayment> {
  const key = keys.maker;
  if (existing !== undefined && (await stillReceives(baseUrl, key, existing))) {
    return { ...existing, outcome: "Its book is as you left it.", way: [] };
  }
  const account = await openAccount(baseUrl, key, "Operating");
  const { sinkId, sinkUrl } = await openSink(baseUrl, key);
  const created = await callWithinLimits<PaymentOrder & { code?: string; detail?: string }>(baseUrl, {
    method: "POST",
    path: "/v1/payment-orders",
    key,
    headers: { "idempotency-key": `first-payment-${String(Date.now())}` },
    body: {
      direction: "Credit",
      rail: "Rtp",
      amountCents: 2_500,
      ledgerAccountName: "Operating",
      counterpartyName: "Ada Example",
      counterpartyAccountNumber: "000123456789",
      counterpartyRoutingNumber: "790001005",
    },
  });
  const { code = "", detail = "" } = created.body;
  if (refusedByPolicy.has(code)) {
    return { sinkId, sinkUrl, outcome: `Its approval policy refuses a first payment: ${detail}`, way: [] };
  }
  if (created.status !== 201)
    throw new Error(`the first payment was refused: ${JSON.stringify(created.body)}`);
  const path = `/v1/payment-orders/${created.body.id}`;
  await approveAsRequired(baseUrl, keys, created.body);
  const { body: order } = await callUntil<PaymentOrder>(
    baseUrl,
    { method: "GET", path, key },
    ({ body }) => body.status === "Completed",
  );
  const entries = await callWithinLimits<LedgerEntry[]>(baseUrl, {
    method: "GET",
    path: `/v1/ledger-accounts/${account.id}/entries`,
    key,
  });
  const webhook = await completedWebhook(baseUrl, key, sinkId, order.id);
  return {
    sinkId,
    sinkUrl,
    outcome: "A first payment of $25.00 went over RTP:",
    way: describe(
      order,
      entries.body.filter((entry) => entry.paymentOrderId === order.id),
      webhook,
    ),
  };
}

async function approveAsRequired(
  baseUrl: string,
  keys: SeededTenant["keys"],
  { id, approval }: PaymentOrder,
): Promise<void> {
  if (approval.required === 0) return;
  const path = `/v1/payment-orders/${id}`;
  await callUntil<PaymentOrder>(
    baseUrl,
    { method: "GET", path, key: keys.maker },
    ({ body }) => body.status === "Pending",
  );
  for (const key of [keys.approver1, keys.approver2].slice(0, approval.required))
    await callWithinLimits(baseUrl, { method: "POST", path: `${path}/approve`, key });
}

/** Whether the tenant has left the sink and an endpoint for it as they were made: both are the tenant's to change. */
async function stillReceives(baseUrl: string, key: string, { sinkId, sinkUrl }: Receiving): Promise<boolean> {
  const sink = await callWithinLimits(baseUrl, { method: "GET", path: `/v1/test-sinks/${sinkId}`, key });
  const path = "/v1/webhook-endpoints?limit=100";
  const endpoints = await callWithinLimits<{ data: WebhookEndpoint[] }>(baseUrl, {
    method: "GET",
    path,
    key,
  });
  return (
    sink.status === 200 &&
    endpoints.body.data.some(
      ({ url, status, eventTypes }) => url === sinkUrl && status === "Enabled" && eventTypes.includes("*"),
    )
  );
}

/** A sink with an endpoint for every event type: the tenant's receiver, created once. */
async function openSink(baseUrl: string, key: string): Promise<Receiving> {
  const sink = await callWithinLimits<TestSink>(baseUrl, {
    method: "POST",
    path: "/v1/test-sinks",
    key,
    body: {},
  });
  const { id, url } = sink.body;
  const body = { url, eventTypes: ["*"], description: "the sandbox's own sink" };
  await callWithinLimits(baseUrl, { method: "POST", path: "/v1/webhook-endpoints", key, body });
  return { sinkId: id, sinkUrl: url };
}

/** The account of that name; creates it if it does not exist. */
export async function openAccount(baseUrl: string, key: string, name: string): Promise<LedgerAccount> {
  const listed = await callWithinLimits<{ data: LedgerAccount[] }>(baseUrl, {
    method: "GET",
    path: `/v1/ledger-accounts?name=${encodeURIComponent(name)}`,
    key,
  });
  const [account] = listed.body.data;
  if (account !== undefined) return account;
  const made = await callWithinLimits<LedgerAccount>(baseUrl, {
    method: "POST",
    path: "/v1/ledger-accounts",
    key,
    body: { name },
  });
  if (made.status !== 201) throw new Error(`no account ${name}: ${JSON.stringify(made.body)}`);
  return made.body;
}

async function completedWebhook(
  baseUrl: string,
  key: string,
  sinkId: string,
  orderId: string,
): Promise<TestSinkRequest> {
  const isCompleted = (request: TestSinkRequest) => {
    const body = Buffer.from(request.bodyBase64, "base64").toString();
    return body.includes("payment_order.completed") && body.includes(orderId);
  };
  const { body } = await callUntil<{ data: TestSinkRequest[] }>(
    baseUrl,
    { method: "GET", path: `/v1/test-sinks/${sinkId}/requests`, key },
    (answer) => answer.body.data.some(isCompleted),
  );
  const webhook = body.data.find(isCompleted);
  if (webhook === undefined) throw new Error("the sink has lost the webhook");
  return webhook;
}

function describe(order: PaymentOrder, entries: readonly LedgerEntry[], webhook: TestSinkRequest): string[] {
  const began = Date.parse(order.createdAt);
  const since = (at: string) => `${String(Date.parse(at) - began).padStart(5)} ms`;
  return [
    ...order.statusHistory.map((change) => `${since(change.at)}  ${change.to.padEnd(11)} by ${change.actor}`),
    ...[...entries]
      .reverse()
      .map(
        (entry) =>
          `          ${entry.kind.padEnd(11)} ${entry.direction} ${dollars(entry.amountCents)} ${entry.status}`,
      ),
    `${since(webhook.receivedAt)}  webhook     payment_order.completed, signature ${webhook.verifiedByEndpointId === null ? "NOT verified" : "verified"}`,
  ];
}
