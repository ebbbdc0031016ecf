import { afterAll, describe, expect, it } from "vitest";
import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import { proveBooks } from "../../faults/evidence/prove.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { until } from "../../stack/until.ts";
import { approve, cancel, simulate } from "../../world/actions.ts";
import { issueAnotherKey } from "../../world/system/operator.ts";
import { linesOf, statusesOf, allStatuses } from "../../world/story.ts";
import { line, Taxpayer } from "../../world/taxpayer.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());
afterAll(async () => {
  await proveBooks(world);
});

const taxpayerWith = async (cents: number) => new Taxpayer(world, await world.payerWith(cents));

/** The balance of the tenant's fuel tax expense, in cents. */
async function fuelTaxExpense(): Promise<number> {
  const [row] = await world.rows<{ cents: string }>(
    `select sum(b.posted_debit - b.posted_credit) as cents
     from ledger.account a
     join ledger.account_balance b using (book_id, account_id)
     where a.class = 'FuelTaxExpense' and a.book_id = $1`,
    [uuidOf(world.tenant.tenant.testBook as BookId)],
  );
  return Number(row?.cents);
}

/** The webhook's data about an obligation, once it is delivered. */
async function webhookOf(obligationId: string, type: string) {
  const event = await until(`${type} of ${obligationId}`, () =>
    world.receiver.deliveries.find(
      (delivery) => delivery.type === type && delivery.data["obligationId"] === obligationId,
    ),
  );
  return event.data;
}

describe("a filed return", () => {
  it("is booked, paid through its approvals, and relieved to zero", async () => {
    const taxpayer = await taxpayerWith(usd("300.00"));
    const open = await taxpayer.opens(usd("125.00"), await taxpayer.payee());
    expect(open).toMatchObject({ status: "Open", fixedCents: 0, liabilityLedgerAccountId: null });

    const fixed = (await taxpayer.fixes(open.id)).body;
    expect(fixed).toMatchObject({ status: "Fixed", outstandingCents: usd("125.00") });
    expect([await taxpayer.liability(fixed), await fuelTaxExpense()]).toEqual([usd("125.00"), usd("125.00")]);

    const { status, body: remitting } = await taxpayer.remits(open.id, { rail: "Wire" });
    expect([status, remitting.status]).toEqual([200, "Remitting"]);
    const orderId = remitting.paymentOrderId ?? "";
    const order = await world.reaches(orderId, (seen) => seen.status === "Pending");
    expect(order).toMatchObject({
      obligationId: open.id,
      amountCents: usd("125.00"),
      direction: "Credit",
      basis: "Actual",
      createdBy: "maker",
      counterpartyId: open.payeeCounterpartyId,
      approval: { required: 2, received: 0 },
    });
    for (const approver of ["approver1", "approver2"] as const) {
      expect((await approve(world, orderId, approver)).status).toBe(200);
    }
    expect(statusesOf(await world.comesToRest(orderId))).toEqual(allStatuses);

    const relieved = await taxpayer.becomes(open.id, "Relieved");
    expect(relieved).toMatchObject({
      outstandingCents: 0,
      fixedCents: usd("125.00"),
      paymentOrderId: orderId,
    });
    expect(relieved.remittances.map(({ event }) => event)).toEqual(["Held", "Cleared"]);
    expect([await taxpayer.liability(relieved), await fuelTaxExpense()]).toEqual([0, 0]);
    expect(await webhookOf(open.id, "fuel_tax.remittance_cleared")).toEqual({
      obligationId: open.id,
      reference: "IFTA 2026-Q1",
      jurisdiction: "US-OR",
      period: "2026-Q1",
      amountCents: usd("125.00"),
      paymentOrderId: orderId,
      occurredAt: expect.any(String),
    });
    expect(await taxpayer.payer.balance()).toEqual({
      posted: usd("175.00"),
      held: 0,
      available: usd("175.00"),
    });
    expect(await linesOf(taxpayer.payer, orderId)).toEqual([
      "Hold: Debit 12500 Pending",
      "Discharge: Credit 12500 Pending",
      "Settle: Debit 12500 Posted",
    ]);
  });

  it("is refused with a Demo line, which it names, until the figure is real", async () => {
    const taxpayer = await taxpayerWith(0);
    const lines = [line("Diesel, Oregon", 500), line("Diesel, Idaho", 700, "Demo")];
    const { id } = await taxpayer.opens(0, await taxpayer.payee(), lines);
    const refused = await taxpayer.fixes(id);
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({
      code: "basis_is_demo_data",
      line: { index: 1, description: "Diesel, Idaho", source: "Trip sheets of 2026-Q1" },
    });
    expect(refused.body.detail).toContain("Diesel, Idaho");
    expect(await taxpayer.reads(id)).toMatchObject({ status: "Open", accruals: [] });
  });

  it("that is amended after its payment owes only the difference", async () => {
    const taxpayer = await taxpayerWith(usd("300.00"));
    const { id } = await taxpayer.owes(usd("100.00"), await taxpayer.payee());
    await world.comesToRest(await taxpayer.pays(id));
    await taxpayer.becomes(id, "Relieved");
    const below = await taxpayer.amends(id, [line("Diesel, Oregon", usd("99.99"))]);
    expect([below.status, below.body.code]).toEqual([422, "amended_below_paid"]);
    const amended = await taxpayer.amends(id, [line("Diesel, Oregon", usd("120.00"))]);
    expect(amended.body).toMatchObject({ status: "Fixed", outstandingCents: usd("20.00") });
    const order = await world.comesToRest(await taxpayer.pays(id));
    expect(order).toMatchObject({ status: "Completed", amountCents: usd("20.00") });
    const relieved = await taxpayer.becomes(id, "Relieved");
    expect(await taxpayer.liability(relieved)).toBe(0);
    expect(await taxpayer.payer.balance()).toMatchObject({ posted: usd("180.00") });
  });
});

