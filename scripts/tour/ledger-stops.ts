/** The stops for finance: a liability paid to zero, incoming money, and bank statements. */
import type { InboundPayment } from "../../contracts/http/ledger/inbound-payments.ts";
import type { LedgerAccount } from "../../contracts/http/ledger/ledger-accounts.ts";
import type { Obligation } from "../../contracts/http/ledger/obligations.ts";
import type { PaymentOrder } from "../../contracts/http/payments/payment-orders.ts";
import type { ReconciliationReport } from "../../contracts/http/ledger/reconciliations.ts";
import { dollars, expectThat, type Guide } from "./guide.ts";
import { approveAsRequired, create, type Stage, verifiedCounterparty } from "./orders.ts";

/** A filed fuel-tax return: owed, then paid to zero. */
export async function anObligation(guide: Guide, stage: Stage): Promise<void> {
  const path = await accrue(guide, await payee(guide));
  await guide.stop("Remitted: one order pays exactly the outstanding amount", () =>
    remit(guide, stage, path),
  );
}

async function remit(guide: Guide, stage: Stage, path: string): Promise<void> {
  const remitting = await guide.send<Obligation>(
    "maker",
    {
      method: "POST",
      path: `${path}/remit`,
      body: { fundingLedgerAccountId: stage.operating.id, rail: "Ach" },
    },
    { status: 200, show: ["status", "paymentOrderId"] },
  );
  const { paymentOrderId: orderId, liabilityLedgerAccountId: liability } = remitting.body;
  expectThat(liability !== null, "a fixed obligation has no liability account");
  expectThat(orderId !== null, "a remittance names no order");
  const { body: order } = await guide.look<PaymentOrder>(`/v1/payment-orders/${orderId}`);
  await approveAsRequired(guide, order);
  await guide.follow(orderId, "Completed");
  await guide.moved(stage.operating.id, liability);
  const relieved = await guide.lookUntil<Obligation>(path, ({ status }) => status === "Relieved");
  guide.say(`obligation: ${relieved.status}, ${dollars(relieved.outstandingCents)} outstanding`);
  const { body: account } = await guide.look<LedgerAccount>(`/v1/ledger-accounts/${liability}`);
  expectThat(account.postedBalanceCents === 0, `the liability is ${dollars(account.postedBalanceCents)}`);
  await guide.webhook(stage.sinkId, stage.secret, orderId, "fuel_tax.remittance_cleared");
}

async function payee(guide: Guide): Promise<string> {
  await guide.step("A tax authority to pay: entered by one person, verified by another");
  return verifiedCounterparty(guide, {
    name: "Example Tax Department",
    type: "Business",
    accounts: [{ rail: "Ach", accountNumber: "000123456789", routingNumber: "790001005" }],
  });
}

async function accrue(guide: Guide, payeeCounterpartyId: string): Promise<string> {
  await guide.step("Accrued: the filed return is booked as a liability against its expense");
  const created = await guide.send<Obligation>(
    "maker",
    {
      method: "POST",
      path: "/v1/obligations",
      body: {
        type: "FuelTaxReturn",
        reference: `IFTA 2026-Q3 ${new Date().toISOString().slice(0, 19).replace("T", " ")}`,
        jurisdiction: "US-OR",
        period: "2026-Q3",
        payeeCounterpartyId,
        lines: [
          {
            description: "Diesel, Oregon",
            amountCents: 38_500,
            basis: { kind: "Actual", source: "Filed return" },
          },
        ],
      },
    },
    { status: 201, show: ["id", "status", "outstandingCents"] },
  );
  const path = `/v1/obligations/${created.body.id}`;
  const fixed = await guide.send<Obligation>(
    "maker",
    { method: "POST", path: `${path}/fix` },
    { status: 200, show: ["status", "fixedCents", "outstandingCents", "liabilityLedgerAccountId"] },
  );
  const liability = fixed.body.liabilityLedgerAccountId;
  expectThat(liability !== null, "a fixed obligation has no liability account");
  await guide.moved(liability);
  return path;
}

