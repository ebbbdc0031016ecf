/** The stops of the tour, in order: six rails, then approvals, refusals and other endings. */
import { errorCatalogue } from "../../contracts/errors.ts";
import type { Balances, LedgerAccount } from "../../contracts/http/ledger/ledger-accounts.ts";
import type { PaymentOrder } from "../../contracts/http/payments/payment-orders.ts";
import type { TestSink } from "../../contracts/http/webhooks/test-sinks.ts";
import type { ApprovalPolicy } from "../../contracts/http/payments/approval-policies.ts";
import { approvalsRequired } from "../../services/orders/order/approval-policy.ts";
import type { PartName } from "../local/demo/seed.ts";
import { dollars, expectThat, type Guide } from "./guide.ts";
import { approveAsRequired, create, createUnapproved, type NewOrder, payable, type Stage } from "./orders.ts";

const bank = {
  counterpartyName: "Ada Example",
  counterpartyAccountNumber: "000123456789",
  counterpartyRoutingNumber: "790001005",
};

/** Two accounts that can't be overdrawn, and a receiver that verifies. */
export async function setTheStage(guide: Guide, policy: ApprovalPolicy): Promise<Stage> {
  const mark = new Date().toISOString().slice(0, 19).replace("T", " ");
  const open = async (name: string) => {
    const answer = await guide.send<LedgerAccount>(
      "maker",
      {
        method: "POST",
        path: "/v1/ledger-accounts",
        body: { name: `${name} ${mark}`, overdraft: "Refused" },
      },
      { status: 201, show: ["id", "name", "availableBalanceCents"] },
    );
    return answer.body;
  };
  await guide.step("Two ledger accounts");
  const operating = await open("Operating");
  const payroll = await open("Payroll");
  await guide.step("A webhook endpoint on a test sink, which records raw bytes");
  const sink = await guide.send<TestSink>(
    "maker",
    { method: "POST", path: "/v1/test-sinks", body: {} },
    { status: 201, show: ["id", "url"] },
  );
  const endpoint = await guide.send<{ signingSecret: string }>(
    "maker",
    { method: "POST", path: "/v1/webhook-endpoints", body: { url: sink.body.url } },
    { status: 201, show: ["id", "eventTypes", "status"] },
  );
  return { operating, payroll, sinkId: sink.body.id, secret: endpoint.body.signingSecret, policy };
}

async function completes(
  guide: Guide,
  stage: Stage,
  order: PaymentOrder,
  ...accounts: string[]
): Promise<void> {
  await guide.follow(order.id, "Completed");
  await guide.moved(...accounts);
  await guide.webhook(stage.sinkId, stage.secret, order.id, "payment_order.completed");
}

/** ACH in, then money out over every rail. */
export async function sixRails(guide: Guide, stage: Stage): Promise<void> {
  const { operating, payroll } = stage;
  const from = { direction: "Credit", ledgerAccountId: operating.id } as const;
  const orderCompletes = (title: string, order: NewOrder, ...others: string[]) =>
    guide.stop(title, async () => {
      await completes(guide, stage, await create(guide, stage, order), operating.id, ...others);
    });
  await orderCompletes("Ach, Debit: collect $9,000.00 from a customer's bank", {
    ...bank,
    direction: "Debit",
    rail: "Ach",
    amountCents: 900_000,
    ledgerAccountId: operating.id,
  });
  const supplier = { ...from, ...bank, rail: "Ach", amountCents: 125_000 };
  await orderCompletes("Ach, Credit: $1,250.00 to a supplier", supplier);
  const sameDay = { ...from, ...bank, rail: "SameDayAch", amountCents: 31_000 };
  await orderCompletes("SameDayAch: $310.00 to arrive today", sameDay);
  const instant = { ...from, ...bank, rail: "Rtp", amountCents: 4_250 };
  await orderCompletes("Rtp: $42.50 in seconds, at any hour", instant);
  const book = { ...from, rail: "Book", amountCents: 200_000, counterpartyAccountNumber: payroll.id };
  await orderCompletes("Book: $2,000.00 to the payroll account, inside the ledger", book, payroll.id);
  const usdc = {
    ...from,
    rail: "Usdc",
    amountCents: 7_500,
    counterpartyName: "Ada Example",
    counterpartyAccountNumber: "0x52908400098527886E0F7030069857D2E4169EE7",
    counterpartyRoutingNumber: "base",
  };
  await orderCompletes("Usdc: $75.00 to a wallet on Base", usdc);
  await wire(guide, stage, { ...from, ...bank, rail: "Wire", amountCents: 180_000 });
}