it("with If-Match is changed and paid only by a caller who has read its current version", async () => {
  const taxpayer = await taxpayerWith(usd("100.00"));
  const { id } = await taxpayer.opens(usd("60.00"), await taxpayer.payee());
  const path = `/v1/obligations/${id}`;
  const etag = (await world.get(path)).headers.get("etag") ?? "";
  const changes = [
    ["PATCH", path, { period: "2026-Q2" }],
    ["POST", `${path}/fix`, {}],
    ["POST", `${path}/amend`, { lines: [line("Diesel, Oregon", usd("61.00"))] }],
    ["POST", `${path}/remit`, { rail: "Rtp", fundingLedgerAccountId: taxpayer.payer.accountId }],
  ] as const;
  let current = etag;
  for (const [method, to, body] of changes) {
    const change = (tag: string) =>
      world.send(world.tenant.keys.maker, method, to, { body, headers: { "if-match": tag } });
    expect(await change('"999"')).toMatchObject({ status: 412, body: { code: "precondition_failed" } });
    const changed = await change(current);
    expect([changed.status, (await change(etag)).status]).toEqual([200, 412]);
    current = changed.headers.get("etag") ?? "";
  }
  expect([etag, current]).toEqual(['"1"', '"4"']);
  await taxpayer.becomes(id, "Relieved");
});

describe.concurrent("a payment that does not succeed", () => {
  it("by a return: the whole amount comes back, and another payee is paid", async () => {
    const taxpayer = await taxpayerWith(usd("100.00"));
    const { id } = await taxpayer.owes(usd("60.00"), await taxpayer.payee("100002"));
    const orderId = await taxpayer.pays(id, "Ach");
    expect(await world.comesToRest(orderId)).toMatchObject({ status: "Returned", return: { code: "R02" } });
    const back = await taxpayer.becomes(id, "Fixed");
    expect(back).toMatchObject({ outstandingCents: usd("60.00"), paymentOrderId: null });
    expect(back.remittances.at(-1)).toMatchObject({
      event: "Returned",
      reason: "R02",
      paymentOrderId: orderId,
    });
    expect(await taxpayer.payer.balance()).toEqual({
      posted: usd("100.00"),
      held: 0,
      available: usd("100.00"),
    });

    expect(await webhookOf(id, "fuel_tax.remittance_returned")).toMatchObject({
      paymentOrderId: orderId,
      amountCents: usd("60.00"),
      return: { code: "R02", reason: "AccountClosed", late: false },
    });

    expect((await taxpayer.names(id, await taxpayer.payee())).status).toBe(200);
    await world.comesToRest(await taxpayer.pays(id, "Ach"));
    expect(await taxpayer.liability(await taxpayer.becomes(id, "Relieved"))).toBe(0);
  });

  it("by a late return: all four lines are reversed, and the amount is owed again", async () => {
    const taxpayer = await taxpayerWith(usd("100.00"));
    const { id } = await taxpayer.owes(usd("60.00"), await taxpayer.payee("200002"));
    const orderId = await taxpayer.pays(id, "Ach");
    await world.reaches(orderId, (order) => order.return !== null && order.return.late);
    const back = await taxpayer.becomes(id, "Fixed");
    expect(back).toMatchObject({ outstandingCents: usd("60.00"), paymentOrderId: null });
    expect(back.remittances.map(({ event }) => event)).toEqual(["Held", "Cleared", "Returned"]);
    expect(await taxpayer.liability(back)).toBe(usd("60.00"));
    expect(await webhookOf(id, "fuel_tax.remittance_returned")).toMatchObject({ return: { late: true } });
    expect(await taxpayer.payer.balance()).toMatchObject({ posted: usd("100.00") });
  });

  it("by a cancel while it waits for approval", async () => {
    const taxpayer = await taxpayerWith(usd("100.00"));
    const { id } = await taxpayer.owes(usd("60.00"), await taxpayer.payee());
    const orderId = await taxpayer.pays(id, "Wire");
    await world.reaches(orderId, ({ status }) => status === "Pending");
    expect((await cancel(world, orderId)).status).toBe(200);
    expect((await taxpayer.becomes(id, "Fixed")).remittances.at(-1)).toMatchObject({ event: "Cancelled" });
    expect(await taxpayer.payer.balance()).toMatchObject({ held: 0, available: usd("100.00") });
  });

  it("by a failure on the rail", async () => {
    const taxpayer = await taxpayerWith(usd("100.00"));
    const { id } = await taxpayer.owes(usd("60.00"), await taxpayer.payee("300404"));
    expect(await world.comesToRest(await taxpayer.pays(id))).toMatchObject({ status: "Failed" });
    expect((await taxpayer.becomes(id, "Fixed")).remittances.at(-1)).toMatchObject({ event: "Failed" });
  });

  it("by an account that can't cover it", async () => {
    const taxpayer = await taxpayerWith(usd("59.99"));
    const { id } = await taxpayer.owes(usd("60.00"), await taxpayer.payee());
    const order = await world.comesToRest(await taxpayer.pays(id));
    expect(order).toMatchObject({ status: "Failed", failure: { code: "insufficient_funds" } });
    const back = await taxpayer.becomes(id, "Fixed");
    expect(back.remittances).toMatchObject([{ event: "Refused", reason: "insufficient_funds" }]);
  });

  it("by a refusal of the order: the caller gets it, nothing is stored, and the idempotency key is free", async () => {
    const taxpayer = await taxpayerWith(usd("100.00"));
    const payee = await taxpayer.payee("000123456789", false);
    const { id } = await taxpayer.owes(usd("60.00"), payee);
    const key = `remit ${id}`;
    const refused = await taxpayer.remits(id, { key });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatchObject({ code: "counterparty_unverified", resourceId: payee });
    expect(await taxpayer.reads(id)).toMatchObject({
      status: "Fixed",
      paymentOrderId: null,
      remittances: [],
    });

    await taxpayer.verifies(payee);
    const taken = await taxpayer.remits(id, { key });
    expect([taken.status, taken.body.status]).toEqual([200, "Remitting"]);
    const again = await taxpayer.remits(id, { key });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body.paymentOrderId).toBe(taken.body.paymentOrderId);
    await taxpayer.becomes(id, "Relieved");
  });
});

