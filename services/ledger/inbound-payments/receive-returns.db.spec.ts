/** Money that comes back, but not as a return of an order. */
import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { newId, newUuid, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Message } from "../../../contracts/message.ts";
import { PaymentSentBack, UnmatchedReturnReceived } from "../../../contracts/messages/rails.ts";
import { holdOf, releaseOf, settlementOf, suspensePostingOf } from "../../../test/ledger/commands.ts";
import { Depositor } from "../../../test/ledger/inbound.ts";
import { codeOf } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile, someNumbers } from "../../../test/ledger/world.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { freeze } from "../audit/freeze-book.handler.ts";
import { ReplayDeferredCommands } from "../audit/replay-deferred-commands.worker.ts";
import { appendStateChange } from "../audit/store/freeze-log.ts";
import type { LedgerCommand } from "../book/commands.ts";
import { postJournals } from "../posting/post-journals.ts";
import { ReceiveReturns } from "./receive-returns.consumer.ts";

type Unmatched = Message<typeof UnmatchedReturnReceived>;
type SentBack = Message<typeof PaymentSentBack>;

const ledger = await openLedgerOfFile();
const { units } = ledger.units;
const receiving = new ReceiveReturns();
let acme: Depositor;
beforeEach(async () => {
  acme = await Depositor.of(ledger);
  await ledger.units.takeMessages();
});

const occurredAt = "2026-03-02T15:00:00.000Z";
const messageTo = (subject: string) => {
  return { id: newUuid(), time: occurredAt, book: acme.tenant.book, subject, correlationid: "req_1" };
};

/** A bank's return of 1,200.00 that is of no order. */
function unmatched(traceNumber: string, change: Partial<Unmatched["data"]> = {}): Unmatched {
  const data = UnmatchedReturnReceived.data.parse({
    rail: "Ach",
    direction: "Credit",
    amountCents: 120_000,
    currency: "USD",
    code: "R03",
    traceNumber,
    originalTraceNumber: "791010987654321",
    originatorName: "Blue Freight LLC",
    occurredAt,
    ...change,
  });
  return { ...messageTo(traceNumber), type: UnmatchedReturnReceived.type, data };
}

/** A wire of 1,200.00 that the receiver of an order sent back. */
function sentBack(orderId: PaymentOrderId, bankReference: string): SentBack {
  const data = PaymentSentBack.data.parse({
    orderId,
    rail: "Wire",
    amountCents: 120_000,
    currency: "USD",
    bankReference,
    originatorName: "Blue Freight LLC",
    occurredAt,
  });
  return { ...messageTo(bankReference), type: PaymentSentBack.type, data };
}

const receives = (...messages: (Unmatched | SentBack)[]) =>
  units.run((unit) => receiving.onReturned(messages, unit));
const journals = async () => {
  const { rows } = await ledger.superuser.query<{ kind: string }>(
    "select kind from journal where book_id = $1 order by seq",
    [uuidOf(acme.tenant.book)],
  );
  return rows.map(({ kind }) => kind);
};
/** An order whose hold took 1,200.00 from Deposits, all that it had, and what followed: by default it was paid. */
async function orderWith(
  follows = (orderId: PaymentOrderId): LedgerCommand[] => [settlementOf(orderId)],
): Promise<PaymentOrderId> {
  const { id: tenantId, book } = acme.tenant;
  const { accountNumber } = await acme.aNumber();
  await acme.receives(acme.sent(accountNumber, "FUNDS"));
  const { ledgerAccountId } = await acme.theOnlyOne();
  const orderId = newId("po");
  const commands = [holdOf(orderId, ledgerAccountId!, 120_000, { tenantId }), ...follows(orderId)];
  await units.run(({ sql }) =>
    postJournals(
      sql,
      commands.map((command) => ({ book, command })),
    ),
  );
  await ledger.units.takeMessages();
  return orderId;
}