const approvedBy = ["without approval", "approved by another person", "approved by two other people"];

/** By default a wire needs two approvers: its maker can't approve it, and nobody can approve it twice. */
async function wire(guide: Guide, stage: Stage, terms: NewOrder & { rail: "Wire" }): Promise<void> {
  const required = approvalsRequired(terms, stage.policy);
  await guide.stop(`Wire: $1,800.00, ${approvedBy[required] ?? ""}`, async () => {
    const order = await createUnapproved(guide, stage, terms, "admin");
    if (required > 0) await approveAWire(guide, stage, order.id, required);
    await completes(guide, stage, order, stage.operating.id);
  });
}

async function approveAWire(guide: Guide, stage: Stage, id: string, required: number): Promise<void> {
  const path = `/v1/payment-orders/${id}`;
  await guide.lookUntil<PaymentOrder>(path, (body) => body.status === "Pending");
  await guide.moved(stage.operating.id);
  const approve = { method: "POST", path: `${path}/approve` } as const;
  const approved = { status: 200, show: ["status", "approval"] };
  // A policy can let makers approve what needs one approval only.
  if (required === 2 || !stage.policy.allowSelfApproval)
    await refusedAs(guide, "admin", approve, "self_approval_not_allowed");
  await guide.send("approver1", approve, approved);
  if (required === 1) return;
  await refusedAs(guide, "approver1", approve, "duplicate_approval");
  await guide.send("approver2", approve, approved);
}

/** Shows a refusal, and requires its code. */
async function refusedAs(
  guide: Guide,
  as: PartName,
  request: Parameters<Guide["send"]>[1],
  code: "self_approval_not_allowed" | "duplicate_approval",
): Promise<void> {
  const { body } = await guide.send<{ code: string }>(as, request, {
    status: errorCatalogue[code].status,
    show: ["code", "detail"],
  });
  expectThat(body.code === code, `expected ${code}, got ${body.code}`);
}

/** The other endings of an order, each with its balances. */
export async function otherEndings(guide: Guide, stage: Stage): Promise<void> {
  const { operating } = stage;
  const from = { ...bank, direction: "Credit", ledgerAccountId: operating.id } as const;
  const ach = (counterpartyAccountNumber: string, amountCents: number) =>
    create(guide, stage, { ...from, rail: "Ach", amountCents, counterpartyAccountNumber });
  await guide.stop("Returned: the bank finds no account (R03); the hold is released", async () => {
    const returned = await ach("100003", 60_000);
    const { return: why } = await guide.follow(returned.id, "Returned");
    guide.say(`return: ${why?.code ?? ""} ${why?.reason ?? ""}`);
    await guide.moved(operating.id);
    await guide.webhook(stage.sinkId, stage.secret, returned.id, "payment_order.returned");
  });
  await guide.stop("Late return: the money comes back after completion", async () => {
    const { id } = await ach("200003", 20_000);
    await guide.follow(id, "Completed");
    await guide.moved(operating.id);
    await guide.lookUntil<PaymentOrder>(`/v1/payment-orders/${id}`, (body) => body.return?.late === true);
    await guide.moved(operating.id);
    await guide.webhook(stage.sinkId, stage.secret, id, "payment_order.returned");
  });
  await guide.stop("Rejected: the RTP network answers AC04, account closed", async () => {
    const order = { ...from, rail: "Rtp", amountCents: 5_000, counterpartyAccountNumber: "300404" };
    const { id } = await create(guide, stage, order);
    const { failure } = await guide.follow(id, "Failed");
    guide.say(`failure: ${failure?.code ?? ""} ${failure?.message ?? ""}`);
    await guide.moved(operating.id);
  });
  await guide.stop("Insufficient funds: the account can't cover the order, and nothing is held", async () => {
    const { body } = await guide.look<LedgerAccount>(`/v1/ledger-accounts/${operating.id}`);
    const tooMuch = { ...from, rail: "Rtp", amountCents: body.availableBalanceCents + 1 };
    const { id } = await create(guide, stage, tooMuch);
    const { failure } = await guide.follow(id, "Failed");
    guide.say(`failure: ${failure?.code ?? ""}`);
    await guide.moved(operating.id);
  });
  await cancelled(guide, stage, { ...from, rail: "Wire", amountCents: 10_000 });
  await simulated(guide, stage, { ...from, rail: "Rtp", amountCents: 1_500 });
}

