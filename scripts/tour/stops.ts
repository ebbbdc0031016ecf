/** The stops of the tour, in order: six rails, then approvals, refusals and other endings. */
import { errorCatalogue } from "../../contracts/errors.ts";
import type { Balances, LedgerAccount } from "../../contracts/http/ledger/ledger-accounts.ts";
import type { PaymentOrder } from "../../contracts/http/payments/payment-orders.ts";
import type { TestSink } from "../../contracts/http/webhooks/webhooks.ts";
import type { PartName } from "../local/seed.ts";
import { dollars, expectThat, type Guide } from "./guide.ts";

export interface Stage {
  readonly operating: LedgerAccount;
  readonly payroll: LedgerAccount;
  readonly sinkId: string;
  readonly secret: string;
}

const orderMembers = ["id", "status", "rail", "amountCents"];
const bank = {
  counterpartyName: "Ada Example",
  counterpartyAccountNumber: "000123456789",
  counterpartyRoutingNumber: "790001005",
};

/** Two accounts that can't be overdrawn, and a receiver that verifies. */
export async function setTheStage(guide: Guide): Promise<Stage> {
  const mark = new Date().toISOString().slice(0, 19);
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
  guide.step("Two ledger accounts");
  const operating = await open("Operating");
  const payroll = await open("Payroll");
  guide.step("A webhook endpoint on a test sink, which records raw bytes");
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
  return { operating, payroll, sinkId: sink.body.id, secret: endpoint.body.signingSecret };
}

async function create(
  guide: Guide,
  body: Record<string, unknown>,
  as: PartName = "maker",
): Promise<PaymentOrder> {
  const request = { method: "POST", path: "/v1/payment-orders", body } as const;
  return (await guide.send<PaymentOrder>(as, request, { status: 201, show: orderMembers })).body;
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
  const from = { direction: "Credit", ledgerAccountId: operating.id };
  guide.step("Ach, Debit: collect $9,000.00 from a customer's bank");
  const collection = {
    ...bank,
    direction: "Debit",
    rail: "Ach",
    amountCents: 900_000,
    ledgerAccountId: operating.id,
  };
  await completes(guide, stage, await create(guide, collection), operating.id);

  guide.step("Ach, Credit: $1,250.00 to a supplier");
  await completes(
    guide,
    stage,
    await create(guide, { ...from, ...bank, rail: "Ach", amountCents: 125_000 }),
    operating.id,
  );

  guide.step("SameDayAch: $310.00 to arrive today");
  const sameDay = { ...from, ...bank, rail: "SameDayAch", amountCents: 31_000 };
  await completes(guide, stage, await create(guide, sameDay), operating.id);

  guide.step("Rtp: $42.50 in seconds, at any hour");
  await completes(
    guide,
    stage,
    await create(guide, { ...from, ...bank, rail: "Rtp", amountCents: 4_250 }),
    operating.id,
  );

  guide.step("Book: $2,000.00 to the payroll account, inside the ledger");
  const book = { ...from, rail: "Book", amountCents: 200_000, counterpartyAccountNumber: payroll.id };
  await completes(guide, stage, await create(guide, book), operating.id, payroll.id);

  guide.step("Usdc: $75.00 to a wallet on Base");
  const usdc = {
    ...from,
    rail: "Usdc",
    amountCents: 7_500,
    counterpartyName: "Ada Example",
    counterpartyAccountNumber: "0x52908400098527886E0F7030069857D2E4169EE7",
    counterpartyRoutingNumber: "base",
  };
  await completes(guide, stage, await create(guide, usdc), operating.id);
  await wire(guide, stage, from);
}

