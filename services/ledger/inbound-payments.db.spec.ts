import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { InboundPayment } from "../../contracts/http/inbound-payments.ts";
import type { VirtualAccount } from "../../contracts/http/virtual-accounts.ts";
import { newUuid, uuidOf } from "../../contracts/ids.ts";
import type { Fact } from "../../contracts/message.ts";
import { InboundReceived } from "../../contracts/messages/inbound.ts";
import { isVirtualNumber } from "../../contracts/virtual-number.ts";
import { asked, Tenant } from "../../test/ledger/requests.ts";
import { type LedgerWorld, openLedger, someNumbers, someSeals } from "../../test/ledger/world.ts";
import { Replayed } from "../platform/messaging/decorators.ts";
import { AssignInbound } from "./assign-inbound.ts";
import { AttributeInbound } from "./attribute-inbound.ts";
import { ReadInboundPayments } from "./read-inbound-payments.ts";
import { ReadVirtualAccounts } from "./read-virtual-accounts.ts";
import { WriteVirtualAccounts } from "./write-virtual-accounts.ts";

let ledger: LedgerWorld;
let attribution: AttributeInbound;
let writing: WriteVirtualAccounts;
let numbers: ReadVirtualAccounts;
let payments: ReadInboundPayments;
let assigning: AssignInbound;
let acme: Tenant;
beforeAll(async () => {
  ledger = await openLedger();
  const { units, database } = ledger.units;
  attribution = new AttributeInbound(someNumbers);
  writing = new WriteVirtualAccounts(units, someNumbers);
  numbers = new ReadVirtualAccounts(database, someNumbers);
  payments = new ReadInboundPayments(database);
  assigning = new AssignInbound(units);
});
afterAll(() => ledger.close());
beforeEach(() => {
  acme = new Tenant(ledger.units);
});

const value = <T>(answer: T | Replayed<T>): T => (answer instanceof Replayed ? answer.value : answer);

async function aNumber(more: object = {}, of = acme): Promise<VirtualAccount> {
  await of.creates("Deposits");
  const body = { name: "Blue Freight", ledgerAccountName: "Deposits", ...more };
  return value(await writing.create(body, asked(of.id)));
}

/** What the bank says of 1,200.00 that somebody sent to a number. */
function sent(
  accountNumber: string,
  bankReference: string,
  change: Partial<Fact<typeof InboundReceived>["data"]> = {},
  of = acme,
): Fact<typeof InboundReceived> {
  const data = {
    tenantId: of.id,
    mode: "Test",
    bankReference,
    rail: "Rtp",
    direction: "Credit",
    amountCents: 120_000,
    currency: "USD",
    originatorName: "Blue Freight LLC",
    accountNumber: someSeals.seal(accountNumber),
    occurredAt: "2026-03-02T15:00:00.000Z",
    ...change,
  };
  return {
    id: newUuid(),
    type: InboundReceived.type,
    time: data.occurredAt,
    book: of.book,
    subject: bankReference,
    correlationid: "req_1",
    data: InboundReceived.data.parse(data),
  };
}

const hears = (...facts: Fact<typeof InboundReceived>[]) =>
  ledger.units.units.run((unit) => attribution.onReceived(facts, unit));

async function received(filter: object = {}, of = acme): Promise<InboundPayment[]> {
  return (await payments.list({ limit: 100, ...filter }, asked(of.id))).data;
}

async function theOnlyOne(of = acme): Promise<InboundPayment> {
  const [one, ...more] = await received({}, of);
  if (one === undefined || more.length > 0) throw new Error(`${String(more.length + 1)} payments, not one`);
  return one;
}

/** Posted balances by the name of the account, those at zero left out. */
async function posted(of = acme): Promise<Record<string, number>> {
  const { rows } = await ledger.superuser.query<{ name: string; cents: string }>(
    `select a.name, case a.normal_balance when 'Credit' then b.posted_credit - b.posted_debit
       else b.posted_debit - b.posted_credit end::text as cents
     from account a join account_balance b using (book_id, account_id)
     where book_id = $1 and b.version > 0`,
    [uuidOf(of.book)],
  );
  return Object.fromEntries(rows.map(({ name, cents }) => [name, Number(cents)]));
}

const closes = (virtual: VirtualAccount, action: "Disable" | "Enable" | "Close", of = acme) =>
  writing.change({ id: virtual.id, action }, asked(of.id)).then(value);

/** An account closes only empty, by the service's own function. */
const closesLedgerAccount = (name: string) =>
  ledger.superuser.query(
    "select close_account(book_id, account_id) from account where book_id = $1 and name = $2",
    [uuidOf(acme.book), name],
  );

describe("a virtual account", () => {
  it("has a number of 17 digits that passes its check, and rests without it", async () => {
    const made = await aNumber();
    expect(isVirtualNumber(made.accountNumber)).toBe(true);
    expect(made).toMatchObject({
      status: "Active",
      routingNumber: "790001005",
      ledgerAccountName: "Deposits",
    });
    const { rows } = await ledger.superuser.query(
      `select (select string_agg(v::text, ' ') from virtual_account v)
         || (select coalesce(string_agg(a::text, ' '), '') from idempotency a) as everything`,
    );
    expect(rows[0].everything).not.toContain(made.accountNumber);
  });

  it("is read again with the same number, and so is the answer to a repeated request", async () => {
    await acme.creates("Deposits");
    const body = { name: "Blue Freight", ledgerAccountName: "Deposits" };
    const made = value(await writing.create(body, asked(acme.id, "once")));
    const again = await writing.create(body, asked(acme.id, "once"));
    expect(again).toEqual(new Replayed(made));
    expect(await numbers.get({ id: made.id }, asked(acme.id))).toEqual(made);
    expect((await numbers.list({ limit: 10 }, asked(acme.id))).data).toEqual([made]);
  });
});

describe("money that comes in", () => {
  it("is on the ledger account of its number, and in settlement cash", async () => {
    const virtual = await aNumber();
    await hears(sent(virtual.accountNumber, "W1"));
    expect(await theOnlyOne()).toMatchObject({
      status: "Attributed",
      reason: null,
      virtualAccountId: virtual.id,
      ledgerAccountId: virtual.ledgerAccountId,
      accountNumberLast4: virtual.accountNumber.slice(-4),
      bankReference: "W1",
      amountCents: 120_000,
      occurredAt: "2026-03-02T15:00:00.000Z",
    });
    expect(await posted()).toEqual({ "Settlement cash": 120_000, Deposits: 120_000 });
    expect(await ledger.faults(acme.book)).toEqual([]);
  });
});
