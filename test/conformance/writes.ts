/** One valid request for each operation that changes something, on its own resource. */
import { bankingDayBefore, isBankingDay, newYorkDate } from "../../contracts/rails/banking-calendar.ts";
import { newId } from "../../contracts/ids/ids.ts";
import { until } from "../stack/until.ts";
import { aCounterparty, anObligation, anOrder, aTransaction, type Scenario } from "./scenario.ts";

export interface Write {
  readonly path: string;
  readonly body?: unknown;
  /** The key that sends it. Default: the maker's. */
  readonly as?: "maker" | "admin" | "approver1";
  /** A different request: another body or, for an action, another resource. */
  readonly other: { readonly path?: string; readonly body?: unknown };
  /** A request that the service refuses; for an action, on a resource that does not exist. */
  readonly refused: { readonly path?: string; readonly body?: unknown };
}

let made = 0;
/** A unique name. */
const fresh = (what: string) => `${what} ${String((made += 1))}`;

/** An action on a resource. The same action on a missing resource is a different request, and is refused. */
function action(template: string, id: string, more: Pick<Write, "body" | "as"> = {}): Write {
  const another = {
    path: template.replace("{id}", newId(id.slice(0, id.indexOf("_")) as "po")),
    body: more.body,
  };
  return { path: template.replace("{id}", id), ...more, other: another, refused: another };
}

async function idOf(
  scenario: Scenario,
  path: string,
  body: unknown,
  key = scenario.world.tenant.keys.maker,
): Promise<string> {
  const made = await scenario.send(path, { body, key });
  if (typeof made["id"] !== "string") throw new Error(`${path}: ${JSON.stringify(made)}`);
  return made["id"];
}

const statementFaults = "/v1/simulations/bank-statement-faults";
const keys = "/v1/api-keys";
const orders = "/v1/payment-orders";
const transactions = "/v1/ledger-transactions";
const policy = "/v1/approval-policy";
const counterparties = "/v1/counterparties";
const obligations = "/v1/obligations";
const virtualAccounts = "/v1/virtual-accounts";
const aVirtualAccount = (change: object = {}) => ({
  name: fresh("Deposits"),
  ledgerAccountName: "Operating",
  ...change,
});
const aKey = (change: object = {}) => ({ name: fresh("spare"), scopes: ["orders:read"], ...change });

async function proposedKey(scenario: Scenario): Promise<string> {
  const { admin: key } = scenario.world.tenant.keys;
  const { proposalId } = await scenario.send(keys, { key, body: aKey({ scopes: ["policy:write"] }) });
  return String(proposalId);
}

async function policyWith(
  scenario: Scenario,
  approvalExpiresAfterHours: number,
): Promise<Record<string, unknown>> {
  return { ...(await scenario.send(policy)), approvalExpiresAfterHours };
}

async function proposedPolicy(scenario: Scenario): Promise<string> {
  const { admin: key } = scenario.world.tenant.keys;
  made += 1;
  const { proposalId } = await scenario.send(policy, {
    method: "PUT",
    key,
    body: await policyWith(scenario, 1_000 + made),
  });
  return String(proposalId);
}

async function deliveredOnce(scenario: Scenario): Promise<string> {
  await scenario.completed();
  return until(async () => {
    const { data } = await scenario.send("/v1/webhooks?status=Delivered");
    return (data as { id: string }[])[0]?.id;
  });
}

const draft = (scenario: Scenario) => scenario.order({ submit: false });

