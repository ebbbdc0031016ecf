import { beforeEach, describe, expect, it } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { InboundPaymentReceived } from "../../../contracts/messages/inbound.ts";
import { Depositor } from "../../../test/ledger/inbound.ts";
import { requestBy } from "../../../test/ledger/requests.ts";
import { refusalOf, openLedgerOfFile, sqlOn } from "../../../test/ledger/world.ts";
import { withGuardsOff } from "../../../test/stack/database/guards-off.ts";

let acme: Depositor;
const ledger = await openLedgerOfFile();
beforeEach(async () => {
  acme = await Depositor.of(ledger);
  await ledger.units.takeMessages();
});

describe("an inbound payment", () => {
  it("is booked to the ledger account of its number, and to cash", async () => {
    const virtual = await acme.aNumber();
    await acme.receives(acme.sent(virtual.accountNumber, "W1"));
    const payment = await acme.theOnlyOne();
    expect(payment).toMatchObject({
      status: "Attributed",
      reason: null,
      returnCode: null,
      virtualAccountId: virtual.id,
      ledgerAccountId: virtual.ledgerAccountId,
      accountNumber: `****${virtual.accountNumber.slice(-4)}`,
      accountNumberLast4: virtual.accountNumber.slice(-4),
      bankReference: "W1",
      amountCents: 120_000,
      originatorName: "Blue Freight LLC",
      occurredAt: "2026-03-02T15:00:00.000Z",
      assignment: null,
    });
    expect(await acme.payments.get({ id: payment.id }, acme.context)).toEqual(payment);
    expect(await acme.posted()).toEqual({ "Settlement cash": 120_000, Deposits: 120_000 });
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
  });

  it("over Usdc is booked to the wallet", async () => {
    const { accountNumber } = await acme.aNumber();
    await acme.receives(acme.sent(accountNumber, "0xabc", { rail: "Usdc" }));
    expect(await acme.posted()).toEqual({ "Stablecoin wallet": 120_000, Deposits: 120_000 });
  });

  it("is published once, without the account number", async () => {
    const { id, accountNumber, ledgerAccountId } = await acme.aNumber();
    const message = acme.sent(accountNumber, "W1");
    await acme.receives(message, message);
    await acme.receives(message);
    const payment = await acme.theOnlyOne();
    const published = await ledger.units.takeMessages();
    expect(
      published.map(({ type, subject, causationid, data }) => ({ type, subject, causationid, data })),
    ).toEqual([
      {
        type: InboundPaymentReceived.type,
        subject: payment.id,
        causationid: message.id,
        data: {
          inboundPaymentId: payment.id,
          status: "Attributed",
          reason: null,
          virtualAccountId: id,
          ledgerAccountId,
          ledgerTransactionId: payment.ledgerTransactionId,
          rail: "Rtp",
          direction: "Credit",
          amountCents: 120_000,
          currency: "USD",
          originatorName: "Blue Freight LLC",
          bankReference: "W1",
          returnsPaymentOrderId: null,
          unmatchedReturn: null,
          occurredAt: "2026-03-02T15:00:00.000Z",
        },
      },
    ]);
    expect(JSON.stringify(published)).not.toContain(accountNumber);
  });

  it.each([
    ["a number that nobody has", "UnknownNumber", () => Promise.resolve("12345678901234567")],
    [
      "a number of another book",
      "UnknownNumber",
      async () => (await (await Depositor.of(ledger)).aNumber()).accountNumber,
    ],
    [
      "a number that is disabled",
      "VirtualAccountDisabled",
      async () => {
        const made = await acme.aNumber();
        await acme.change(made, "Disable");
        return made.accountNumber;
      },
    ],
    [
      "a number that is closed",
      "VirtualAccountClosed",
      async () => {
        const made = await acme.aNumber();
        await acme.change(made, "Close");
        return made.accountNumber;
      },
    ],
    [
      "a ledger account that is closed",
      "LedgerAccountClosed",
      async () => {
        await acme.tenant.creates("Old");
        const { accountNumber } = await acme.aNumber({ ledgerAccountName: "Old" });
        await acme.closesLedgerAccount("Old");
        return accountNumber;
      },
    ],
  ])("for %s goes to Suspense, with the reason", async (_what, reason, number) => {
    await acme.receives(acme.sent(await number(), "W1"));
    expect(await acme.theOnlyOne()).toMatchObject({ status: "Suspended", reason, ledgerAccountId: null });
    expect(await acme.posted()).toEqual({ "Settlement cash": 120_000, Suspense: 120_000 });
    expect(await ledger.faults(acme.tenant.book)).toEqual([]);
  });

  it("is booked in a book that has no account yet", async () => {
    const stranger = await Depositor.of(ledger);
    const message = { ...acme.sent("12345678", "W1") };
    const tenantId = newId("ten");
    const { book } = requestBy(tenantId).caller;
    await stranger.receives({ ...message, book, data: { ...message.data, tenantId } });
    const { data } = await acme.payments.list({ limit: 10 }, requestBy(tenantId));
    expect(data).toMatchObject([{ status: "Suspended", reason: "UnknownNumber" }]);
  });

  it("goes to Suspense if its account's balance would exceed what a JSON number holds", async () => {
    const virtual = await acme.aNumber();
    const most = Number.MAX_SAFE_INTEGER;
    const run = sqlOn(ledger.superuser);
    const filled = "update account_balance set posted_credit = $2 where book_id = $1 and account_id = $3";
    await withGuardsOff(run, "ledger", () =>
      run(filled, [uuidOf(acme.tenant.book), most, uuidOf(virtual.ledgerAccountId)]),
    );
    await acme.receives(acme.sent(virtual.accountNumber, "W1"));
    expect(await acme.theOnlyOne()).toMatchObject({ status: "Suspended", reason: "BalanceOutOfRange" });
  });

  it("follows the number's status at the time of the bank's report", async () => {
    const made = await acme.aNumber();
    await acme.change(made, "Disable");
    await acme.receives(acme.sent(made.accountNumber, "W1"));
    await acme.change(made, "Enable");
    await acme.receives(acme.sent(made.accountNumber, "W1"), acme.sent(made.accountNumber, "W2"));
    expect((await acme.received()).map(({ bankReference, status }) => [bankReference, status])).toEqual([
      ["W2", "Attributed"],
      ["W1", "Suspended"],
    ]);
  });
});

