/** Orders whose money the receiver has sent back, although the bank says that it did not pay. */
import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { derivedUuid, newId, newUuid, type PaymentOrderId } from "../../../contracts/ids/ids.ts";
import type { Message } from "../../../contracts/message.ts";
import { ReleaseHold } from "../../../contracts/messages/ledger.ts";
import { PaymentSentBack } from "../../../contracts/messages/rails.ts";
import { holdOf } from "../../../test/ledger/commands.ts";
import { Depositor } from "../../../test/ledger/inbound.ts";
import { openLedgerOfFile, someNumbers } from "../../../test/ledger/world.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { freeze } from "../audit/freeze-book.handler.ts";
import { ReplayDeferredCommands } from "../audit/replay-deferred-commands.worker.ts";
import { appendStateChange } from "../audit/store/freeze-log.ts";
import { ReceiveReturns } from "../inbound-payments/receive-returns.consumer.ts";
import { PostCommands } from "./post-commands.consumer.ts";
import { postJournals } from "./post-journals.ts";

type Release = Message<typeof ReleaseHold>;

const ledger = await openLedgerOfFile();
const { units } = ledger.units;
const receiving = new ReceiveReturns();
const posting = new PostCommands(new Metrics("ledger"));
const occurredAt = "2026-03-02T15:00:00.000Z";
let acme: Depositor;
/** Each has a hold of 500.00 on Deposits, which had 1,200.00. */
let [order, other]: PaymentOrderId[] = [];

beforeEach(async () => {
  acme = await Depositor.of(ledger);
  const { id: tenantId, book } = acme.tenant;
  const { accountNumber } = await acme.aNumber();
  await acme.receives(acme.sent(accountNumber, "FUNDS"));
  const { ledgerAccountId } = await acme.theOnlyOne();
  [order, other] = [newId("po"), newId("po")];
  const commands = [order, other].map((id) => holdOf(id, ledgerAccountId!, 50_000, { tenantId }));
  await units.run(({ sql }) =>
    postJournals(
      sql,
      commands.map((command) => ({ book, command })),
    ),
  );
  await ledger.units.takeMessages();
});

const messageTo = (subject: string) => {
  return { id: newUuid(), time: occurredAt, book: acme.tenant.book, subject, correlationid: "req_1" };
};

function releaseOf(orderId: PaymentOrderId, change: Partial<Release["data"]> = { unpaid: true }): Release {
  const commandId = derivedUuid(orderId, "release");
  const data = { commandId, orderId, effectiveAt: occurredAt, ...change };
  return { ...messageTo(orderId), type: ReleaseHold.type, data };
}

const releases = (...messages: Release[]) => units.run((unit) => posting.onCommands(messages, unit));

/** The order's receiver sends its 500.00 back. */
async function sendsBack(orderId: PaymentOrderId, bankReference = "IMAD-1"): Promise<void> {
  const data = PaymentSentBack.data.parse({
    orderId,
    rail: "Wire",
    amountCents: 50_000,
    currency: "USD",
    bankReference,
    originatorName: "Blue Freight LLC",
    occurredAt,
  });
  const message = { ...messageTo(bankReference), type: PaymentSentBack.type, data };
  await units.run((unit) => receiving.onReturned([message], unit));
}

/** The messages to orders, oldest first. */
const sentToOrders = async () =>
  (await ledger.units.takeMessages())
    .filter(({ subject }) => subject === order || subject === other)
    .map(({ type, subject, data }) => ({ type, subject, data }));

async function available(): Promise<number> {
  const { ledgerAccountId } = (await acme.received({ bankReference: "FUNDS" }))[0]!;
  return (await acme.tenant.balanceOf(ledgerAccountId!))[3]!;
}

