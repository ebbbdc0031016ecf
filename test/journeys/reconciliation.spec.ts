import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type {
  Balances,
  BankStatementFault,
  InboundPaymentPage,
  InboundSimulationResult,
  ReconciliationPage,
  ReconciliationReport,
  VirtualAccount,
} from "../../clients/typescript/types.gen.ts";
import { newId } from "../../contracts/ids/ids.ts";
import { simulate } from "../world/actions.ts";
import { until } from "../stack/until.ts";
import { usd } from "../world/usd.ts";
import { World } from "../world/world.ts";

// The books against the bank's own: two records, kept by two services, compared by statement.
let world: World;
beforeAll(async () => {
  world = await World.start();
});
afterAll(() => world.stop());

const runs = "/v1/reconciliations";
const faults = "/v1/simulations/bank-statement-faults";

async function reconcile(): Promise<ReconciliationReport> {
  const { status, body } = await world.post<ReconciliationReport>(runs, {});
  expect(body).toMatchObject({ id: expect.stringMatching(/^rec_/) as unknown });
  expect(status).toBe(201);
  return body;
}

async function spoil(fault: object): Promise<BankStatementFault> {
  const { status, body } = await world.post<BankStatementFault>(faults, fault);
  expect(status).toBe(201);
  return body;
}

const correct = (id: string) => world.post<BankStatementFault>(`${faults}/${id}/correct`);

describe("a book that agrees with its bank", () => {
  it("is Reconciled with difference 0 and every line matched, and its balances say so", async () => {
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

  it("has what comes back late on both sides", async () => {
    const payer = await world.payerWith(usd("30.00"));
    const order = await payer.pays(usd("30.00"), { rail: "Ach" });
    await world.comesToRest(order.id);
    await simulate(world, order.id, "late-return", { code: "R03" });
    await world.reaches(order.id, (seen) => seen.return?.late === true);
    expect(await reconcile()).toMatchObject({ status: "Reconciled", matchedCount: 3, differenceCents: 0 });
  });
});

describe("money that came in", () => {
  const inbound = "/v1/simulations/inbound-payments";
  const came = (bankReference: string) =>
    until(bankReference, async () => {
      const { body } = await world.get<InboundPaymentPage>("/v1/inbound-payments");
      return body.data.find((payment) => payment.bankReference === bankReference);
    });

  it("is matched by the bank's reference, attributed or in Suspense; a debit moved nothing", async () => {
    const payer = await world.payerWith(0);
    const { body: account } = await world.post<VirtualAccount>("/v1/virtual-accounts", {
      name: "Rent",
      ledgerAccountId: payer.accountId,
    });
    const more = { amountCents: usd("8.00"), originatorName: "Blue Freight LLC" };
    const { accountNumber: virtualAccountNumber } = account;
    for (const wish of [
      { ...more, rail: "Rtp", virtualAccountNumber },
      { ...more, rail: "Usdc", virtualAccountNumber },
      { ...more, rail: "Wire", virtualAccountNumber: "000000000017" },
      { ...more, rail: "Ach", virtualAccountNumber, direction: "Debit" },
    ]) {
      const { status, body } = await world.post<InboundSimulationResult>(inbound, wish);
      expect([status, wish]).toEqual([201, wish]);
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
  it("is found and named, found again, and Reconciled once the bank has corrected it", async () => {
    const payer = await world.payerWith(usd("70.00"));
    const order = await payer.pays(usd("12.50"));
    const { ledgerTransactionId } = await world.comesToRest(order.id);
    const fault = await spoil({ kind: "LineMissing", orderId: order.id });

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

describe("a bank that prints what was not so", () => {
  it("is asked about a line that nobody ordered", async () => {
    const fault = await spoil({ kind: "LineAdded", amountCents: 4_200, bankReference: "FEE-17" });
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

  it("is asked about an amount that is another, on both sides", async () => {
    const payer = await world.payerWith(usd("20.00"));
    const order = await payer.pays(usd("5.00"));
    await world.comesToRest(order.id);
    const fault = await spoil({ kind: "AmountChanged", orderId: order.id, amountCents: 600 });
    expect(await reconcile()).toMatchObject({
      status: "Broken",
      differenceCents: -100,
      unmatchedBankLines: [{ reason: "AmountDiffers", amountCents: 600, paymentOrderId: order.id }],
      unmatchedLedgerEntries: [{ reason: "AmountDiffers", amountCents: 500, paymentOrderId: order.id }],
    });
    await correct(fault.id);
    expect(await reconcile()).toMatchObject({ status: "Reconciled", differenceCents: 0, matchedCount: 3 });
  });

  it("is refused by name for a hash that is not its content's, and nothing of it is written", async () => {
    await spoil({ kind: "WrongHash" });
    const before = await world.rows("select 1 from ledger.bank_statement");
    const refused = await world.post<{ code: string }>(runs, {});
    expect([refused.status, refused.body.code]).toEqual([503, "bank_statement_refused"]);
    expect(await world.rows("select 1 from ledger.bank_statement")).toHaveLength(before.length);
    // The statement came as an event too, as wrong: it waits for a person, and nothing was written of it.
    await until("the dead letter", () =>
      world.lines.some((line) => line.includes("dead-lettered") && line.includes("statement-issued")),
    );
    expect(await world.rows("select 1 from ledger.bank_statement")).toHaveLength(before.length);
    expect(await world.rows("select 1 from ledger.statement_part")).toHaveLength(0);
    // What was refused is read again from the bank: the next run has both.
    expect(await reconcile()).toMatchObject({ status: "Reconciled" });
    expect(await world.rows("select 1 from ledger.bank_statement")).toHaveLength(before.length + 2);
  });
});

describe("what can't be asked", () => {
  it("refuses a second fault of one order's line, and one of an order that is not there", async () => {
    const payer = await world.payerWith(usd("20.00"));
    const { id: orderId } = await payer.pays(usd("5.00"));
    const fault = await spoil({ kind: "LineMissing", orderId });
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
    "refuses %s, and names the day that can be",
    async (date) => {
      const { status, body } = await world.post<{ code: string; detail: string }>(runs, { date });
      expect([status, body.code]).toEqual([400, "invalid_field"]);
      expect(body.detail).toMatch(/banking day \d{4}-\d\d-\d\d/);
    },
  );

  it("simulates no bank of a Live book", async () => {
    const { status, body } = await world.post<{ code: string }>(runs, {}, { as: "live" });
    expect([status, body.code]).toEqual([422, "rail_not_configured"]);
  });

  it("is silent when the bank is", async () => {
    const rails = world.instanceOf("rails");
    await world.kill(rails);
    const told = await until("the broker knows that the bank is gone", async () => {
      const answer = await world.post<{ code: string }>(runs, {});
      return answer.body.code === "service_unavailable" ? answer : undefined;
    });
    expect(told.status).toBe(503);
    await world.replace(rails);
    expect(await reconcile()).toMatchObject({ status: "Reconciled" });
  });
});