describe("a debit of a virtual account", () => {
  it("is returned with R29, and moves nothing", async () => {
    const { id, accountNumber } = await acme.aNumber();
    await acme.receives(acme.sent(accountNumber, "D1", { rail: "Ach", direction: "Debit" }));
    expect(await acme.theOnlyOne()).toMatchObject({
      status: "Returned",
      reason: "DebitNotAuthorized",
      returnCode: "R29",
      virtualAccountId: id,
      ledgerAccountId: null,
      ledgerTransactionId: null,
    });
    expect(await acme.posted()).toEqual({});
  });
});

describe("a bank reference", () => {
  it("is booked once: in a batch, later, and by two instances at once", async () => {
    const { accountNumber } = await acme.aNumber();
    const says = () => acme.sent(accountNumber, "W1");
    await Promise.all([acme.receives(says(), says()), acme.receives(says()), acme.receives(says(), says())]);
    await acme.receives(says());
    expect(await acme.received()).toHaveLength(1);
    expect(await acme.posted()).toEqual({ "Settlement cash": 120_000, Deposits: 120_000 });
  });

  it("is another payment in another book", async () => {
    const other = await Depositor.of(ledger);
    await acme.receives(
      acme.sent((await acme.aNumber()).accountNumber, "W1"),
      other.sent((await other.aNumber()).accountNumber, "W1"),
    );
    expect([await acme.received(), await other.received()]).toMatchObject([
      [{ status: "Attributed" }],
      [{ status: "Attributed" }],
    ]);
  });

  it.each([
    ["amount", { amountCents: 120_001 }],
    ["rail", { rail: "Wire" as const }],
    ["direction", { rail: "Ach" as const, direction: "Debit" as const }],
  ])("with another %s fails its whole batch as a permanent error", async (_what, change) => {
    const { accountNumber } = await acme.aNumber();
    await acme.receives(acme.sent(accountNumber, "W1", { rail: "Ach" }));
    const clash = acme.receives(acme.sent(accountNumber, "W1", { rail: "Ach", ...change }));
    await expect(clash).rejects.toMatchObject({ name: "InvalidCommand", permanent: true });
    expect(await acme.posted()).toEqual({ "Settlement cash": 120_000, Deposits: 120_000 });
  });
});

