import { describe, expect, it } from "vitest";
import { idOf } from "../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import type { Rail } from "../../../contracts/rails/rails.ts";
import { anOrderIn } from "../../../test/stack/orders/payment-order.ts";
import { OutboxWriter } from "../../platform/outbox/outbox.ts";
import { addCommand } from "./compose-commands.ts";
import type { CommandName } from "../order/lifecycle.ts";
import type { PaymentOrder, Phase } from "../order/payment-order.ts";

/** The message that a command about an order puts into the outbox. */
async function sent(name: CommandName, order: PaymentOrder): Promise<AnyMessage> {
  const outbox = new OutboxWriter(1);
  addCommand(outbox, name, order, { id: "cause", correlationid: "req-1" });
  const [row] = await outbox.write(() => Promise.resolve([]));
  return JSON.parse(row?.messages ?? "null") as AnyMessage;
}

const someReturn = {
  id: idOf("ret", "019c0000-0000-7000-8000-0000000000b1"),
  code: "R02",
  reason: "AccountClosed",
  traceNumber: "7",
  receivedAt: "2026-03-04T18:00:00.000Z",
  late: true,
};

describe("a command to the ledger", () => {
  it("is the same command whenever it is sent: its id derives from order and step, its time from the first sending", async () => {
    const order = anOrderIn("Settling", {
      progress: { ledger: { sentAt: { SettleHold: "2026-03-04T17:00:00.000Z" } } },
    });
    const first = await sent("SettleHold", order);
    const again = await sent("SettleHold", { ...order, updatedAt: new Date("2026-03-05T09:00:00.000Z") });
    expect(first.data).toEqual({
      commandId: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-5/),
      orderId: order.id,
      effectiveAt: "2026-03-04T17:00:00.000Z",
    });
    expect(again.data).toEqual(first.data);
    expect(again.id).not.toBe(first.id);
  });

  it("books an unexpected movement of USDC against the wallet, under the movement's own id", async () => {
    const commandId = "019c0000-0000-5000-8000-0000000000d1";
    const movement = {
      movement: "Return",
      returnCode: "R03",
      commandId,
      ledgerTransactionId: idOf("lt", commandId),
      at: "2026-03-04T17:00:00.000Z",
    } as const;
    const order = anOrderIn("Returned", {
      terms: { rail: "Usdc" },
      progress: { rail: { unexpectedMovements: [movement] } },
    });
    expect((await sent("PostToSuspense", order)).data).toEqual({
      commandId,
      orderId: order.id,
      transactionId: idOf("lt", commandId),
      movement: "Return",
      direction: "Credit",
      amountCents: 1_250,
      currency: "USD",
      contra: { kind: "StablecoinWallet" },
      effectiveAt: "2026-03-04T17:00:00.000Z",
    });
  });

  it("about a remittance names the obligation, and why its hold is released", async () => {
    const obligationId = idOf("ob", "019c0000-0000-7000-8000-0000000000e1");
    const { traceNumber, ...sentReturn } = someReturn;
    const terms = { obligationId };
    const progress = { rail: { return: { ...sentReturn, traceNumber } } };
    expect((await sent("PlaceHold", anOrderIn("ReservingFunds", { terms }))).data).toMatchObject({
      contra: { kind: "Obligation", obligationId },
    });
    for (const cause of ["Failed", "Cancelled"] as const) {
      const { data } = await sent("ReleaseHold", anOrderIn(`ReleasingAs${cause}`, { terms }));
      expect(data).toMatchObject({ cause });
      expect(data).not.toHaveProperty("return");
    }
    const returned = anOrderIn("ReleasingAsReturned", { terms, progress });
    expect((await sent("ReleaseHold", returned)).data).toMatchObject({
      cause: "Returned",
      return: sentReturn,
    });
    const late = anOrderIn("PostingLateReturn", { terms, progress });
    expect((await sent("PostLateReturn", late)).data).toMatchObject({
      returnId: sentReturn.id,
      return: sentReturn,
    });
  });

  it("about any other order names neither", async () => {
    const order = anOrderIn("ReleasingAsCancelled");
    expect(Object.keys((await sent("ReleaseHold", order)).data as object)).toEqual([
      "commandId",
      "orderId",
      "effectiveAt",
    ]);
  });

  it("to release a hold says whether the bank did not pay: it failed, or was returned before it settled", async () => {
    const isUnpaid = async (phase: Phase, settledAt: string | null = null) =>
      "unpaid" in
      ((await sent("ReleaseHold", anOrderIn(phase, { progress: { rail: { settledAt } } }))).data as object);
    expect(await isUnpaid("ReleasingAsFailed")).toBe(true);
    expect(await isUnpaid("ReleasingAsReturned")).toBe(true);
    expect(await isUnpaid("ReleasingAsReturned", "2026-03-04T17:00:00.000Z")).toBe(false);
    expect(await isUnpaid("ReleasingAsCancelled")).toBe(false);
  });

  it("has another id for every step", async () => {
    const order = anOrderIn("PostingLateReturn", { progress: { rail: { return: someReturn } } });
    const names: CommandName[] = ["PlaceHold", "SettleHold", "ReleaseHold", "PostLateReturn"];
    const events = await Promise.all(names.map((name) => sent(name, order)));
    const ids = events.map(({ data }) => (data as { commandId: string }).commandId);
    expect(new Set(ids).size).toBe(4);
    expect(events[3]?.data).toMatchObject({ returnId: someReturn.id });
  });

  it.each([
    ["Ach", { kind: "SettlementCash" }],
    ["Wire", { kind: "SettlementCash" }],
    ["Usdc", { kind: "StablecoinWallet" }],
    ["Book", { kind: "LedgerAccount", ledgerAccountId: idOf("la", "019c0000-0000-7000-8000-000000000002") }],
  ] as const)("holds the money of %s against the right contra account", async (rail, contra) => {
    const counterpartyLedgerAccountId = "ledgerAccountId" in contra ? contra.ledgerAccountId : null;
    const order = anOrderIn("ReservingFunds", { terms: { rail, counterpartyLedgerAccountId } });
    const { data, subject, correlationid, causationid } = await sent("PlaceHold", order);
    expect(data).toMatchObject({ direction: "Credit", amountCents: 1_250, currency: "USD", contra });
    expect([subject, correlationid, causationid]).toEqual([order.id, "req-1", "cause"]);
  });
});