/** A wire needs two approvers: its maker can't approve it, and nobody can approve it twice. */
async function wire(guide: Guide, stage: Stage, from: Record<string, unknown>): Promise<void> {
  guide.step("Wire: $1,800.00, approved by two other people");
  const order = await create(guide, { ...from, ...bank, rail: "Wire", amountCents: 180_000 }, "admin");
  const path = `/v1/payment-orders/${order.id}`;
  await guide.lookUntil<PaymentOrder>(path, (body) => body.status === "Pending");
  await guide.moved(stage.operating.id);
  const approve = { method: "POST", path: `${path}/approve` } as const;
  await refusedAs(guide, "admin", approve, "self_approval_not_allowed");
  await guide.send("approver1", approve, { status: 200, show: ["status", "approval"] });
  await refusedAs(guide, "approver1", approve, "duplicate_approval");
  await guide.send("approver2", approve, { status: 200, show: ["status", "approval"] });
  await completes(guide, stage, order, stage.operating.id);
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
  const from = { ...bank, direction: "Credit", ledgerAccountId: operating.id };
  guide.step("Returned: the bank finds no account (R03); the hold is released");
  const returned = await create(guide, {
    ...from,
    rail: "Ach",
    amountCents: 60_000,
    counterpartyAccountNumber: "100003",
  });
  const { return: why } = await guide.follow(returned.id, "Returned");
  guide.say(`return: ${why?.code ?? ""} ${why?.reason ?? ""}`);
  await guide.moved(operating.id);
  await guide.webhook(stage.sinkId, stage.secret, returned.id, "payment_order.returned");

  guide.step("Late return: the money comes back after completion");
  const late = await create(guide, {
    ...from,
    rail: "Ach",
    amountCents: 20_000,
    counterpartyAccountNumber: "200003",
  });
  await guide.follow(late.id, "Completed");
  await guide.moved(operating.id);
  await guide.lookUntil<PaymentOrder>(`/v1/payment-orders/${late.id}`, (body) => body.return?.late === true);
  await guide.moved(operating.id);
  await guide.webhook(stage.sinkId, stage.secret, late.id, "payment_order.returned");

  guide.step("Rejected: the RTP network answers AC04, account closed");
  const rejected = await create(guide, {
    ...from,
    rail: "Rtp",
    amountCents: 5_000,
    counterpartyAccountNumber: "300404",
  });
  const { failure } = await guide.follow(rejected.id, "Failed");
  guide.say(`failure: ${failure?.code ?? ""} ${failure?.message ?? ""}`);
  await guide.moved(operating.id);

  guide.step("Insufficient funds: the account can't cover the order, and nothing is held");
  const { body } = await guide.look<LedgerAccount>(`/v1/ledger-accounts/${operating.id}`);
  const tooMuch = await create(guide, { ...from, rail: "Rtp", amountCents: body.availableBalanceCents + 1 });
  const refused = await guide.follow(tooMuch.id, "Failed");
  guide.say(`failure: ${refused.failure?.code ?? ""}`);
  await guide.moved(operating.id);
  await cancelledAndSimulated(guide, stage, from);
}

async function cancelledAndSimulated(
  guide: Guide,
  stage: Stage,
  from: Record<string, unknown>,
): Promise<void> {
  const { operating } = stage;
  guide.step("Cancelled: a wire that waits for approval");
  const wireOrder = await create(guide, { ...from, rail: "Wire", amountCents: 10_000 });
  const path = `/v1/payment-orders/${wireOrder.id}`;
  await guide.lookUntil<PaymentOrder>(path, (body) => body.status === "Pending");
  await guide.send(
    "maker",
    { method: "POST", path: `${path}/cancel`, body: { reason: "Sent by mistake" } },
    { status: 200, show: ["status", "cancelReason"] },
  );
  await guide.follow(wireOrder.id, "Cancelled");
  await guide.moved(operating.id);

  guide.step("Simulated: a draft is set to fail at its rail, then submitted");
  const draft = await create(guide, { ...from, rail: "Rtp", amountCents: 1_500, submit: false });
  await guide.send(
    "maker",
    { method: "POST", path: `/v1/simulations/payment-orders/${draft.id}/fail`, body: { code: "AC06" } },
    { status: 200, show: ["action", "code", "effect"] },
  );
  await guide.send(
    "maker",
    { method: "POST", path: `/v1/payment-orders/${draft.id}/submit` },
    { status: 200, show: ["status"] },
  );
  await guide.follow(draft.id, "Failed");
}

/** The same Idempotency-Key twice is one payment; with another body it is a conflict. */
export async function sameKeyTwice(guide: Guide, stage: Stage): Promise<void> {
  guide.step("The same Idempotency-Key twice makes one payment");
  const body = {
    ...bank,
    direction: "Credit",
    rail: "Rtp",
    amountCents: 1_000,
    ledgerAccountId: stage.operating.id,
  };
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
  await guide.follow(first.body.id, "Completed");
}

/** The book's liabilities equal the money at the bank. */
export async function theBooksAgree(guide: Guide): Promise<void> {
  guide.step("The books balance: cash equals the money owed");
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
