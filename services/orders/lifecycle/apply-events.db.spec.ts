import { describe, expect, it } from "vitest";
import { derivedUuid, idOf, newId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  LateReturnPosted,
  PostLateReturn,
  PostToSuspense,
  SuspensePosted,
} from "../../../contracts/messages/ledger.ts";
import { InstructionFailed, InstructionReturned } from "../../../contracts/messages/rails.ts";
import { OrderStatusChanged } from "../../../contracts/messages/orders.ts";
import { ledgerEvent, OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { until } from "../../../test/stack/until.ts";
import { ResendSuspensePostings } from "../unexpected-movements/suspense-postings.worker.ts";

// The Instant clock: rail windows are always open, and an ACH order completes at once.
const orders = new OrdersOnTest(2);

const occurredAt = "2026-03-04T17:00:00.000Z";
const returned = (orderId: PaymentOrderId) => {
  const data = { orderId, number: 3, occurredAt, code: "R02", traceNumber: "021000020000001" };
  return orders.publish(InstructionReturned, orderId, data);
};

const deferred = (id: PaymentOrderId) =>
  orders.sql("select 1 from deferred_event where order_id = $1", [uuidOf(id)]);
const parked = (id: PaymentOrderId) =>
  orders.sql<{ reason: string }>("select reason from parked_event where order_id = $1", [id]);
/** The data of each PostToSuspense command of the order, in order. */
const suspenseCommands = async (id: PaymentOrderId) =>
  (await orders.published(id, PostToSuspense)).map(({ data }) => data);
const resendAfter = (ms: number) =>
  orders.get(ResendSuspensePostings).resendUnposted(new Date(Date.now() + ms));

const movementOf = (id: PaymentOrderId) => ({
  movement: "Settlement",
  returnCode: null,
  commandId: derivedUuid(id, "suspense/settlement"),
  ledgerTransactionId: newId("lt"),
  at: occurredAt,
});
/** Gives an order these unexpected movements, and parks an event for them. */
const park = (id: PaymentOrderId, movements: unknown) =>
  orders.sql(
    `with changed as (
       update payment_order
       set progress = jsonb_set(progress, '{rail,unexpectedMovements}', $2)
       where id = $1
       returning book_id
     )
     insert into parked_event (message_id, book_id, order_id, reason, event, ledger_transaction_id)
     select gen_random_uuid(), book_id, $3, 'test', '{}', gen_random_uuid() from changed`,
    [uuidOf(id), JSON.stringify(movements), id],
  );

describe("an order under way", () => {
  it("goes from create to Completed, each command after the event that allows it", async () => {
    const { id } = await orders.create({ rail: "Rtp" });
    expect(await orders.commandNames(id)).toEqual(["place-hold"]);
    await orders.holdPlaced(id);
    await orders.untilStatus(id, "Processing");
    expect(await orders.commandNames(id)).toEqual(["place-hold", "submit-instruction"]);
    await orders.instructionAccepted(id);
    await orders.untilPhase(id, "InFlight");
    await orders.instructionSettled(id);
    await orders.untilPhase(id, "Settling");
    expect(await orders.commandNames(id)).toEqual(["place-hold", "submit-instruction", "settle-hold"]);
    await orders.holdSettled(id);
    const done = await orders.untilStatus(id, "Completed");
    expect(done).toMatchObject({ railReference: { traceNumber: "7" }, cancellable: false });
    expect(done.statusHistory.map(({ to }) => to)).toEqual([
      "Draft",
      "Submitted",
      "Pending",
      "Processing",
      "Completed",
    ]);
  });

  it("publishes every status once, numbered without a gap", async () => {
    const { id } = await orders.create({
      rail: "Book",
      counterpartyAccountNumber: orders.encrypt("Reserve"),
    });
    await orders.holdPlaced(id);
    await orders.holdSettled(id);
    await orders.untilStatus(id, "Completed");
    const events = await orders.published(id, OrderStatusChanged);
    expect(events.map(({ sequence, data }) => [sequence, (data as { status: string }).status])).toEqual([
      [1, "Submitted"],
      [2, "Pending"],
      [3, "Processing"],
      [4, "Completed"],
    ]);
    expect(await orders.commandNames(id)).toEqual(["place-hold", "settle-hold"]);
  });

  it("fails with the ledger's code when its hold is refused", async () => {
    const { id } = await orders.create();
    await orders.holdRefused(id);
    expect(await orders.untilStatus(id, "Failed")).toMatchObject({
      failure: { code: "insufficient_funds", message: "It lacks 1.00." },
    });
  });

  it("moves with a hundred others in one message", async () => {
    const created = await Promise.all(Array.from({ length: 100 }, () => orders.create()));
    await orders.holdPlaced(...created.map(({ id }) => id));
    const handedOff = () =>
      orders.sql("select 1 from payment_order where phase = 'HandingOff' and id = any ($1)", [
        created.map(({ id }) => uuidOf(id)),
      ]);
    await expect.poll(async () => (await handedOff()).length).toBe(100);
  });
});

describe("events that come before their phase", () => {
  it("are deferred, and replayed one after the other in the transaction that brings their phase", async () => {
    const { id } = await orders.create();
    await orders.holdSettled(id);
    await orders.instructionSettled(id);
    await orders.instructionAccepted(id);
    await until(async () => (await deferred(id)).length === 3);
    expect(await orders.phaseOf(id)).toBe("ReservingFunds");
    await orders.holdPlaced(id);
    await orders.untilStatus(id, "Completed");
    expect(await orders.commandNames(id)).toEqual(["place-hold", "submit-instruction", "settle-hold"]);
    expect([await deferred(id), await parked(id)]).toEqual([[], []]);
  });

  it("are a late return if they come while the hold is being settled", async () => {
    const { id } = await orders.create();
    await orders.holdPlaced(id);
    await orders.instructionAccepted(id);
    await orders.instructionSettled(id);
    await orders.untilPhase(id, "Settling");
    await returned(id);
    await until(async () => (await deferred(id)).length === 1);
    await orders.holdSettled(id);
    await orders.untilPhase(id, "PostingLateReturn");
    expect((await orders.read(id)).return).toBeNull();
    const [command] = await orders.published(id, PostLateReturn);
    const { returnId } = command!.data as { returnId: `ret_${string}` };
    await orders.publish(LateReturnPosted, id, { ...ledgerEvent(id, "late-return"), returnId });
    await orders.untilPhase(id, "Completed");
    expect(await orders.read(id)).toMatchObject({
      status: "Completed",
      return: { id: returnId, code: "R02", reason: "AccountClosed", late: true },
    });
    const last = (await orders.published(id)).at(-1);
    expect(last).toMatchObject({
      sequence: 5,
      data: { status: "Completed", previousStatus: "Completed", late: true, return: { code: "R02" } },
    });
    expect(await deferred(id)).toEqual([]);
  });
});

describe("events that fit nothing", () => {
  it("are parked for a person, and the order does not change", async () => {
    const { id } = await orders.create();
    await orders.holdRefused(id);
    await orders.untilStatus(id, "Failed");
    await orders.instructionSettled(id);
    await until(async () => (await parked(id)).length === 1);
    expect(await parked(id)).toEqual([
      { reason: "rails.instruction-settled.v1 is expected neither in Failed nor in a later phase" },
    ]);
    expect((await orders.read(id)).status).toBe("Failed");
  });

  it("are booked to Suspense if the bank moved money, once however often it reports it", async () => {
    const { id } = await orders.create({ rail: "Rtp" });
    await orders.holdPlaced(id);
    const rejection = { orderId: id, number: 1, occurredAt, code: "AC04", message: "Closed" };
    await orders.publish(InstructionFailed, id, rejection);
    await orders.holdReleased(id);
    await orders.untilStatus(id, "Failed");
    await orders.instructionSettled(id);
    await orders.instructionSettled(id);
    await until(async () => (await parked(id)).length === 1);
    const failed = await orders.read(id);
    expect(failed).toMatchObject({
      status: "Failed",
      strayMovements: [{ movement: "Settlement", returnCode: null }],
    });
    const commandId = derivedUuid(id, "suspense/settlement");
    const transactionId = idOf("lt", commandId);
    const sent = await suspenseCommands(id);
    expect(sent).toEqual([
      {
        commandId,
        orderId: id,
        transactionId,
        movement: "Settlement",
        direction: "Credit",
        amountCents: 1_250,
        currency: "USD",
        contra: { kind: "SettlementCash" },
        effectiveAt: failed.strayMovements?.[0]?.at,
      },
    ]);

    await resendAfter(59_000);
    expect(await suspenseCommands(id)).toHaveLength(1);
    await resendAfter(61_000);
    expect(await suspenseCommands(id)).toEqual([sent[0], sent[0]]);

    await orders.publish(SuspensePosted, id, { orderId: id, commandId, transactionId, sequence: 7 });
    const journals = () =>
      orders.sql<{ journal_sequence: bigint; ledger_transaction_id: string }>(
        "select journal_sequence, ledger_transaction_id from parked_event where order_id = $1",
        [id],
      );
    await until(async () => (await journals())[0]?.journal_sequence !== null);
    expect(await journals()).toEqual([
      { journal_sequence: 7n, ledger_transaction_id: uuidOf(transactionId) },
    ]);
    await resendAfter(3_600_000);
    expect(await suspenseCommands(id)).toHaveLength(2);
  });

  it("are resent although an order of another book is damaged", async () => {
    const { id } = await orders.create({ rail: "Rtp" });
    await orders.holdRefused(id);
    await orders.untilStatus(id, "Failed");
    const damaged = await orders.create({}, { caller: orders.stranger() });
    await park(damaged.id, 7);
    await park(id, [movementOf(id)]);
    await resendAfter(61_000);
    expect(await suspenseCommands(id)).toHaveLength(1);
  });

  it("are resent although more than a page of others is never posted", async () => {
    const { id } = await orders.create({ rail: "Rtp" });
    await orders.holdRefused(id);
    await orders.untilStatus(id, "Failed");
    await orders.sql(
      `insert into parked_event (message_id, book_id, order_id, reason, event, ledger_transaction_id)
       select lpad(n::text, 32, '0')::uuid, lpad('1', 32, '0')::uuid, $1, 'test', '{}', gen_random_uuid()
       from generate_series(1, 200) n`,
      [newId("po")],
    );
    await park(id, [movementOf(id)]);
    while ((await resendAfter(61_000)) > 0);
    expect(await suspenseCommands(id)).toHaveLength(1);
    await orders.sql("update parked_event set journal_sequence = 0 where book_id = lpad('1', 32, '0')::uuid");
  });

  it("are parked if there is no such order in that book", async () => {
    const nobody = newId("po");
    await orders.instructionSettled(nobody);
    await until(async () => (await parked(nobody)).length === 1);
    expect(await parked(nobody)).toEqual([{ reason: "there is no such order in this book" }]);
  });

  it("are ignored if they repeat what is known, even under new message ids", async () => {
    const { id } = await orders.create();
    await orders.holdPlaced(id);
    await orders.holdPlaced(id);
    await orders.instructionAccepted(id);
    await orders.untilPhase(id, "InFlight");
    await orders.instructionAccepted(id);
    await orders.instructionSettled(id);
    await orders.instructionSettled(id);
    await orders.holdSettled(id);
    await orders.untilStatus(id, "Completed");
    expect(await orders.commandNames(id)).toEqual(["place-hold", "submit-instruction", "settle-hold"]);
    expect([await deferred(id), await parked(id)]).toEqual([[], []]);
  });
});
