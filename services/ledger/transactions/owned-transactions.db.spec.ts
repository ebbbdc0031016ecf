import { afterAll, beforeAll, expect, it } from "vitest";
import { InboundReceived } from "../../../contracts/messages/inbound.ts";
import { type LedgerAccountId, newId, newUuid } from "../../../contracts/ids/ids.ts";
import { Filer } from "../../../test/ledger/obligations.ts";
import { asked, refused, Tenant } from "../../../test/ledger/requests.ts";
import { type LedgerWorld, openLedger, someNumbers, someSeals } from "../../../test/ledger/world.ts";
import { AssignInbound } from "../inbound-payments/assign-inbound.handler.ts";
import { AttributeInbound } from "../inbound-payments/receive-inbound.consumer.ts";
import { ReadInboundPayments } from "../inbound-payments/query-inbound.handler.ts";
import { holdOf, lateReturnOf, settlementOf, strayOf } from "../../../test/ledger/commands.ts";

// A transaction that belongs to somebody is read like any other, and moves by its owner alone.
let ledger: LedgerWorld;
beforeAll(async () => {
  ledger = await openLedger();
});
afterAll(() => ledger.close());

/** Reads it, and has each step by hand refused with its owner's name. */
async function standsFor(tenant: Tenant, id: string, owner: { kind: string; id: string }) {
  for (const act of [() => tenant.posts(id), () => tenant.voids(id), () => tenant.reverses(id)]) {
    expect(await tenant.refusalBy(act)).toMatchObject({
      ...refused("transaction_owned"),
      message: expect.stringContaining(owner.id),
      context: { owner },
    });
  }
  const read = await tenant.transaction(id);
  expect(read).toMatchObject({ id, owner, description: null, basis: null, externalId: null, metadata: {} });
  expect((await tenant.transactions()).data).toContainEqual(read);
  return read;
}

it("an order's, with all its steps and what went to Suspense for it", async () => {
  const tenant = new Tenant(ledger.units);
  const payroll = (await tenant.creates("Payroll")).id as LedgerAccountId;
  const order = newId("po");
  const owner = { kind: "PaymentOrder", id: order };
  await tenant.writes(holdOf(order, payroll, 500));
  const id = `lt_${order.slice(3)}`;
  expect(await standsFor(tenant, id, owner)).toMatchObject({ status: "Pending" });
  await tenant.writes(settlementOf(order));
  expect(await standsFor(tenant, id, owner)).toMatchObject({
    status: "Posted",
    reversedAt: null,
    entries: [
      { ledgerAccountId: payroll, ledgerAccountName: "Payroll", direction: "Debit", amountCents: 500 },
      { ledgerAccountName: "Settlement cash", direction: "Credit", amountCents: 500 },
    ],
  });
  await tenant.writes(lateReturnOf(order));
  const returned = await standsFor(tenant, id, owner);
  expect(returned.journals.map(({ kind }) => kind)).toEqual(["Hold", "Settle", "LateReturn"]);
  expect(returned.reversedAt).toBe(returned.journals[2]?.createdAt);

  const stray = strayOf(order, 500, { movement: "Return" });
  await tenant.writes(stray);
  await standsFor(tenant, stray.transactionId, owner);
});

it("an obligation's accrual", async () => {
  const filer = await Filer.funded(ledger.units);
  const { id } = await filer.creates();
  const fixed = await filer.fixes(id);
  const accrual = await standsFor(filer.tenant, fixed.accruals[0]!.ledgerTransactionId!, {
    kind: "Obligation",
    id,
  });
  expect(accrual.journals.map(({ kind }) => kind)).toEqual(["Accrue"]);
});

it("an inbound payment's, in Suspense and where it was assigned to", async () => {
  const tenant = new Tenant(ledger.units);
  const deposits = (await tenant.creates("Deposits")).id;
  const data = {
    tenantId: tenant.id,
    mode: "Test",
    bankReference: "ref-1",
    rail: "Rtp",
    direction: "Credit",
    amountCents: 120_000,
    currency: "USD",
    originatorName: "Blue Freight LLC",
    accountNumber: someSeals.encrypt("0000000000"),
    occurredAt: "2026-03-02T15:00:00.000Z",
  };
  const message = {
    id: newUuid(),
    type: InboundReceived.type,
    time: data.occurredAt,
    book: tenant.book,
    subject: data.bankReference,
    correlationid: "req_1",
    data: InboundReceived.data.parse(data),
  };
  await ledger.units.units.run((unit) => new AttributeInbound(someNumbers).onReceived([message], unit));
  const [payment] = (
    await new ReadInboundPayments(ledger.units.database).list({ limit: 1 }, asked(tenant.id))
  ).data;
  const owner = { kind: "InboundPayment", id: payment!.id };
  await standsFor(tenant, payment!.ledgerTransactionId!, owner);

  const assign = { id: payment!.id, assignment: { ledgerAccountId: deposits } };
  await new AssignInbound(ledger.units.units).assign(assign, asked(tenant.id));
  const [, assigned] = (await tenant.transactions({})).data.toReversed();
  const read = await standsFor(tenant, assigned!.id, owner);
  expect(read.journals.map(({ kind }) => kind)).toEqual(["Assign"]);
  expect(await tenant.balanceOf(deposits)).toEqual([120_000, 0, 0, 120_000]);
});
