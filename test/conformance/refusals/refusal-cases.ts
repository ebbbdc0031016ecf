/** One request that provokes each error code. docs/errors.md has the expected answers. */
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import type { ErrorCode } from "../../../contracts/errors.ts";
import { type BookId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { until } from "../../stack/until.ts";
import { isTransient } from "../../world/patience/transient.ts";
import {
  aCounterparty,
  anObligation,
  anOrder,
  type Answered,
  aTransaction,
  type RefusalCase,
  type Scenario,
} from "./scenario.ts";
import { refusalsOfTheSandbox } from "./refusals-of-the-sandbox.ts";
import { refusalsOfABrokenService } from "./refusals-of-a-broken-service.ts";
import { refusalsOfPeople } from "./refusals-of-people.ts";
import { refusalsOfWebhooks } from "./refusals-of-webhooks.ts";

const orders = "/v1/payment-orders";
const transactions = "/v1/ledger-transactions";
const post =
  (change: Record<string, unknown>): RefusalCase =>
  ({ send }) =>
    send(orders, { body: anOrder(change) });

const ofTheRequest: Partial<Record<ErrorCode, RefusalCase>> = {
  malformed_json: ({ send }) => send(orders, { raw: '{"direction": "Credit",' }),
  invalid_request: ({ send }) => send(orders, { body: { ...anOrder({ rail: "ACH" }), colour: "red" } }),
  missing_field: post({ amountCents: undefined }),
  invalid_field: post({ amountCents: 10.5 }),
  unknown_field: post({ amount: 100 }),
  unknown_parameter: ({ send }) => send(`${orders}?colour=red`),
  invalid_cursor: ({ send }) => send(`${orders}?cursor=not-ours`),
  cursor_filter_mismatch: async (scenario) => {
    await scenario.order({ submit: false });
    await scenario.order({ submit: false });
    const { nextCursor } = await scenario.send(`${orders}?limit=1`);
    return scenario.send(`${orders}?status=Draft&cursor=${encodeURIComponent(String(nextCursor))}`);
  },
  invalid_idempotency_key: ({ send }) =>
    send(orders, { body: anOrder(), headers: { "idempotency-key": "" } }),
  not_found: ({ send }) => send(`${orders}/${newId("po")}`),
  route_not_found: ({ send }) => send("/v1/payments"),
  method_not_allowed: ({ send }) => send(`${orders}/${newId("po")}`, { method: "DELETE" }),
  body_too_large: ({ send }) => send(orders, { body: anOrder({ description: "x".repeat(1_048_600) }) }),
  unsupported_media_type: ({ send }) =>
    send(orders, {
      raw: "direction=Credit",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    }),
};

const ofTheCaller: Partial<Record<ErrorCode, RefusalCase>> = {
  api_key_missing: ({ send }) => send(orders, { key: null }),
  api_key_invalid: ({ send }) => send(orders, { key: "qt_test_nobody" }),
  tenant_inactive: async (scenario) => {
    const { neighbour } = scenario;
    await scenario.suspend(neighbour);
    return until("the suspension has taken effect", async () => {
      const answered = await scenario.send(orders, { key: neighbour.keys.maker });
      return answered.status === 401 ? answered : undefined;
    });
  },
  insufficient_scope: async (scenario) =>
    scenario.send(`${orders}/${await scenario.waiting()}/approve`, { method: "POST" }),
  ip_not_allowed: async (scenario) =>
    scenario.send(orders, { key: await scenario.keyFor(["203.0.113.0/24"]) }),
  self_approval_not_allowed: async (scenario) => {
    const { admin } = scenario.world.tenant.keys;
    return scenario.send(`${orders}/${await scenario.waiting(admin)}/approve`, {
      method: "POST",
      key: admin,
    });
  },
  simulation_requires_test_key: ({ send, world }) =>
    send(`/v1/simulations/payment-orders/${newId("po")}/settle`, {
      method: "POST",
      key: world.tenant.keys.live,
    }),
  request_timeout: ({ limited }) => answerToHalfARequest(limited.url),
  rate_limited: async (scenario) => {
    const { url } = scenario.limited;
    return until("the second's request is spent", async () => {
      const answered = await scenario.send(`${orders}/${newId("po")}`, {}, url);
      return answered.status === 429 ? answered : undefined;
    });
  },
};

/** What the server writes to a connection on which a request begins and does not end. */
async function answerToHalfARequest(url: string): Promise<Answered> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET ${orders} HTTP/1.1\r\n`);
  const [, body = ""] = (await text(socket)).split("\r\n\r\n");
  return JSON.parse(body) as Answered;
}

/** Another request that holds a key, as its owner holds it: by the lock that every repeat waits for. */
async function whileKeyIsHeld(
  scenario: Scenario,
  key: string,
  act: () => Promise<Answered>,
): Promise<Answered> {
  const client = await scenario.world.admin.connect();
  const book = uuidOf(scenario.world.tenant.tenant.testBook as BookId);
  try {
    await client.query("select pg_advisory_lock(hashtextextended($1, 0))", [`${book}/${key}`]);
    return await act();
  } finally {
    client.release(true);
  }
}

const ofTheState: Partial<Record<ErrorCode, RefusalCase>> = {
  idempotency_key_reused: async (scenario) => {
    const headers = { "idempotency-key": "reused" };
    await scenario.send(orders, { body: anOrder({ submit: false }), headers });
    return scenario.send(orders, { body: anOrder({ submit: false, amountCents: 1_251 }), headers });
  },
  idempotency_in_progress: (scenario) =>
    whileKeyIsHeld(scenario, "held", () =>
      scenario.sendOnce("/v1/ledger-accounts", {
        body: { name: "Reserve" },
        headers: { "idempotency-key": "held" },
      }),
    ),
  invalid_state_transition: async (scenario) =>
    scenario.send(`${orders}/${await scenario.completed()}/approve`, {
      method: "POST",
      key: scenario.world.tenant.keys.approver1,
    }),
  concurrent_update: async (scenario) => {
    const draft = await scenario.send(orders, { body: anOrder({ submit: false }) });
    const change = (amountCents: number) =>
      scenario.send(`${orders}/${String(draft["id"])}`, { method: "PATCH", body: { amountCents } });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => change(1_300 + index)));
    return answers.find(({ code }) => code === "concurrent_update") ?? draft;
  },
  order_frozen: async (scenario) =>
    scenario.send(`${orders}/${await scenario.waiting()}`, { method: "PATCH", body: { amountCents: 1_300 } }),
  order_not_cancellable: async (scenario) =>
    scenario.send(`${orders}/${await scenario.completed()}/cancel`, { method: "POST" }),
  order_changed: async (scenario) =>
    scenario.send(`${orders}/${await scenario.waiting()}/approve`, {
      method: "POST",
      key: scenario.world.tenant.keys.approver1,
      body: { orderHash: "0".repeat(64) },
    }),
  duplicate_approval: async (scenario) => {
    const approval = { method: "POST", key: scenario.world.tenant.keys.approver1 };
    const id = await scenario.waiting();
    await scenario.send(`${orders}/${id}/approve`, approval);
    return scenario.send(`${orders}/${id}/approve`, approval);
  },
  name_taken: ({ send }) => send("/v1/ledger-accounts", { body: { name: "Operating" } }),
  external_id_in_use: async ({ send }) => {
    await send("/v1/counterparties", { body: aCounterparty({ externalId: "vendor-17" }) });
    return send("/v1/counterparties", { body: aCounterparty({ externalId: "vendor-17" }) });
  },
  already_reversed: async (scenario) => {
    const path = `${transactions}/${await scenario.transaction()}/reverse`;
    await scenario.send(path, { method: "POST" });
    return scenario.send(path, { method: "POST" });
  },
  transaction_owned: async (scenario) => {
    const { ledgerTransactionId } = await scenario.send(`${orders}/${await scenario.completed()}`);
    return scenario.send(`${transactions}/${String(ledgerTransactionId)}/reverse`, { method: "POST" });
  },
  precondition_failed: async ({ send }) => {
    const { id } = await send("/v1/counterparties", { body: aCounterparty() });
    const path = `/v1/counterparties/${String(id)}`;
    return send(path, {
      method: "PUT",
      body: aCounterparty({ name: "Ada Exemplar" }),
      headers: { "if-match": '"7"' },
    });
  },
};

const ofThePayment: Partial<Record<ErrorCode, RefusalCase>> = {
  counterparty_account_missing: post({ counterpartyAccountNumber: undefined }),
  counterparty_unverified: async ({ send }) => {
    const { id } = await send("/v1/counterparties", { body: aCounterparty() });
    const { direction, rail, amountCents, ledgerAccountName } = anOrder();
    return send(orders, { body: { direction, rail, amountCents, ledgerAccountName, counterpartyId: id } });
  },
  counterparty_archived: async ({ send }) => {
    const { id } = await send("/v1/counterparties", { body: aCounterparty() });
    await send(`/v1/counterparties/${String(id)}/archive`, { method: "POST" });
    const { direction, rail, amountCents, ledgerAccountName } = anOrder();
    return send(orders, { body: { direction, rail, amountCents, ledgerAccountName, counterpartyId: id } });
  },
  basis_is_demo_data: post({ basis: "Demo" }),
  basis_missing_input: post({ basis: "Missing" }),
  amount_above_rail_limit: post({ rail: "SameDayAch", amountCents: 100_000_001 }),
  direction_not_supported: post({ rail: "Rtp", direction: "Debit" }),
  text_not_supported: post({ counterpartyName: "Müller" }),
  invalid_routing_number: post({ counterpartyRoutingNumber: "790001006" }),
  invalid_wallet_address: post({
    rail: "Usdc",
    counterpartyRoutingNumber: "base",
    counterpartyAccountNumber: "0x52908400098527886E0F7030069857D2E4169Ee7",
  }),
  insufficient_funds: ({ send }) =>
    send(`${orders}/preview`, { body: anOrder({ ledgerAccountName: "Petty cash" }) }),
  ledger_account_not_found: post({ ledgerAccountName: "Nobody's" }),
  system_account_not_postable: post({ ledgerAccountName: "Settlement cash" }),
  balance_out_of_range: (scenario) =>
    until("an answer from before the auditor froze the book", async () => {
      const { key, name } = await scenario.bottomless();
      const answered = await scenario.sendOnce(`${orders}/preview`, {
        body: anOrder({ ledgerAccountName: name }),
        key,
      });
      return isTransient(answered) ? undefined : answered;
    }),
  same_account: post({
    rail: "Book",
    counterpartyAccountNumber: "Operating",
    counterpartyRoutingNumber: undefined,
  }),
  effective_date_invalid: post({ effectiveDate: "2020-01-02" }),
  velocity_limit_exceeded: async ({ send, neighbour }) => {
    const { admin: key } = neighbour.keys;
    await send("/v1/ledger-accounts", { key, body: { name: "Operating" } });
    const policy = await send("/v1/approval-policy", { key });
    await send("/v1/approval-policy", {
      key,
      method: "PUT",
      body: { ...policy, dailyLimitCents: 1_000_000 },
    });
    await send(orders, { key, body: anOrder({ amountCents: 900_000 }) });
    return send(orders, { key, body: anOrder({ amountCents: 250_000 }) });
  },
  unbalanced_transaction: ({ send }) => {
    const [debit, credit] = aTransaction().entries;
    return send(transactions, {
      body: aTransaction({ entries: [debit, { ...credit, amountCents: 1_200 }] }),
    });
  },
  approval_required: async ({ send }) => {
    const policy = "/v1/approval-policy";
    const body = { ...(await send(policy)), requireApprovalForLedgerTransactions: true };
    await send(policy, { method: "PUT", body });
    const entries = aTransaction().entries.map((entry) => ({ ...entry, amountCents: 1_000_001 }));
    return send(transactions, { body: aTransaction({ entries }) });
  },
  currency_mismatch: ({ send }) => send(transactions, { body: aTransaction({ currency: "EUR" }) }),
  ledger_account_closed: async ({ send }) => {
    const { id } = await send("/v1/ledger-accounts", { body: { name: "Year 2025" } });
    await send(`/v1/ledger-accounts/${String(id)}/close`, { method: "POST" });
    const [debit, credit] = aTransaction().entries;
    const entries = [debit, { ...credit, ledgerAccountName: "Year 2025" }];
    return send(transactions, { body: aTransaction({ entries }) });
  },
  obligation_not_payable: async ({ send }) => {
    const { id } = await send("/v1/obligations", { body: anObligation() });
    const body = { rail: "Ach", fundingLedgerAccountName: "Operating" };
    return send(`/v1/obligations/${String(id)}/remit`, { body });
  },
  amended_below_paid: async (scenario) => {
    const id = await scenario.fixed();
    const path = `/v1/obligations/${id}`;
    const body = { rail: "Rtp", fundingLedgerAccountName: "Operating" };
    const { paymentOrderId } = await scenario.send(`${path}/remit`, { body });
    await scenario.world.comesToRest(String(paymentOrderId));
    const [line] = anObligation().lines;
    return scenario.send(`${path}/amend`, { body: { lines: [{ ...line, amountCents: 12_000 }] } });
  },
  rail_not_configured: async ({ send, world }) => {
    const { live: key } = world.tenant.keys;
    await send("/v1/ledger-accounts", { key, body: { name: "Operating" } });
    return send(orders, { key, body: anOrder({ rail: "Wire" }) });
  },
  simulation_not_applicable: post({ counterpartyAccountNumber: "100001" }),
};

const { tenant_inactive: suspension, ...callers } = ofTheCaller;

/** In an order that works: the tenant that is suspended had a daily limit in an earlier case. */
export const refusalCases: Partial<Record<ErrorCode, RefusalCase>> = {
  ...ofTheRequest,
  ...callers,
  ...ofTheState,
  ...ofThePayment,
  ...refusalsOfTheSandbox,
  ...(suspension === undefined ? {} : { tenant_inactive: suspension }),
  ...refusalsOfWebhooks,
  ...refusalsOfPeople,
  ...refusalsOfABrokenService,
};