describe("an unmatched return", () => {
  it.each([
    ["Credit", 120_000],
    ["Debit", -120_000],
  ] as const)("is booked to Suspense by a kind of its own: of a %s, %i cents", async (direction, cents) => {
    await receives(unmatched("T1", { direction }));
    expect(await acme.theOnlyOne()).toMatchObject({
      status: "Suspended",
      reason: "UnmatchedReturn",
      direction,
      bankReference: "T1",
      unmatchedReturn: { code: "R03", originalTraceNumber: "791010987654321" },
      returnsPaymentOrderId: null,
      returnCode: null,
      virtualAccountId: null,
      ledgerAccountId: null,
      accountNumber: "****",
    });
    expect(await acme.posted()).toEqual({ "Settlement cash": cents, Suspense: cents });
    expect(await journals()).toEqual(["UnmatchedReturn"]);
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
  });

  it("is reported to the tenant once", async () => {
    await receives(unmatched("T1"));
    const payment = await acme.theOnlyOne();
    expect(await ledger.units.takeMessages()).toMatchObject([
      {
        type: "ledger.inbound-payment-received.v1",
        subject: payment.id,
        data: {
          status: "Suspended",
          reason: "UnmatchedReturn",
          ledgerTransactionId: payment.ledgerTransactionId,
          unmatchedReturn: { code: "R03", originalTraceNumber: "791010987654321" },
        },
      },
    ]);
  });

  it("is booked once per trace number and code, however often the bank reports it", async () => {
    const first = unmatched("T1");
    await receives(first, unmatched("T1"));
    await receives(first);
    await receives(unmatched("T1"), unmatched("T1", { code: "R02" }), unmatched("T2"));
    expect((await acme.received()).map((payment) => payment.bankReference)).toEqual(["T2", "T1", "T1"]);
    expect(await journals()).toEqual(["UnmatchedReturn", "UnmatchedReturn", "UnmatchedReturn"]);
  });

  it("is booked once if two instances get it at the same time", async () => {
    await Promise.all([receives(unmatched("T1")), receives(unmatched("T1")), receives(unmatched("T1"))]);
    expect(await journals()).toEqual(["UnmatchedReturn"]);
    expect((await ledger.units.takeMessages()).length).toBe(1);
  });

  it("is not the inbound payment that has its trace number as its reference", async () => {
    await receives(unmatched("T1"));
    await acme.receives(acme.sent("12345678901234567", "T1"));
    await receives(unmatched("T1"));
    expect(await journals()).toEqual(["UnmatchedReturn", "Inbound"]);
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
  });

  it("is refused with another amount under a known trace number and code", async () => {
    await receives(unmatched("T1"));
    await expect(receives(unmatched("T1", { amountCents: 5 }))).rejects.toMatchObject({
      code: "command_conflict",
    });
  });

  it("of a book that does not exist is refused", async () => {
    const stranger = { ...unmatched("T1"), book: `book_${newId("ten").slice(4)}` as const };
    await expect(receives(stranger)).rejects.toMatchObject({ code: "book_not_found", permanent: true });
  });

  it("of a payment is assigned to an account like an inbound payment", async () => {
    await receives(unmatched("T1"));
    const found = await acme.assign(await acme.theOnlyOne(), "Deposits");
    expect(found).toMatchObject({ status: "Assigned", reason: "UnmatchedReturn" });
    expect(await acme.posted()).toEqual({ "Settlement cash": 120_000, Suspense: 0, Deposits: 120_000 });
    expect(await journals()).toEqual(["UnmatchedReturn", "Assign"]);
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
    expect(await codeOf(acme.assign(found, "Deposits"))).toBe("invalid_state_transition");
  });

  it("of a collection is charged to the account that it is assigned to, also below zero", async () => {
    await acme.tenant.creates("Careful", { overdraft: "Refused" });
    await receives(unmatched("T1", { direction: "Debit" }));
    await acme.assign(await acme.theOnlyOne(), "Careful");
    expect(await acme.posted()).toEqual({ "Settlement cash": -120_000, Suspense: 0, Careful: -120_000 });
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
  });

  it("of a frozen book waits, and is booked once the book is open", async () => {
    const { book } = acme.tenant;
    await units.run((unit) => freeze(unit, book, { reason: "a drill", actor: "test" }));
    await receives(unmatched("T1"));
    await receives(unmatched("T1"));
    await acme.receives(acme.sent("12345678901234567", "W1"));
    expect(await journals()).toEqual([]);
    await units.run(({ sql }) =>
      appendStateChange(sql, book, { state: "Releasing", reason: "over", actor: "test" }),
    );
    const log = pino({ level: "silent" });
    const { database } = ledger.units;
    const held = new ReplayDeferredCommands(units, database, someNumbers, new Metrics("ledger"), log);
    while ((await held.tick()) > 0);
    expect(await journals()).toEqual(["UnmatchedReturn", "Inbound"]);
  });
});