describe("an instruction", () => {
  it("carries the encrypted account number, under the order's id", async () => {
    const order = anOrderIn("HandingOff", { terms: { statementDescriptor: "RENT" } });
    expect((await sent("SubmitInstruction", order)).data).toEqual({
      orderId: order.id,
      mode: "Test",
      rail: "Ach",
      direction: "Credit",
      amountCents: 1_250,
      currency: "USD",
      counterpartyName: "Blue Freight",
      counterpartyAccountNumber: { keyId: "k1", ciphertext: "c2VhbGVk", last4: "6789" },
      counterpartyRoutingNumber: "021000021",
      statementDescriptor: "RENT",
    });
  });

  it.each<[Rail, string]>([
    ["Ach", "RENT MAY"],
    ["SameDayAch", "RENT MAY"],
    ["Wire", "Rent May"],
  ])("of %s carries its text as a file of the rail does: %s", async (rail, statementDescriptor) => {
    const order = anOrderIn("HandingOff", { terms: { rail, statementDescriptor: "Rent May" } });
    expect((await sent("SubmitInstruction", order)).data).toMatchObject({ statementDescriptor });
  });

  it("is inquired by that id, with its mode and rail", async () => {
    const order = anOrderIn("HandingOff");
    expect((await sent("InquireInstruction", order)).data).toEqual({
      orderId: order.id,
      mode: "Test",
      rail: "Ach",
    });
  });

  it("throws for an order without a counterparty's account", async () => {
    const order = anOrderIn("HandingOff", { terms: { counterpartyAccount: null } });
    await expect(sent("SubmitInstruction", order)).rejects.toThrow(/lacks a field/);
  });
});
