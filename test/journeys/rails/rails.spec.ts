import { describe, expect, it } from "vitest";
import type { Balances } from "../../../contracts/http/ledger/ledger-accounts.ts";
import { forThisFile } from "../../stack/for-this-file.ts";
import { approve, simulate, submit } from "../../world/actions.ts";
import { linesOf, receivedEventsOf, statusesOf, allStatuses } from "../../world/story.ts";
import { usd } from "../../world/usd.ts";
import { World } from "../../world/world.ts";

const world = await forThisFile(World.join());

const eventsOfSuccess = [
  "1 payment_order.submitted",
  "2 payment_order.pending",
  "3 payment_order.processing",
  "4 payment_order.completed",
];

const wallet = "0x52908400098527886E0F7030069857D2E4169EE7";
const credits = [
  { rail: "Ach", to: "000123456789", masked: "****6789", reference: { traceNumber: /^7910\d{11}$/ } },
  { rail: "SameDayAch", to: "000123456780", masked: "****6780", reference: { traceNumber: /^7910\d{11}$/ } },
  { rail: "Rtp", to: "000123456781", masked: "****6781", reference: { endToEndId: /^[0-9A-F]{32}$/ } },
  { rail: "Usdc", to: wallet, masked: "****9EE7", reference: { txHash: /^0x[0-9a-f]{64}$/ } },
] as const;

describe.concurrent("money out", () => {
  it.each(credits)(
    "$rail pays the counterparty from the account",
    async ({ rail, to, masked, reference }) => {
      const payer = await world.payerWith(usd("100.00"));
      const order = await payer.pays(usd("40.00"), { rail, to });
      const completed = await world.comesToRest(order.id);

      expect(statusesOf(completed)).toEqual(allStatuses);
      expect(await payer.balance()).toEqual({ posted: usd("60.00"), held: 0, available: usd("60.00") });
      expect(await linesOf(payer, order.id)).toEqual([
        "Hold: Debit 4000 Pending",
        "Discharge: Credit 4000 Pending",
        "Settle: Debit 4000 Posted",
      ]);
      expect(completed.railReference).toEqual(matching(reference));
      expect(completed.counterpartyAccountNumber).toBe(masked);
      expect(await receivedEventsOf(world, order.id, 4)).toEqual(eventsOfSuccess);
    },
  );

  it.each(["Ach", "SameDayAch", "Rtp", "Usdc"] as const)(
    "%s holds the money while the rail has the payment",
    async (rail) => {
      const payer = await world.payerWith(usd("100.00"));
      const draft = await payer.pays(usd("40.00"), { rail, submit: false });
      expect(await payer.balance()).toEqual({ posted: usd("100.00"), held: 0, available: usd("100.00") });

      await simulate(world, draft.id, "accept");
      await submit(world, draft.id);
      await world.reaches(draft.id, ({ railReference }) => railReference !== null);
      expect((await world.order(draft.id)).status).toBe("Processing");
      expect(await payer.balance()).toEqual({
        posted: usd("100.00"),
        held: usd("40.00"),
        available: usd("60.00"),
      });

      await simulate(world, draft.id, "settle");
      await world.comesToRest(draft.id);
      expect(await payer.balance()).toEqual({ posted: usd("60.00"), held: 0, available: usd("60.00") });
    },
  );

  it("Wire waits, its money held, until two others have approved it", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await payer.pays(usd("40.00"), { rail: "Wire" });
    const waiting = await world.reaches(order.id, ({ status }) => status === "Pending");
    expect(waiting.approval).toMatchObject({ required: 2, received: 0 });
    expect(await payer.balance()).toEqual({
      posted: usd("100.00"),
      held: usd("40.00"),
      available: usd("60.00"),
    });

    expect((await approve(world, order.id, "approver1")).body).toMatchObject({ status: "Pending" });
    expect((await approve(world, order.id, "approver2")).body).toMatchObject({ status: "Processing" });
    const completed = await world.comesToRest(order.id);
    expect(statusesOf(completed)).toEqual(allStatuses);
    expect(completed.approval.approvals.map(({ principal }) => principal)).toEqual([
      "approver1",
      "approver2",
    ]);
    expect(completed.railReference).toEqual(matching({ imad: /^\d{8}QTSIM[0-9A-F]{3}\d{6}$/ }));
    expect(completed.counterpartyAccountNumber).toBe("****6789");
    expect(await payer.balance()).toEqual({ posted: usd("60.00"), held: 0, available: usd("60.00") });
    expect(await receivedEventsOf(world, order.id, 4)).toEqual(eventsOfSuccess);
  });
});