/** By operation id. */
export const writes: Readonly<Record<string, (scenario: Scenario) => Promise<Write>>> = {
  createApiKey: () =>
    Promise.resolve({
      path: keys,
      body: aKey(),
      other: { body: aKey() },
      refused: { body: aKey({ scopes: ["orders:approve"] }) },
    }),
  approveApiKeyProposal: async (scenario) =>
    action(`${keys}/proposals/{id}/approve`, await proposedKey(scenario)),
  denyApiKeyProposal: async (scenario) => action(`${keys}/proposals/{id}/deny`, await proposedKey(scenario)),
  revokeApiKey: async (scenario) => action(`${keys}/{id}/revoke`, await idOf(scenario, keys, aKey())),
  rotateApiKey: async (scenario) =>
    action(`${keys}/{id}/rotate`, await idOf(scenario, keys, aKey()), { body: { overlapHours: 1 } }),
  putApprovalPolicy: async (scenario) => {
    const body = await policyWith(scenario, 72);
    // Every valid policy is accepted: a looser one becomes a proposal.
    const lower = { body: { ...body, approvalExpiresAfterHours: 71 } };
    return { path: policy, body, as: "admin", other: lower, refused: {} };
  },
  approvePolicyProposal: async (scenario) =>
    action(`${policy}/proposals/{id}/approve`, await proposedPolicy(scenario), { as: "approver1" }),
  denyPolicyProposal: async (scenario) =>
    action(`${policy}/proposals/{id}/deny`, await proposedPolicy(scenario), { as: "approver1" }),
  createCounterparty: async ({ send }) => {
    const body = aCounterparty({ externalId: fresh("vendor") });
    const taken = aCounterparty({ externalId: fresh("vendor") });
    await send(counterparties, { body: taken });
    return {
      path: counterparties,
      body,
      other: { body: { ...body, name: "Ada Exemplar" } },
      refused: { body: taken },
    };
  },
  replaceCounterparty: async (scenario) =>
    action(`${counterparties}/{id}`, await idOf(scenario, counterparties, aCounterparty()), {
      body: aCounterparty({ name: "Ada Exemplar" }),
    }),
  verifyCounterparty: async (scenario) =>
    action(`${counterparties}/{id}/verify`, await idOf(scenario, counterparties, aCounterparty()), {
      as: "admin",
    }),
  createLedgerAccount: () => {
    const body = { name: fresh("Account"), overdraft: "Refused" };
    const path = "/v1/ledger-accounts";
    return Promise.resolve({
      path,
      body,
      other: { body: { ...body, overdraft: "Allowed" } },
      refused: { body: { name: "Operating" } },
    });
  },
  closeLedgerAccount: async (scenario) =>
    action(
      "/v1/ledger-accounts/{id}/close",
      await idOf(scenario, "/v1/ledger-accounts", { name: fresh("Account") }),
    ),
  createLedgerTransaction: () => {
    const body = aTransaction();
    const [debit] = body.entries;
    return Promise.resolve({
      path: transactions,
      body,
      other: { body: aTransaction({ description: "Fee of April" }) },
      refused: { body: aTransaction({ entries: [debit, debit] }) },
    });
  },
  postLedgerTransaction: async (scenario) =>
    action(`${transactions}/{id}/post`, await scenario.transaction({ status: "Pending" })),
  voidLedgerTransaction: async (scenario) =>
    action(`${transactions}/{id}/void`, await scenario.transaction({ status: "Pending" })),
  reverseLedgerTransaction: async (scenario) =>
    action(`${transactions}/{id}/reverse`, await scenario.transaction(), { body: { description: "Twice" } }),
  createVirtualAccount: () => {
    const body = aVirtualAccount();
    return Promise.resolve({
      path: virtualAccounts,
      body,
      other: { body: { ...body, metadata: { for: "somebody else" } } },
      refused: { body: { ...body, ledgerAccountName: "Suspense" } },
    });
  },
  disableVirtualAccount: async (scenario) =>
    action(`${virtualAccounts}/{id}/disable`, await idOf(scenario, virtualAccounts, aVirtualAccount())),
  enableVirtualAccount: async (scenario) =>
    action(`${virtualAccounts}/{id}/enable`, await idOf(scenario, virtualAccounts, aVirtualAccount())),
  closeVirtualAccount: async (scenario) =>
    action(`${virtualAccounts}/{id}/close`, await idOf(scenario, virtualAccounts, aVirtualAccount())),
  assignInboundPayment: async (scenario) =>
    action("/v1/inbound-payments/{id}/assign", await scenario.suspended(), {
      body: { ledgerAccountName: "Operating" },
    }),
  simulateInboundPayment: () => {
    const body = { virtualAccountNumber: "12345678", rail: "Rtp", amountCents: 1_250, originatorName: "Ada" };
    return Promise.resolve({
      path: "/v1/simulations/inbound-payments",
      body,
      other: { body: { ...body, amountCents: 1_251 } },
      refused: { body: { ...body, direction: "Debit" } },
    });
  },
  createObligation: () =>
    Promise.resolve({
      path: obligations,
      body: anObligation(),
      other: { body: anObligation({ period: "2026-Q2" }) },
      refused: { body: anObligation({ payeeCounterpartyId: newId("po") }) },
    }),
  updateObligation: async (scenario) =>
    action(`${obligations}/{id}`, await idOf(scenario, obligations, anObligation()), {
      body: { period: "2026-Q2" },
    }),
  fixObligation: async (scenario) =>
    action(`${obligations}/{id}/fix`, await idOf(scenario, obligations, anObligation())),
  amendObligation: async (scenario) =>
    action(`${obligations}/{id}/amend`, await scenario.fixed(), { body: { lines: [] } }),
  remitObligation: async (scenario) => {
    const id = await scenario.fixed();
    const body = { rail: "Ach", fundingLedgerAccountName: "Operating" };
    const write = action(`${obligations}/{id}/remit`, id, { body });
    // Orders refuses it after the ledger has committed. The key must be freed too.
    return { ...write, refused: { body: { ...body, rail: "Wire" } } };
  },
  createPaymentOrder: () => {
    const bad = anOrder({ counterpartyRoutingNumber: "790001006" });
    return Promise.resolve({
      path: orders,
      body: anOrder(),
      other: { body: anOrder({ amountCents: 1_251 }) },
      refused: { body: bad },
    });
  },
  updatePaymentOrder: async (scenario) =>
    action(`${orders}/{id}`, await draft(scenario), { body: { amountCents: 1_300 } }),
  submitPaymentOrder: async (scenario) => action(`${orders}/{id}/submit`, await draft(scenario)),
  cancelPaymentOrder: async (scenario) =>
    action(`${orders}/{id}/cancel`, await draft(scenario), { body: { reason: "Mistake" } }),
  approvePaymentOrder: async (scenario) =>
    action(`${orders}/{id}/approve`, await scenario.waiting(), { as: "approver1" }),
  denyPaymentOrder: async (scenario) =>
    action(`${orders}/{id}/deny`, await scenario.waiting(), {
      as: "approver1",
      body: { reason: "No such invoice" },
    }),
  simulatePaymentOrder: async (scenario) =>
    action("/v1/simulations/payment-orders/{id}/settle", await draft(scenario)),
  createReconciliation: () => {
    const today = newYorkDate(new Date());
    const date = isBankingDay(today) ? today : bankingDayBefore(today);
    return Promise.resolve({
      path: "/v1/reconciliations",
      body: {},
      other: { body: { date } },
      refused: { body: { date: "2026-01-05" } },
    });
  },
  createBankStatementFault: () =>
    Promise.resolve({
      path: statementFaults,
      body: { kind: "LineMissing", bankReference: fresh("reference") },
      other: { body: { kind: "LineMissing", bankReference: fresh("reference") } },
      refused: { body: { kind: "LineAdded" } },
    }),
  correctBankStatementFault: async (scenario) =>
    action(
      `${statementFaults}/{id}/correct`,
      await idOf(scenario, statementFaults, { kind: "LineMissing", bankReference: fresh("reference") }),
    ),
  createTestSink: () =>
    Promise.resolve({
      path: "/v1/test-sinks",
      body: { respond: [200] },
      other: { body: { respond: [500] } },
      refused: {},
    }),
  createWebhookEndpoint: ({ world }) => {
    const body = { url: world.receiver.url, eventTypes: ["test.event"] };
    const path = "/v1/webhook-endpoints";
    // A forbidden target: a cloud's metadata service.
    const refused = { body: { ...body, url: "http://169.254.169.254/" } };
    return Promise.resolve({ path, body, other: { body: { ...body, description: "another" } }, refused });
  },
  retryWebhook: async (scenario) => action("/v1/webhooks/{id}/retry", await deliveredOnce(scenario)),
};