describe("a payment that its receiver sent back", () => {
  it("is an inbound payment on the account that had paid", async () => {
    const orderId = await orderWith();
    await receives(sentBack(orderId, "IMAD-1"));
    const [payment] = await acme.received();
    expect(payment).toMatchObject({
      status: "Attributed",
      reason: null,
      direction: "Credit",
      rail: "Wire",
      returnsPaymentOrderId: orderId,
      unmatchedReturn: null,
      virtualAccountId: null,
      bankReference: "IMAD-1",
    });
    expect(await acme.posted()).toEqual({ "Settlement cash": 120_000, Deposits: 120_000 });
    expect(await journals()).toEqual(["Inbound", "Hold", "Settle", "Inbound"]);
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
  });

  it("is reported to the tenant and to the order, once", async () => {
    const orderId = await orderWith();
    const message = sentBack(orderId, "IMAD-1");
    await Promise.all([receives(message), receives(message), receives(sentBack(orderId, "IMAD-1"))]);
    const [payment] = await acme.received();
    const published = await ledger.units.takeMessages();
    expect(published.map(({ type, subject }) => `${type} ${subject}`).toSorted()).toEqual([
      `ledger.inbound-payment-received.v1 ${payment?.id ?? ""}`,
      `ledger.sent-back-posted.v1 ${orderId}`,
    ]);
    expect(published).toContainEqual(
      expect.objectContaining({ data: { orderId, inboundPaymentId: payment?.id, isHoldKept: false } }),
    );
    expect(await journals()).toEqual(["Inbound", "Hold", "Settle", "Inbound"]);
  });

  it("goes to Suspense if that account is closed, until it is assigned", async () => {
    const orderId = await orderWith();
    await acme.closesLedgerAccount("Deposits");
    await receives(sentBack(orderId, "IMAD-1"));
    const [payment] = await acme.received();
    expect(payment).toMatchObject({
      status: "Suspended",
      reason: "LedgerAccountClosed",
      returnsPaymentOrderId: orderId,
    });
    await acme.tenant.creates("Other");
    await acme.assign(payment!, "Other");
    expect(await acme.posted()).toMatchObject({ Suspense: 0, Other: 120_000 });
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
  });

  it("goes to Suspense if the bank paid it after its hold was released: Suspense had paid", async () => {
    const orderId = await orderWith((id) => [releaseOf(id), suspensePostingOf(id, 120_000)]);
    expect(await acme.posted()).toMatchObject({ Suspense: -120_000, Deposits: 120_000 });
    await receives(sentBack(orderId, "IMAD-1"));
    const [payment] = await acme.received();
    expect(payment).toMatchObject({ status: "Offset", reason: "ReturnOfPayment", ledgerAccountId: null });
    expect(await acme.received({ status: "Suspended" })).toEqual([]);
    expect(await acme.received({ status: "Offset" })).toEqual([payment]);
    const asBefore = { "Settlement cash": 120_000, Suspense: 0, Deposits: 120_000 };
    expect(await acme.posted()).toEqual(asBefore);
    // It has made up for what Suspense had paid, so nobody else may have it.
    await expect(acme.assign(payment!, "Deposits")).rejects.toMatchObject({
      code: "invalid_state_transition",
      context: { currentStatus: "Offset", allowedStatuses: ["Suspended"] },
    });
    expect(await acme.posted()).toEqual(asBefore);
    expect(await journals()).toEqual(["Inbound", "Hold", "Release", "Post", "Inbound"]);
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
  });

  it("is listed from its own createdAt on", async () => {
    await receives(sentBack(newId("po"), "IMAD-1"));
    const { createdAt } = await acme.theOnlyOne();
    expect(await acme.received({ "createdAt[gte]": createdAt })).toHaveLength(1);
    expect(await acme.received({ "createdAt[lt]": createdAt })).toEqual([]);
  });

  it("goes to Suspense if the order is not of this book", async () => {
    const orderId = await orderWith();
    const other = await Depositor.of(ledger);
    await receives({ ...sentBack(orderId, "IMAD-1"), book: other.tenant.book });
    const payment = await other.theOnlyOne();
    expect(payment).toMatchObject({ status: "Suspended", reason: "ReturnOfPayment" });
    await other.tenant.creates("Other");
    expect(await other.assign(payment, "Other")).toMatchObject({ status: "Assigned" });
  });
});