describe("a hold whose money came back, although the bank says that it did not pay", () => {
  it("stays, so that the payer has the money once", async () => {
    await sendsBack(order!);
    expect(await available()).toBe(70_000);
    await releases(releaseOf(order!));
    expect(await available()).toBe(70_000);
    expect(await acme.posted()).toEqual({ "Settlement cash": 170_000, Deposits: 170_000 });
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
  });

  it("is reported with the payment that came back, each time that orders asks for its release", async () => {
    await sendsBack(order!);
    const inboundPaymentId = (await acme.received({ bankReference: "IMAD-1" }))[0]!.id;
    const posted = (isHoldKept: boolean) => ({
      type: "ledger.sent-back-posted.v1",
      subject: order,
      data: { orderId: order, inboundPaymentId, isHoldKept },
    });
    expect(await sentToOrders()).toEqual([posted(false)]);
    await releases(releaseOf(order!));
    await releases(releaseOf(order!));
    expect(await sentToOrders()).toEqual([posted(true), posted(true)]);
  });

  it("stays if several payments came back, and the first one answers", async () => {
    await sendsBack(order!);
    await sendsBack(order!, "IMAD-2");
    const first = (await acme.received()).find(({ bankReference }) => bankReference === "IMAD-1");
    await ledger.units.takeMessages();
    await releases(releaseOf(order!));
    expect(await sentToOrders()).toMatchObject([{ data: { inboundPaymentId: first?.id } }]);
  });

  it("holds up no other order of its batch", async () => {
    await sendsBack(order!);
    await ledger.units.takeMessages();
    await releases(releaseOf(other!), releaseOf(order!));
    const sent = await sentToOrders();
    expect(sent).toHaveLength(2);
    expect(sent).toContainEqual(expect.objectContaining({ type: "ledger.hold-released.v1", subject: other }));
    expect(sent).toContainEqual(
      expect.objectContaining({ type: "ledger.sent-back-posted.v1", subject: order }),
    );
    expect(await available()).toBe(120_000);
  });

  it("stays if the book was frozen when both were reported", async () => {
    const { book } = acme.tenant;
    await units.run((unit) => freeze(unit, book, { reason: "a drill", actor: "test" }));
    await sendsBack(order!);
    await releases(releaseOf(order!));
    await units.run(({ sql }) =>
      appendStateChange(sql, book, { state: "Releasing", reason: "over", actor: "test" }),
    );
    const log = pino({ level: "silent" });
    const { database } = ledger.units;
    const deferred = new ReplayDeferredCommands(units, database, someNumbers, new Metrics("ledger"), log);
    while ((await deferred.tick()) > 0);
    expect(await available()).toBe(70_000);
  });

  it("stays if the payment came first; if the release came first, the payment is Offset", async () => {
    await Promise.all([sendsBack(order!), releases(releaseOf(order!))]);
    const [payment] = await acme.received({ bankReference: "IMAD-1" });
    expect(["Attributed", "Offset"]).toContain(payment?.status);
    // Kept: 1,200.00 and what came back, less both holds. Released: what came back is in Suspense.
    expect(await available()).toBe(70_000);
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
  });
});

describe("a hold is released", () => {
  it("if nothing came back", async () => {
    await releases(releaseOf(order!));
    expect(await sentToOrders()).toMatchObject([{ type: "ledger.hold-released.v1" }]);
    expect(await available()).toBe(70_000);
  });

  it("if the bank returned what had settled, whatever the receiver sent back besides", async () => {
    await sendsBack(order!);
    await releases(releaseOf(order!, {}));
    expect(await available()).toBe(120_000);
  });

  it("once, also if an instance of the previous release released it after its payment came", async () => {
    await sendsBack(order!);
    await releases(releaseOf(order!, {}));
    await ledger.units.takeMessages();
    await releases(releaseOf(order!));
    expect(await sentToOrders()).toMatchObject([{ type: "ledger.hold-released.v1" }]);
    expect(await available()).toBe(120_000);
  });

  it("once, also if its payment comes back afterwards: that is nobody's", async () => {
    await releases(releaseOf(order!));
    await sendsBack(order!);
    await releases(releaseOf(order!));
    const sent = await sentToOrders();
    expect(sent.map(({ type }) => type)).toEqual([
      "ledger.hold-released.v1",
      "ledger.sent-back-posted.v1",
      "ledger.hold-released.v1",
    ]);
    expect(sent[1]).toMatchObject({ data: { isHoldKept: false } });
    expect(await available()).toBe(70_000);
  });
});
