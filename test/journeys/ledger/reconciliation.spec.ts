import { describe, expect, it } from "vitest";
import type {
  Balances,
  BankStatementFault,
  InboundPaymentPage,
  InboundSimulationResult,
  ReconciliationPage,
  ReconciliationReport,
  VirtualAccount,
} from "../../../clients/typescript/types.gen.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { farFromMidnight } from "../../stack/new-york-day.ts";
import { simulate } from "../../world/actions.ts";
import { until } from "../../stack/until.ts";
import { usd } from "../../world/usd.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

// Compares the books with the bank's: two records in two services, compared by statement.
await farFromMidnight();
const world = await forThisFile(OwnWorld.start());

const runs = "/v1/reconciliations";
const faults = "/v1/simulations/bank-statement-faults";

async function reconcile(): Promise<ReconciliationReport> {
  const { status, body } = await world.post<ReconciliationReport>(runs, {});
  expect(body).toMatchObject({ id: expect.stringMatching(/^rec_/) as unknown });
  expect(status).toBe(201);
  return body;
}

async function injectFault(fault: object): Promise<BankStatementFault> {
  const { status, body } = await world.post<BankStatementFault>(faults, fault);
  expect(status).toBe(201);
  return body;
}

const correct = (id: string) => world.post<BankStatementFault>(`${faults}/${id}/correct`);

describe("a book that agrees with its bank", () => {
  it("is Reconciled with difference 0 and every line matched, and its balances show the run", async () => {
    const payer = await world.payerWith(usd("100.00"));
    await world.comesToRest((await payer.pays(usd("40.00"))).id);
    await world.comesToRest((await payer.pays(usd("10.00"), { rail: "Usdc" })).id);

    const run = await reconcile();
    expect(run).toMatchObject({
      status: "Reconciled",
      reasons: [],
      openingBankBalanceCents: 0,
      closingBankBalanceCents: usd("50.00"),
      ledgerCashCents: usd("50.00"),
      subLedgerCents: usd("50.00"),
      differenceCents: 0,
      inTransitCents: 0,
      matchedCount: 3,
      unmatchedBankLines: [],
      unmatchedLedgerEntries: [],
    });
    expect(run.statement).toMatchObject({
      lineCount: 3,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    });
    const { body } = await world.get<Balances>("/v1/balances");
    expect(body.reconciliation).toMatchObject({
      status: "Reconciled",
      bankDifferenceCents: 0,
      asOf: run.asOf,
    });
    expect(body.reconciliation.now).toEqual({
      settlementCashCents: usd("50.00"),
      subLedgerCents: usd("50.00"),
      differenceCents: 0,
      asOf: body.asOf,
    });
    expect(body.reconciliation.lastRun).toEqual({
      id: run.id,
      date: run.date,
      status: "Reconciled",
      bankDifferenceCents: 0,
      asOf: run.asOf,
    });
  });

  it("reads only what is new: the next statement opens where the last one closed", async () => {
    const run = await reconcile();
    expect(run).toMatchObject({
      status: "Reconciled",
      matchedCount: 0,
      openingBankBalanceCents: usd("50.00"),
      closingBankBalanceCents: usd("50.00"),
    });
    const { body } = await world.get<ReconciliationPage>(`${runs}?date=${run.date}&status=Reconciled`);
    expect(body.data.map(({ id }) => id)).toContain(run.id);
  });

  it("has a late return on both sides", async () => {
    const payer = await world.payerWith(usd("30.00"));
    const order = await payer.pays(usd("30.00"), { rail: "Ach" });
    await world.comesToRest(order.id);
    await simulate(world, order.id, "late-return", { code: "R03" });
    await world.reaches(order.id, (seen) => seen.return?.late === true);
    expect(await reconcile()).toMatchObject({ status: "Reconciled", matchedCount: 3, differenceCents: 0 });
  });
});

describe("inbound money", () => {
  const inbound = "/v1/simulations/inbound-payments";
  const came = (bankReference: string) =>
    until(bankReference, async () => {
      const { body } = await world.get<InboundPaymentPage>("/v1/inbound-payments");
      return body.data.find((payment) => payment.bankReference === bankReference);
    });

  it("is matched by the bank's reference, attributed or in Suspense; a debit moves nothing", async () => {
    const payer = await world.payerWith(0);
    const { body: account } = await world.post<VirtualAccount>("/v1/virtual-accounts", {
      name: "Rent",
      ledgerAccountId: payer.accountId,
    });
    const more = { amountCents: usd("8.00"), originatorName: "Blue Freight LLC" };
    const { accountNumber: virtualAccountNumber } = account;
    for (const payment of [
      { ...more, rail: "Rtp", virtualAccountNumber },
      { ...more, rail: "Usdc", virtualAccountNumber },
      { ...more, rail: "Wire", virtualAccountNumber: "000000000017" },
      { ...more, rail: "Ach", virtualAccountNumber, direction: "Debit" },
    ]) {
      const { status, body } = await world.post<InboundSimulationResult>(inbound, payment);
      expect([status, payment]).toEqual([201, payment]);
      await came(body.bankReference);
    }
    expect(await reconcile()).toMatchObject({
      status: "Reconciled",
      matchedCount: 3,
      inTransitCount: 0,
      differenceCents: 0,
    });
  });
});