describe.concurrent("money in", () => {
  it.each([
    { rail: "Ach", to: "000123456789", masked: "****6789" },
    { rail: "SameDayAch", to: "000123456780", masked: "****6780" },
  ] as const)("$rail collects from the counterparty's bank", async ({ rail, to, masked }) => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await payer.collects(usd("25.00"), { rail, to });
    const completed = await world.comesToRest(order.id);

    expect(statusesOf(completed)).toEqual(allStatuses);
    expect(await payer.balance()).toEqual({ posted: usd("125.00"), held: 0, available: usd("125.00") });
    expect(await linesOf(payer, order.id)).toEqual([
      "Hold: Credit 2500 Pending",
      "Discharge: Debit 2500 Pending",
      "Settle: Credit 2500 Posted",
    ]);
    expect(completed.railReference).toEqual(matching({ traceNumber: /^7910\d{11}$/ }));
    expect(completed.counterpartyAccountNumber).toBe(masked);
    expect(await receivedEventsOf(world, order.id, 4)).toEqual(eventsOfSuccess);
  });

  it.each(["Ach", "SameDayAch"] as const)(
    "%s makes nothing available before it has settled",
    async (rail) => {
      const payer = await world.payerWith(usd("100.00"));
      const draft = await payer.collects(usd("25.00"), { rail, submit: false });
      await simulate(world, draft.id, "accept");
      await submit(world, draft.id);
      await world.reaches(draft.id, ({ railReference }) => railReference !== null);

      expect(await payer.account()).toMatchObject({
        pendingInboundCents: usd("25.00"),
        pendingBalanceCents: 0,
        postedBalanceCents: usd("100.00"),
        availableBalanceCents: usd("100.00"),
      });
      await simulate(world, draft.id, "settle");
      await world.comesToRest(draft.id);
      expect(await payer.account()).toMatchObject({
        pendingInboundCents: 0,
        postedBalanceCents: usd("125.00"),
        availableBalanceCents: usd("125.00"),
      });
    },
  );
});

describe.concurrent("money between two accounts of the book", () => {
  it("Book, Credit, pays the other account, named by its id", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const other = await world.payerWith(usd("10.00"));
    const order = await payer.pays(usd("40.00"), { rail: "Book", to: other.accountId });
    const completed = await world.comesToRest(order.id);

    expect(statusesOf(completed)).toEqual(allStatuses);
    expect(await payer.balance()).toEqual({ posted: usd("60.00"), held: 0, available: usd("60.00") });
    expect(await other.balance()).toEqual({ posted: usd("50.00"), held: 0, available: usd("50.00") });
    expect(await linesOf(payer, order.id)).toEqual([
      "Hold: Debit 4000 Pending",
      "Discharge: Credit 4000 Pending",
      "Settle: Debit 4000 Posted",
    ]);
    expect(await linesOf(other, order.id)).toEqual([
      "Hold: Credit 4000 Pending",
      "Discharge: Debit 4000 Pending",
      "Settle: Credit 4000 Posted",
    ]);
    expect(completed.railReference).toBeNull();
    expect(completed.counterpartyName).toBe(other.accountName);
    expect(await receivedEventsOf(world, order.id, 4)).toEqual(eventsOfSuccess);
  });

  it("Book, Debit, collects from the other account, named by its name", async () => {
    const collector = await world.payerWith(usd("10.00"));
    const other = await world.payerWith(usd("100.00"));
    const order = await collector.collects(usd("40.00"), { rail: "Book", to: other.accountName });
    const completed = await world.comesToRest(order.id);

    expect(statusesOf(completed)).toEqual(allStatuses);
    expect(await collector.balance()).toEqual({ posted: usd("50.00"), held: 0, available: usd("50.00") });
    expect(await other.balance()).toEqual({ posted: usd("60.00"), held: 0, available: usd("60.00") });
    expect(await linesOf(collector, order.id)).toEqual([
      "Hold: Credit 4000 Pending",
      "Discharge: Debit 4000 Pending",
      "Settle: Credit 4000 Posted",
    ]);
    expect(await receivedEventsOf(world, order.id, 4)).toEqual(eventsOfSuccess);
  });
});

describe("events and journals", () => {
  it("reach the owner once balances agree with them", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await payer.pays(usd("40.00"), { externalId: "invoice-17" });
    await world.receivesEvent(order.id, "Completed");
    expect(await payer.balance()).toEqual({ posted: usd("60.00"), held: 0, available: usd("60.00") });

    const event = world.receiver.eventsOf(order.id).find(({ type }) => type === "payment_order.completed");
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      type: "payment_order.completed",
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      data: {
        id: order.id,
        status: "Completed",
        rail: "Rtp",
        amountCents: 4000,
        currency: "USD",
        direction: "Credit",
        externalId: "invoice-17",
        previousStatus: "Processing",
        sequence: 4,
        occurredAt: event?.created_at,
      },
    });
    expect(world.receiver.refused).toEqual([]);
  });

  it("form one ledger transaction per order, its journals numbered in order", async () => {
    const payer = await world.payerWith(usd("100.00"));
    const order = await world.comesToRest((await payer.pays(usd("40.00"))).id);
    const entries = (await payer.entries()).filter(({ paymentOrderId }) => paymentOrderId === order.id);
    expect(new Set(entries.map(({ transactionId }) => transactionId))).toEqual(
      new Set([order.ledgerTransactionId]),
    );
    const [posted, discharged, held] = entries.map(({ sequence }) => sequence);
    expect(posted).toBe(discharged);
    expect(held).toBeLessThan(posted ?? 0);
  });

  it("add up: the accounts hold exactly what the bank and the wallet hold", async () => {
    const { body } = await world.get<Balances>("/v1/balances?limit=100");
    const owedCents = body.data.reduce((sum, account) => sum + account.postedBalanceCents, 0);
    expect(body.reconciliation).toMatchObject({ settlementCashCents: owedCents, subLedgerCents: owedCents });
  });
});

function matching(reference: Record<string, RegExp>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(reference).map(([name, shape]) => [name, expect.stringMatching(shape)]),
  );
}
