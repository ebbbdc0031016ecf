/** Payments that a ledger of the release before Offset recorded as Suspended. */
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { PaymentSentBack } from "../../../contracts/messages/rails.ts";
import { holdOf, releaseOf, suspensePostingOf } from "../../../test/ledger/commands.ts";
import { Depositor } from "../../../test/ledger/inbound.ts";
import { openLedgerOfFile } from "../../../test/ledger/world.ts";
import { postJournals } from "../posting/post-journals.ts";
import { ReceiveReturns } from "./receive-returns.consumer.ts";

const ledger = await openLedgerOfFile();
const { units } = ledger.units;
const occurredAt = "2026-03-02T15:00:00.000Z";

/** Money that came back of an order that Suspense had paid, as the release before recorded it. */
async function suspendedOffset() {
  const acme = await Depositor.of(ledger);
  const { book } = acme.tenant;
  const orderId = newId("po");
  const { accountNumber } = await acme.aNumber();
  await acme.receives(acme.sent(accountNumber, "FUNDS"));
  const { ledgerAccountId } = await acme.theOnlyOne();
  const hold = holdOf(orderId, ledgerAccountId!, 5_000, { tenantId: acme.tenant.id });
  const commands = [hold, releaseOf(orderId), suspensePostingOf(orderId, 5_000)];
  await units.run(({ sql }) =>
    postJournals(
      sql,
      commands.map((command) => ({ book, command })),
    ),
  );
  const data = PaymentSentBack.data.parse({
    orderId,
    rail: "Wire",
    amountCents: 5_000,
    currency: "USD",
    bankReference: "IMAD-1",
    originatorName: "Ada Example",
    occurredAt,
  });
  const message = { id: newUuid(), time: occurredAt, book, subject: orderId, correlationid: "req_1" };
  await units.run((unit) =>
    new ReceiveReturns().onReturned([{ ...message, type: PaymentSentBack.type, data }], unit),
  );
  await ledger.superuser.query("alter table inbound_payment disable trigger inbound_payment_is_booked");
  await ledger.superuser.query(
    "update inbound_payment set status = 'Suspended' where book_id = $1 and status = 'Offset'",
    [uuidOf(book)],
  );
  await ledger.superuser.query("alter table inbound_payment enable always trigger inbound_payment_is_booked");
  return { acme, orderId, payment: (await acme.received({ status: "Suspended" }))[0]! };
}

describe("money that a release before `Offset` recorded as Suspended", () => {
  it("can't be assigned", async () => {
    const { acme, orderId, payment } = await suspendedOffset();
    expect(payment).toMatchObject({ status: "Suspended", reason: "ReturnOfPayment" });
    await expect(acme.assign(payment, "Deposits")).rejects.toMatchObject({
      code: "invalid_state_transition",
      context: { currentStatus: "Suspended", paymentOrderId: orderId },
    });
  });

  it("becomes Offset with the migration; other Suspended payments stay", async () => {
    const { acme, payment } = await suspendedOffset();
    await acme.receives(acme.sent("12345678901234567", "W1"));
    const migration = new URL("../store/migrations/0025-offset-inbound-payments.sql", import.meta.url);
    await ledger.superuser.query(await readFile(migration, "utf8"));
    expect(await acme.received({ status: "Offset" })).toEqual([{ ...payment, status: "Offset" }]);
    expect(await acme.received({ status: "Suspended" })).toMatchObject([{ bankReference: "W1" }]);
  });
});