describe("a bank that leaves a line out", () => {
  it("makes runs Broken with the missing line, until the bank has corrected it", async () => {
    const payer = await world.payerWith(usd("70.00"));
    const order = await payer.pays(usd("12.50"));
    const { ledgerTransactionId } = await world.comesToRest(order.id);
    const fault = await injectFault({ kind: "LineMissing", orderId: order.id });

    const broken = await reconcile();
    const missing = {
      source: "LedgerEntry",
      reason: "NoBankLine",
      account: "SettlementCash",
      side: "Out",
      amountCents: usd("12.50"),
      paymentOrderId: order.id,
      ledgerTransactionId,
      kind: "Settle",
      firstSeen: broken.date,
      ageBankingDays: 0,
    };
    expect(broken).toMatchObject({
      status: "Broken",
      reasons: ["UnmatchedLedgerEntries"],
      differenceCents: usd("12.50"),
      unmatchedLedgerEntries: [missing],
      unmatchedBankLines: [],
    });
    const { body } = await world.get<Balances>("/v1/balances");
    expect(body.reconciliation).toMatchObject({ status: "Broken", bankDifferenceCents: usd("12.50") });

    expect(await reconcile()).toMatchObject({ status: "Broken", unmatchedLedgerEntries: [missing] });

    expect((await correct(fault.id)).body.status).toBe("Correcting");
    expect(await reconcile()).toMatchObject({ status: "Reconciled", differenceCents: 0, matchedCount: 1 });
    const { body: before } = await world.get<ReconciliationReport>(`${runs}/${broken.id}`);
    expect(before).toEqual(broken);
    expect((await correct(fault.id)).body.status).toBe("Corrected");
  });
});

describe("a bank that prints a wrong line", () => {
  it("makes a run Broken by a line without an order", async () => {
    const fault = await injectFault({ kind: "LineAdded", amountCents: 4_200, bankReference: "FEE-17" });
    expect(await reconcile()).toMatchObject({
      status: "Broken",
      reasons: ["UnmatchedBankLines"],
      differenceCents: -4_200,
      unmatchedBankLines: [
        {
          reason: "NoLedgerEntry",
          side: "Out",
          amountCents: 4_200,
          reference: "FEE-17",
          paymentOrderId: null,
        },
      ],
    });
    await correct(fault.id);
    expect(await reconcile()).toMatchObject({ status: "Reconciled", differenceCents: 0 });
  });

  it("makes a run Broken by another amount, listed on both sides", async () => {
    const payer = await world.payerWith(usd("20.00"));
    const order = await payer.pays(usd("5.00"));
    await world.comesToRest(order.id);
    const fault = await injectFault({ kind: "AmountChanged", orderId: order.id, amountCents: 600 });
    expect(await reconcile()).toMatchObject({
      status: "Broken",
      differenceCents: -100,
      unmatchedBankLines: [{ reason: "AmountDiffers", amountCents: 600, paymentOrderId: order.id }],
      unmatchedLedgerEntries: [{ reason: "AmountDiffers", amountCents: 500, paymentOrderId: order.id }],
    });
    await correct(fault.id);
    expect(await reconcile()).toMatchObject({ status: "Reconciled", differenceCents: 0, matchedCount: 3 });
  });

  it("gets a statement with a wrong hash refused, and stores nothing", async () => {
    await injectFault({ kind: "WrongHash" });
    const before = await world.rows("select 1 from ledger.bank_statement");
    const refused = await world.post<{ code: string }>(runs, {});
    expect([refused.status, refused.body.code]).toEqual([503, "bank_statement_refused"]);
    expect(await world.rows("select 1 from ledger.bank_statement")).toHaveLength(before.length);
    // The statement was published as an event too, equally wrong: it is dead-lettered, and nothing was stored.
    await until("the dead letter", () =>
      world.lines.some((line) => line.includes("dead-lettered") && line.includes("statement-issued")),
    );
    expect(await world.rows("select 1 from ledger.bank_statement")).toHaveLength(before.length);
    expect(await world.rows("select 1 from ledger.statement_part")).toHaveLength(0);
    // The next run reads the refused statement from the bank again, and has both.
    expect(await reconcile()).toMatchObject({ status: "Reconciled" });
    expect(await world.rows("select 1 from ledger.bank_statement")).toHaveLength(before.length + 2);
  });
});

describe("a request that is refused", () => {
  it("is a second fault on one order's line, or a fault on an unknown order", async () => {
    const payer = await world.payerWith(usd("20.00"));
    const { id: orderId } = await payer.pays(usd("5.00"));
    const fault = await injectFault({ kind: "LineMissing", orderId });
    const second = await world.post<{ code: string }>(faults, { kind: "LineMissing", orderId });
    expect([second.status, second.body]).toMatchObject([
      422,
      { code: "simulation_not_applicable", resourceId: fault.id },
    ]);
    const unknown = await world.post<{ code: string }>(faults, { kind: "LineMissing", orderId: newId("po") });
    expect([unknown.status, unknown.body.code]).toEqual([404, "not_found"]);
    await correct(fault.id);
  });

  it.each(["2026-01-05", "2031-03-03", "2026-07-04"])(
    "is a run for %s; the answer names the current banking day",
    async (date) => {
      const { status, body } = await world.post<{ code: string; detail: string }>(runs, { date });
      expect([status, body.code]).toEqual([400, "invalid_field"]);
      expect(body.detail).toMatch(/the current banking day, \d{4}-\d\d-\d\d\./);
    },
  );

  it("is a run of a Live book, which has no bank", async () => {
    const { status, body } = await world.post<{ code: string }>(runs, {}, { as: "live" });
    expect([status, body.code]).toEqual([422, "rail_not_configured"]);
  });

  it("is a run while the bank does not answer", async () => {
    const rails = world.instanceOf("rails");
    await world.kill(rails);
    const answer = await until("the bank does not answer", async () => {
      const answer = await world.post<{ code: string }>(runs, {});
      return answer.body.code === "service_unavailable" ? answer : undefined;
    });
    expect(answer.status).toBe(503);
    await world.replace(rails);
    expect(await reconcile()).toMatchObject({ status: "Reconciled" });
  });
});