describe("a list of inbound payments", () => {
  it("filters by status, virtual account, ledger account, reference and time", async () => {
    const { id, accountNumber, ledgerAccountId } = await acme.aNumber();
    await acme.receives(acme.sent(accountNumber, "W1"));
    await acme.receives(acme.sent("12345678", "W2"), acme.sent("12345678", "W3"));
    const [last] = await acme.received({ bankReference: "W3" });
    if (last === undefined) throw new Error("W3 is not there");
    await acme.assign(last, "Deposits");
    const references = async (filter: object) =>
      (await acme.received(filter)).map(({ bankReference }) => bankReference);
    expect(await references({})).toEqual(["W3", "W2", "W1"]);
    expect(await references({ status: "Suspended" })).toEqual(["W2"]);
    expect(await references({ virtualAccountId: id })).toEqual(["W1"]);
    expect(await references({ ledgerAccountId })).toEqual(["W3", "W1"]);
    expect(await references({ ledgerAccountId, status: "Assigned" })).toEqual(["W3"]);
    expect(await references({ bankReference: "W2" })).toEqual(["W2"]);
    expect(await references({ bankReference: "W2", status: "Attributed" })).toEqual([]);
    const { createdAt } = last;
    expect(await references({ "createdAt[gte]": createdAt, bankReference: "W3" })).toEqual(["W3"]);
    expect(await references({ "createdAt[lt]": createdAt, bankReference: "W3" })).toEqual([]);
    expect(await references({ "createdAt[gte]": "2999-01-01T00:00:00.000Z" })).toEqual([]);
    expect(await references({ "createdAt[lt]": "2020-01-01T00:00:00.000Z", status: "Suspended" })).toEqual(
      [],
    );
    expect(await references({ virtualAccountId: newId("va") })).toEqual([]);
    expect(await references({ virtualAccountId: [newId("va"), id] })).toEqual(["W1"]);
    expect(await references({ status: ["Returned", "Suspended", "Assigned"] })).toEqual(["W3", "W2"]);
    expect(await references({ bankReference: ["W9", "W1", "W2"], status: "Suspended" })).toEqual(["W2"]);
    const first = await acme.payments.list({ limit: 2 }, acme.context);
    expect(first.data.map(({ bankReference }) => bankReference)).toEqual(["W3", "W2"]);
    const next = await acme.payments.list({ limit: 2, cursor: first.nextCursor ?? "" }, acme.context);
    expect(next.data.map(({ bankReference }) => bankReference)).toEqual(["W1"]);
  });
});

describe("Postgres", () => {
  beforeEach(() => acme.receives(acme.sent("12345678", "W1")));
  const tries = (change: string) =>
    refusalOf(ledger.superuser, (sql) =>
      sql(`update inbound_payment set ${change} where book_id = $1`, [uuidOf(acme.tenant.book)]),
    );

  it("refuses any change of a payment, and an assignment without its journal", async () => {
    expect(await tries("amount_cents = 1")).toBe("LG001 inbound_payment_identity");
    expect(await tries("bank_reference = 'W2', status = 'Assigned'")).toBe("LG001 inbound_payment_identity");
    const { id } = await acme.tenant.creates("Mine");
    const assigned = `status = 'Assigned', ledger_account_id = '${uuidOf(id)}', assigned_seq = 1,
      assigned_transaction_id = inbound_payment_id, assigned_by = 'me', assigned_at = now()`;
    expect(await tries(assigned)).toBe("LG017 inbound_payment_is_booked");
    expect(await refusalOf(ledger.superuser, "delete from inbound_payment")).toBe("LG001 append_only");
  });

  it("refuses a payment that differs from its journal", async () => {
    const copies = (change: Record<string, string>) => {
      const columns: Record<string, string> = {
        book_id: "book_id",
        inbound_payment_id: "inbound_payment_id",
        bank_reference: "'W9'",
        rail: "rail",
        direction: "direction",
        amount_cents: "amount_cents",
        currency: "currency",
        originator_name: "originator_name",
        account_number_last4: "account_number_last4",
        status: "status",
        reason: "reason",
        seq: "seq",
        occurred_at: "occurred_at",
        created_at: "created_at",
        ...change,
      };
      return refusalOf(ledger.superuser, (sql) =>
        sql(
          `insert into inbound_payment (${Object.keys(columns).join(", ")})
           select ${Object.values(columns).join(", ")} from inbound_payment where book_id = $1`,
          [uuidOf(acme.tenant.book)],
        ),
      );
    };
    const notBooked = "LG017 inbound_payment_is_booked";
    expect(await copies({ inbound_payment_id: "gen_random_uuid()" })).toBe(notBooked);
    expect(await copies({ amount_cents: "amount_cents + 1" })).toBe(notBooked);
    expect(await copies({ rail: "'Usdc'" })).toBe(notBooked);
    expect(await copies({ seq: "seq + 1" })).toBe(notBooked);
    expect(await copies({ bank_reference: "bank_reference" })).toMatch(/^23505 inbound_payment_/);
  });
});