/** Incoming money is credited to the account of the virtual number that it was sent to. */
export async function moneyComesIn(guide: Guide, stage: Stage): Promise<void> {
  await guide.step("Inbound: $640.00 arrive on a customer's own account number");
  const account = await guide.send<{ id: string; accountNumber: string }>(
    "maker",
    {
      method: "POST",
      path: "/v1/virtual-accounts",
      body: { name: "Blue Freight", ledgerAccountId: stage.operating.id },
    },
    { status: 201, show: ["id", "accountNumber", "routingNumber", "status"] },
  );
  await guide.send(
    "maker",
    {
      method: "POST",
      path: "/v1/simulations/inbound-payments",
      body: {
        virtualAccountNumber: account.body.accountNumber,
        rail: "Rtp",
        amountCents: 64_000,
        originatorName: "Blue Freight LLC",
      },
    },
    { status: 201, show: ["bankReference"] },
  );
  const list = `/v1/inbound-payments?virtualAccountId=${account.body.id}`;
  const { data } = await guide.lookUntil<{ data: InboundPayment[] }>(list, (body) => body.data.length === 1);
  const [payment] = data;
  expectThat(payment?.status === "Attributed", `the payment is ${payment?.status ?? "not there"}`);
  guide.say(`inbound: ${payment.status}, ${dollars(payment.amountCents)} from ${payment.originatorName}`);
  await guide.moved(stage.operating.id);
}

/** Reconciles the bank's statement with the ledger: first without differences, then with a line that the bank omits. */
export async function theBankAgrees(guide: Guide, stage: Stage): Promise<void> {
  await guide.step("Reconciled: every line of the bank's statement matches");
  const agreed = await reconcile(guide);
  expectThat(
    agreed.status === "Reconciled" && agreed.differenceCents === 0,
    `the run is ${agreed.status}, ${agreed.reasons.join(", ")}. Perhaps an earlier tour left a statement error: GET /v1/simulations/bank-statement-faults, then POST …/{id}/correct each Printed one`,
  );

  let fault = "";
  const isBroken = await guide.stop("Broken: the bank leaves out a line, and the run names it", async () => {
    fault = await leaveOutALine(guide, stage);
  });
  if (!isBroken) return;

  await guide.step("Reconciled again: the bank prints the missing line");
  await guide.send(
    "maker",
    { method: "POST", path: `/v1/simulations/bank-statement-faults/${fault}/correct` },
    { status: 200, show: ["kind", "status"] },
  );
  const again = await reconcile(guide);
  expectThat(again.status === "Reconciled", `the run is ${again.status}: ${again.reasons.join(", ")}`);
}

/** Returns the id of the statement's error. */
async function leaveOutALine(guide: Guide, stage: Stage): Promise<string> {
  const order = await create(guide, stage, {
    direction: "Credit",
    rail: "Rtp",
    amountCents: 3_300,
    ledgerAccountId: stage.operating.id,
    counterpartyName: "Ada Example",
    counterpartyAccountNumber: "000123456789",
    counterpartyRoutingNumber: "790001005",
  });
  await guide.follow(order.id, "Completed");
  const fault = await guide.send<{ id: string }>(
    "maker",
    {
      method: "POST",
      path: "/v1/simulations/bank-statement-faults",
      body: { kind: "LineMissing", orderId: order.id },
    },
    { status: 201, show: ["id", "kind", "status"] },
  );
  const broken = await reconcile(guide);
  const [lost] = broken.unmatchedLedgerEntries;
  expectThat(
    broken.status === "Broken" && lost?.paymentOrderId === order.id,
    "the run did not name the missing line",
  );
  guide.say(`break: ${dollars(lost.amountCents)} of ${lost.paymentOrderId}, ${lost.reason}`);
  return fault.body.id;
}

async function reconcile(guide: Guide): Promise<ReconciliationReport> {
  const { body } = await guide.send<ReconciliationReport>(
    "maker",
    { method: "POST", path: "/v1/reconciliations", body: {} },
    {
      status: 201,
      show: ["status", "matchedCount", "closingBankBalanceCents", "ledgerCashCents", "differenceCents"],
    },
  );
  return body;
}
