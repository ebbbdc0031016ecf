/** One valid request for each operation that changes something, on its own resource. */
import { bankingDayBefore, isBankingDay, newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { until } from "../../stack/until.ts";
import type { Make, Write } from "./write.ts";
import { writesOfPeople } from "./writes-of-people.ts";
import { aCounterparty, anObligation, anOrder, aTransaction, type Scenario } from "../refusals/scenario.ts";

let made = 0;
/** A unique name. */
const fresh = (what: string) => `${what} ${String((made += 1))}`;

/** An action on a resource. The same action on a missing resource is a different request, and is refused. */
const action =
  (
    template: string,
    resource: (scenario: Scenario) => Promise<string>,
    more: Pick<Write, "body" | "as"> = {},
  ): Make =>
  async (scenario) => {
    const id = await resource(scenario);
    const missing = newId(id.slice(0, id.indexOf("_")) as "po");
    const another = { path: template.replace("{id}", missing), body: more.body };
    return { path: template.replace("{id}", id), ...more, other: another, refused: another };
  };

/** A resource that the maker creates for the action. Returns its id. */
const created = (path: string, body: () => unknown) => async (scenario: Scenario) => {
  const answer = await scenario.send(path, { body: body(), key: scenario.world.tenant.keys.maker });
  if (typeof answer["id"] !== "string") throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer["id"];
};

/** A creation: the body, a different one, and one that is refused. */
const creation = (path: string, body: unknown, other: unknown, refused?: unknown): Write => ({
  path,
  body,
  other: { body: other },
  refused: { body: refused },
});

const statementFaults = "/v1/simulations/bank-statement-faults";
const clock = "/v1/simulations/clock";
const injections = "/v1/simulations/injections";
const keys = "/v1/api-keys";
const endpoints = "/v1/webhook-endpoints";
const anEndpoint = () => ({ url: "http://127.0.0.1:9/hooks", eventTypes: ["test.event"] });
const orders = "/v1/payment-orders";
const transactions = "/v1/ledger-transactions";
const policy = "/v1/approval-policy";
const counterparties = "/v1/counterparties";
const obligations = "/v1/obligations";
const virtualAccounts = "/v1/virtual-accounts";
const accounts = "/v1/ledger-accounts";
const aKey = (change: object = {}) => ({ name: fresh("spare"), scopes: ["orders:read"], ...change });
/** A rule that meets no order. */
const aRule = (code = "R03") => ({ match: { externalId: fresh("nobody") }, fault: "Return", code });
const aMissingLine = () => ({ kind: "LineMissing", bankReference: fresh("reference") });

const key = created(keys, aKey);
const sinks = "/v1/test-sinks";
const sink = created(sinks, () => ({}));
const counterparty = created(counterparties, aCounterparty);
const obligation = created(obligations, anObligation);
const virtualAccount = created(virtualAccounts, () => ({
  name: fresh("Deposits"),
  ledgerAccountName: "Operating",
}));
/** A decision on a proposed change; another one's id in its path is a different request, and is refused. */
const changeDecision =
  (decision: string): Make =>
  async (scenario) => {
    const { counterparty: of, change } = await scenario.proposedChange();
    const pathOf = (id: string) => `${counterparties}/${of}/proposed-changes/${id}/${decision}`;
    const missing = { path: pathOf(newId("chg")) };
    return { path: pathOf(change), other: missing, refused: missing };
  };
const draft = (scenario: Scenario) => scenario.order({ submit: false });
const waiting = (scenario: Scenario) => scenario.waiting();
const pending = (scenario: Scenario) => scenario.transaction({ status: "Pending" });

async function proposedKey({ send, world }: Scenario): Promise<string> {
  const { admin } = world.tenant.keys;
  const { proposalId } = await send(keys, { key: admin, body: aKey({ scopes: ["policy:write"] }) });
  return String(proposalId);
}

const policyWith = async ({ send }: Scenario, approvalExpiresAfterHours: number) => ({
  ...(await send(policy)),
  approvalExpiresAfterHours,
});

async function proposedPolicy(scenario: Scenario): Promise<string> {
  const { admin } = scenario.world.tenant.keys;
  const body = await policyWith(scenario, 1_000 + (made += 1));
  const { proposalId } = await scenario.send(policy, { method: "PUT", key: admin, body });
  return String(proposalId);
}

async function deliveredOnce(scenario: Scenario): Promise<string> {
  await scenario.completed();
  return until(async () => {
    const { data } = await scenario.send("/v1/webhooks?status=Delivered");
    return (data as { id: string }[])[0]?.id;
  });
}

async function rotatedEndpoint(scenario: Scenario): Promise<string> {
  const id = await created(endpoints, anEndpoint)(scenario);
  await scenario.send(`${endpoints}/${id}/rotate-secret`, { body: {} });
  return id;
}

/** By operation id. */
export const writes: Readonly<Record<string, Make>> = {
  ...writesOfPeople,
  createApiKey: () => creation(keys, aKey(), aKey(), aKey({ scopes: ["orders:approve"] })),
  approveApiKeyProposal: action(`${keys}/proposals/{id}/approve`, proposedKey),
  denyApiKeyProposal: action(`${keys}/proposals/{id}/deny`, proposedKey),
  revokeApiKey: action(`${keys}/{id}/revoke`, key),
  rotateApiKey: action(`${keys}/{id}/rotate`, key, { body: { overlapHours: 1 } }),
  putApprovalPolicy: async (scenario) => {
    const body = await policyWith(scenario, 72);
    // Every valid policy is accepted: a looser one becomes a proposal.
    const lower = { body: { ...body, approvalExpiresAfterHours: 71 } };
    return { path: policy, body, as: "admin", other: lower, refused: {} };
  },
  approvePolicyProposal: action(`${policy}/proposals/{id}/approve`, proposedPolicy, { as: "approver1" }),
  denyPolicyProposal: action(`${policy}/proposals/{id}/deny`, proposedPolicy, { as: "approver1" }),
  createCounterparty: async ({ send }) => {
    const body = aCounterparty({ externalId: fresh("vendor") });
    const taken = aCounterparty({ externalId: fresh("vendor") });
    await send(counterparties, { body: taken });
    return creation(counterparties, body, { ...body, name: "Ada Exemplar" }, taken);
  },
  replaceCounterparty: action(`${counterparties}/{id}`, counterparty, {
    body: aCounterparty({ name: "Ada Exemplar" }),
  }),
  verifyCounterparty: action(`${counterparties}/{id}/verify`, counterparty, { as: "admin" }),
  acceptProposedChange: changeDecision("accept"),
  dismissProposedChange: changeDecision("dismiss"),
  archiveCounterparty: action(`${counterparties}/{id}/archive`, counterparty),
  restoreCounterparty: action(`${counterparties}/{id}/restore`, counterparty),
  createLedgerAccount: () => {
    const body = { name: fresh("Account"), overdraft: "Refused" };
    return creation(accounts, body, { ...body, overdraft: "Allowed" }, { name: "Operating" });
  },
  updateLedgerAccount: action(
    `${accounts}/{id}`,
    created(accounts, () => ({ name: fresh("Described") })),
    { body: { description: "Fees" } },
  ),
  updateVirtualAccount: action(`${virtualAccounts}/{id}`, virtualAccount, { body: { description: null } }),
  closeLedgerAccount: action(
    `${accounts}/{id}/close`,
    created(accounts, () => ({ name: fresh("Account") })),
  ),
  createLedgerTransaction: () => {
    const body = aTransaction();
    const [debit] = body.entries;
    const oneSided = aTransaction({ entries: [debit, debit] });
    return creation(transactions, body, aTransaction({ description: "Fee of April" }), oneSided);
  },
  postLedgerTransaction: action(`${transactions}/{id}/post`, pending),
  voidLedgerTransaction: action(`${transactions}/{id}/void`, pending),
  reverseLedgerTransaction: action(`${transactions}/{id}/reverse`, (scenario) => scenario.transaction(), {
    body: { description: "Twice" },
  }),
  createVirtualAccount: () => {
    const body = { name: fresh("Deposits"), ledgerAccountName: "Operating" };
    const other = { ...body, metadata: { for: "somebody else" } };
    return creation(virtualAccounts, body, other, { ...body, ledgerAccountName: "Suspense" });
  },
  disableVirtualAccount: action(`${virtualAccounts}/{id}/disable`, virtualAccount),
  enableVirtualAccount: action(`${virtualAccounts}/{id}/enable`, virtualAccount),
  closeVirtualAccount: action(`${virtualAccounts}/{id}/close`, virtualAccount),
  assignInboundPayment: action("/v1/inbound-payments/{id}/assign", (scenario) => scenario.suspended(), {
    body: { ledgerAccountName: "Operating" },
  }),
  simulateInboundPayment: () => {
    const path = "/v1/simulations/inbound-payments";
    const body = { virtualAccountNumber: "12345678", rail: "Rtp", amountCents: 1_250, originatorName: "Ada" };
    return creation(path, body, { ...body, amountCents: 1_251 }, { ...body, direction: "Debit" });
  },
  createObligation: () => {
    const unpayable = anObligation({ payeeCounterpartyId: newId("po") });
    return creation(obligations, anObligation(), anObligation({ period: "2026-Q2" }), unpayable);
  },
  updateObligation: action(`${obligations}/{id}`, obligation, { body: { period: "2026-Q2" } }),
  fixObligation: action(`${obligations}/{id}/fix`, obligation),
  amendObligation: action(`${obligations}/{id}/amend`, (scenario) => scenario.fixed(), {
    body: { lines: [] },
  }),
  remitObligation: async (scenario) => {
    const body = { rail: "Ach", fundingLedgerAccountName: "Operating" };
    const write = await action(`${obligations}/{id}/remit`, () => scenario.fixed(), { body })(scenario);
    // Orders refuses it after the ledger has committed. The key must be freed too.
    return { ...write, refused: { body: { ...body, rail: "Wire" } } };
  },
  createPaymentOrder: () => {
    const bad = anOrder({ counterpartyRoutingNumber: "790001006" });
    return creation(orders, anOrder(), anOrder({ amountCents: 1_251 }), bad);
  },
  updatePaymentOrder: action(`${orders}/{id}`, draft, { body: { amountCents: 1_300 } }),
  submitPaymentOrder: action(`${orders}/{id}/submit`, draft),
  cancelPaymentOrder: action(`${orders}/{id}/cancel`, draft, { body: { reason: "Mistake" } }),
  approvePaymentOrder: action(`${orders}/{id}/approve`, waiting, { as: "approver1" }),
  denyPaymentOrder: action(`${orders}/{id}/deny`, waiting, {
    as: "approver1",
    body: { reason: "No such invoice" },
  }),
  simulatePaymentOrder: action("/v1/simulations/payment-orders/{id}/settle", draft),
  createReconciliation: () => {
    const today = newYorkDate(new Date());
    const date = isBankingDay(today) ? today : bankingDayBefore(today);
    return creation("/v1/reconciliations", {}, { date }, { date: "2026-01-05" });
  },
  createBankStatementFault: () =>
    creation(statementFaults, aMissingLine(), aMissingLine(), { kind: "LineAdded" }),
  correctBankStatementFault: action(
    `${statementFaults}/{id}/correct`,
    created(statementFaults, aMissingLine),
  ),
  createInjection: () => creation(injections, aRule(), aRule("R04"), aRule("R99")),
  endInjection: action(`${injections}/{id}`, created(injections, aRule)),
  putClock: () => {
    const instant = { mode: "Instant", seed: "one" };
    const inThePast = { mode: "Real", startAt: "2026-01-05T15:00:00Z" };
    return creation(clock, instant, { ...instant, seed: "two" }, inThePast);
  },
  // Every sink is accepted.
  createTestSink: () => ({ ...creation(sinks, { respond: [200] }, { respond: [500] }), refused: {} }),
  updateTestSink: action(`${sinks}/{id}`, sink, { body: { respond: [500] } }),
  clearTestSink: action(`${sinks}/{id}/requests`, sink),
  deleteTestSink: action(`${sinks}/{id}`, sink),
  createWebhookEndpoint: ({ world }) => {
    const body = { url: world.receiver.url, eventTypes: ["test.event"] };
    // A forbidden target: a cloud's metadata service.
    const refused = { ...body, url: "http://169.254.169.254/" };
    return creation(endpoints, body, { ...body, description: "another" }, refused);
  },
  updateWebhookEndpoint: action(`${endpoints}/{id}`, created(endpoints, anEndpoint), {
    body: { status: "Disabled" },
  }),
  deleteWebhookEndpoint: action(`${endpoints}/{id}`, created(endpoints, anEndpoint)),
  testWebhookEndpoint: action(`${endpoints}/{id}/test`, created(endpoints, anEndpoint)),
  rotateWebhookSecret: action(`${endpoints}/{id}/rotate-secret`, created(endpoints, anEndpoint), {
    body: { overlapHours: 1 },
  }),
  retirePreviousWebhookSecret: action(`${endpoints}/{id}/retire-previous-secret`, rotatedEndpoint),
  replayWebhooks: () => {
    const day = (date: number) => `2026-01-0${String(date)}T00:00:00Z`;
    const body = { since: day(1), until: day(2) };
    return creation(
      "/v1/webhooks/replay",
      body,
      { ...body, until: day(3) },
      { ...body, endpointId: newId("we") },
    );
  },
  retryWebhook: action("/v1/webhooks/{id}/retry", deliveredOnce),
  // Last: while the clock stands, what waits for a rail goes on waiting.
  advanceClock: async ({ send }) => {
    await until("no advance is under way", async () => {
      const { advanceId, code } = await send(clock, { method: "PUT", body: { mode: "Manual" } });
      return code === undefined && advanceId === null;
    });
    return creation(
      `${clock}/advance`,
      { nextBankingDay: true },
      { nextWindow: "Wire" },
      { nextWindow: "Rtp" },
    );
  },
};
