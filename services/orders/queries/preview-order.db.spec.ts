import { beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import type { LedgerAccountId } from "../../../contracts/ids/ids.ts";
import type { LedgerAccount } from "../../../contracts/http/ledger/ledger-accounts.ts";
import { CheckHold, GetLedgerAccount } from "../../../contracts/messages/ledger.ts";
import { PreviewOrder } from "../../../contracts/messages/orders.ts";
import { accounts, OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { expectRefusal } from "../../../test/stack/refusals.ts";

const laterDay = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
const orders = new OrdersOnTest();
/** The ledger's answer about each account. A test may change it. */
const available: Record<LedgerAccountId, number> = { [accounts.Operating]: 10_000, [accounts.Reserve]: 500 };

/** The hold that the ledger was asked about last, and its refusal. */
let asked: object = {};
let refusal: { readonly code: string; readonly detail: string } | null = null;

beforeAll(async () => {
  const ledger = await orders.messaging.connectAs("ledger");
  ledger.subscribe(GetLedgerAccount.subject, {
    callback: (_error, message) => {
      const { id } = message.json<{ data: { id: LedgerAccountId } }>().data;
      const name = id === accounts.Operating ? "Operating" : "Reserve";
      message.respond(JSON.stringify({ ok: true, value: accountAs(id, name) }));
    },
  });
  ledger.subscribe(CheckHold.subject, {
    callback: (_error, message) => {
      asked = message.json<{ data: object }>().data;
      message.respond(JSON.stringify(refusal === null ? { ok: true, value: {} } : { ok: false, refusal }));
    },
  });
  await ledger.flush();
});

function accountAs(id: LedgerAccountId, name: string): LedgerAccount {
  return {
    id,
    name,
    currency: "USD",
    normalBalance: "Credit",
    overdraft: "Refused",
    externalId: null,
    description: null,
    metadata: {},
    pendingBalanceCents: 0,
    pendingInboundCents: 0,
    postedBalanceCents: available[id] ?? 0,
    availableBalanceCents: available[id] ?? 0,
    lastSequence: 1,
    status: "Open",
    closedAt: null,
    createdAt: "2026-03-02T15:00:00.000Z",
  };
}

type Body = z.input<(typeof PreviewOrder)["data"]>;
const preview = async (change: Partial<Body> = {}) => {
  const { submit: _submit, ...body } = orders.body();
  return (await orders.request(PreviewOrder, { ...body, ...change })).value;
};
const written = async () =>
  (
    await orders.sql<{ rows: bigint }>(
      `select (select count(*) from payment_order) + (select count(*) from status_change)
         + (select count(*) from outbox) + (select count(*) from idempotency) as rows`,
    )
  )[0]?.rows;

describe("a preview", () => {
  it("shows the approvals, cutoff, settlement date and balances that would apply, and writes nothing", async () => {
    const before = await written();
    const seen = await preview({ rail: "Wire", amountCents: 2_500 });
    expect(seen).toEqual({
      approvalsRequired: 2,
      cutoff: null,
      expectedSettlementDate: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      ledgerAccountId: accounts.Operating,
      balances: {
        now: { pendingBalanceCents: 0, postedBalanceCents: 10_000, availableBalanceCents: 10_000 },
        held: { pendingBalanceCents: 2_500, postedBalanceCents: 10_000, availableBalanceCents: 7_500 },
        settled: { pendingBalanceCents: 0, postedBalanceCents: 7_500, availableBalanceCents: 7_500 },
      },
      dailyLimit: null,
    });
    expect(await written()).toBe(before);
  });

  it("matches what the order then becomes", async () => {
    const change = { rail: "Wire" as const, effectiveDate: laterDay };
    const seen = await preview(change);
    const order = await orders.create(change);
    expect([seen.approvalsRequired, seen.cutoff, seen.expectedSettlementDate]).toEqual([
      order.approval.required,
      order.cutoff,
      order.expectedSettlementDate,
    ]);
  });

  it("refuses what the account's available balance can't cover", async () => {
    expect((await preview({ amountCents: 10_000 })).balances.held.availableBalanceCents).toBe(0);
    await expectRefusal(preview({ amountCents: 10_001 }), "insufficient_funds", {
      context: { resourceId: accounts.Operating, availableBalanceCents: 10_000 },
    });
  });

  it("checks the account that pays: the counterparty's, if the order collects from it", async () => {
    const collect = (amountCents: number) =>
      preview({
        rail: "Book",
        direction: "Debit",
        amountCents,
        counterpartyAccountNumber: orders.encrypt("Reserve"),
        counterpartyName: undefined,
        counterpartyRoutingNumber: undefined,
      });
    expect((await collect(500)).balances.settled.postedBalanceCents).toBe(10_500);
    await expectRefusal(collect(501), "insufficient_funds", {
      context: { resourceId: accounts.Reserve, availableBalanceCents: 500 },
    });
  });

  it("needs no funds of ours for money that a bank sends", async () => {
    const seen = await preview({ direction: "Debit", amountCents: 999_999 });
    expect(seen.balances.settled.postedBalanceCents).toBe(1_009_999);
  });

  it("refuses what the ledger would refuse the hold for", async () => {
    refusal = { code: "balance_out_of_range", detail: "All debits of Operating would add up to too much." };
    try {
      await expectRefusal(preview({ rail: "Wire", amountCents: 2_500 }), "balance_out_of_range");
    } finally {
      refusal = null;
    }
    expect(asked).toEqual({
      direction: "Credit",
      amountCents: 2_500,
      currency: "USD",
      ledgerAccountId: accounts.Operating,
      contra: { kind: "SettlementCash" },
    });
  });

  it.each<[string, Partial<Body>]>([
    ["basis_is_demo_data", { basis: "Demo" }],
    ["basis_missing_input", { basis: "Missing" }],
    ["amount_above_rail_limit", { rail: "SameDayAch", amountCents: 100_000_001 }],
    ["direction_not_supported", { rail: "Rtp", direction: "Debit" }],
    ["invalid_routing_number", { counterpartyRoutingNumber: "021000022" }],
    ["counterparty_account_missing", { counterpartyAccountNumber: undefined }],
    ["ledger_account_not_found", { ledgerAccountName: "Nowhere" }],
    ["effective_date_invalid", { effectiveDate: "2020-01-01" }],
  ])("refuses with %s what a submission would", async (code, change) => {
    await expectRefusal(preview(change), code);
  });
});