/** A wire waits for approval by default; where it does not, a draft is what can still be cancelled. */
async function cancelled(guide: Guide, stage: Stage, terms: NewOrder & { rail: "Wire" }): Promise<void> {
  const waits = approvalsRequired(terms, stage.policy) > 0;
  await guide.stop(`Cancelled: ${waits ? "a wire that waits for approval" : "a draft"}`, async () => {
    const order = waits ? terms : { ...terms, submit: false as const };
    const { id } = await createUnapproved(guide, stage, order);
    const path = `/v1/payment-orders/${id}`;
    await guide.lookUntil<PaymentOrder>(path, ({ status }) => status === (waits ? "Pending" : "Draft"));
    await guide.send(
      "maker",
      { method: "POST", path: `${path}/cancel`, body: { reason: "Sent by mistake" } },
      { status: 200, show: ["status", "cancelReason"] },
    );
    await guide.follow(id, "Cancelled");
    await guide.moved(stage.operating.id);
  });
}

async function simulated(guide: Guide, stage: Stage, terms: NewOrder): Promise<void> {
  await guide.stop("Simulated: a draft is set to fail at its rail, then submitted", async () => {
    const draft = await create(guide, stage, { ...terms, submit: false });
    await guide.send(
      "maker",
      { method: "POST", path: `/v1/simulations/payment-orders/${draft.id}/fail`, body: { code: "AC06" } },
      { status: 200, show: ["action", "code", "effect"] },
    );
    const submitted = await guide.send<PaymentOrder>(
      "maker",
      { method: "POST", path: `/v1/payment-orders/${draft.id}/submit` },
      { status: 200, show: ["status"] },
    );
    await approveAsRequired(guide, submitted.body);
    await guide.follow(draft.id, "Failed");
  });
}

/** The same Idempotency-Key twice is one payment; with another body it is a conflict. */
export async function sameKeyTwice(guide: Guide, stage: Stage): Promise<void> {
  const terms = { ...bank, direction: "Credit", rail: "Rtp", amountCents: 1_000 } as const;
  await guide.stop("The same Idempotency-Key twice makes one payment", async () => {
    const body = await payable(guide, stage, { ...terms, ledgerAccountId: stage.operating.id });
    const headers = { "Idempotency-Key": `tour-${String(Date.now())}` };
    const request = { method: "POST", path: "/v1/payment-orders", body, headers } as const;
    const first = await guide.send<PaymentOrder>("maker", request, { status: 201, show: ["id"] });
    const again = await guide.send<PaymentOrder>("maker", request, { status: 201, show: ["id"] });
    expectThat(first.body.id === again.body.id, "the same key made two orders");
    guide.say(`Idempotent-Replayed: ${again.headers.get("idempotent-replayed") ?? "missing"}`);
    await guide.send(
      "maker",
      { ...request, body: { ...body, amountCents: 2_000 } },
      { status: 409, show: ["code", "detail"] },
    );
    await approveAsRequired(guide, first.body);
    await guide.follow(first.body.id, "Completed");
  });
}

/** The book's liabilities equal the money at the bank. */
export async function theBooksAgree(guide: Guide): Promise<void> {
  await guide.step("The books balance: cash equals the money owed");
  const { body } = await guide.send<Balances>(
    "maker",
    { method: "GET", path: "/v1/balances" },
    { status: 200, show: ["totals", "reconciliation"] },
  );
  const { settlementCashCents, subLedgerCents } = body.reconciliation;
  guide.say(`${dollars(settlementCashCents)} cash and wallet = ${dollars(subLedgerCents)} owed to accounts`);
  const difference = settlementCashCents - subLedgerCents;
  expectThat(difference === 0, `the books differ by ${dollars(difference)}`);
}