describe.concurrent("one order per payment", () => {
  it("the other callers get the order that pays already", async () => {
    const taxpayer = await taxpayerWith(usd("100.00"));
    const { id } = await taxpayer.owes(usd("60.00"), await taxpayer.payee());
    const answers = await Promise.all(Array.from({ length: 5 }, () => taxpayer.remits(id, { rail: "Wire" })));
    const [won, ...more] = answers.filter(({ status }) => status === 200);
    expect(more).toEqual([]);
    for (const { body } of answers.filter((answer) => answer !== won)) {
      expect(body).toMatchObject({
        code: "obligation_not_payable",
        currentStatus: "Remitting",
        paymentOrderId: won?.body.paymentOrderId,
      });
    }
    const orders = await world.rows(
      "select id from orders.payment_order where obligation_id is not null and amount_cents = 6000 and rail = 'Wire' and ledger_account_name = $1",
      [taxpayer.payer.accountName],
    );
    expect(orders).toHaveLength(1);
  });

  it("no other order can name an obligation", async () => {
    const taxpayer = await taxpayerWith(usd("100.00"));
    const { id } = await taxpayer.owes(usd("60.00"), await taxpayer.payee());
    const body = taxpayer.payer.body(usd("60.00"));
    const named = await world.post("/v1/payment-orders", { ...body, obligationId: id });
    expect([named.status, (named.body as { code: string }).code]).toEqual([400, "unknown_field"]);
    const paid = await world.post<{ id: string; obligationId: null }>("/v1/payment-orders", body);
    expect(paid.body.obligationId).toBeNull();
    await world.comesToRest(paid.body.id);
    expect(await taxpayer.reads(id)).toMatchObject({ status: "Fixed", outstandingCents: usd("60.00") });
  });

  it("a remittance needs a key that may create payment orders", async () => {
    const taxpayer = await taxpayerWith(0);
    const { id } = await taxpayer.owes(usd("60.00"), await taxpayer.payee());
    const scopes = ["ledger:read", "ledger:write"] as const;
    const key = await issueAnotherKey(world, { principal: "bookkeeper", mode: "Test", scopes });
    const body = { rail: "Rtp", fundingLedgerAccountId: taxpayer.payer.accountId };
    expect((await world.send(key, "POST", `/v1/obligations/${id}/remit`, { body })).status).toBe(403);
  });

  it("a remittance moves as its rail does: a simulated late return applies to it too", async () => {
    const taxpayer = await taxpayerWith(usd("100.00"));
    const { id } = await taxpayer.owes(usd("60.00"), await taxpayer.payee());
    const orderId = await taxpayer.pays(id, "Ach");
    await world.comesToRest(orderId);
    await taxpayer.becomes(id, "Relieved");
    expect((await simulate(world, orderId, "late-return", { code: "R03" })).status).toBe(200);
    expect((await taxpayer.becomes(id, "Fixed")).remittances.at(-1)).toMatchObject({ reason: "R03" });
  });
});
