import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { VirtualAccount } from "../../contracts/http/virtual-accounts.ts";
import { newUuid, uuidOf } from "../../contracts/ids.ts";
import type { Fact } from "../../contracts/message.ts";
import { InboundReceived } from "../../contracts/messages/inbound.ts";
import { asked, Tenant } from "../../test/ledger/requests.ts";
import { type LedgerWorld, openLedger, someNumbers, someSeals } from "../../test/ledger/world.ts";
import { AttributeInbound } from "./attribute-inbound.ts";
import { freeze } from "./freeze-book.ts";
import { RunHeldCommands } from "./run-held-commands.ts";
import { appendWord } from "./store/freeze-records.ts";
import { WriteVirtualAccounts } from "./write-virtual-accounts.ts";

// The bank takes money in for a frozen book: it is kept as it was told, and booked once when the book is open.
let ledger: LedgerWorld;
let acme: Tenant;
let number: string;

beforeEach(async () => {
  ledger = await openLedger();
  acme = new Tenant(ledger.units);
  await acme.creates("Deposits");
  const body = { name: "Blue Freight", ledgerAccountName: "Deposits" };
  const made = await new WriteVirtualAccounts(ledger.units.units, someNumbers).create(body, asked(acme.id));
  number = (made as VirtualAccount).accountNumber;
});
afterEach(() => ledger.close());

function sent(bankReference: string): Fact<typeof InboundReceived> {
  const data = {
    tenantId: acme.id,
    mode: "Test" as const,
    bankReference,
    rail: "Rtp" as const,
    direction: "Credit" as const,
    amountCents: 120_000,
    currency: "USD" as const,
    originatorName: "Blue Freight LLC",
    accountNumber: someSeals.seal(number),
    occurredAt: "2026-03-02T15:00:00.000Z",
  };
  return {
    id: newUuid(),
    type: InboundReceived.type,
    time: data.occurredAt,
    book: acme.book,
    subject: bankReference,
    correlationid: "req_1",
    data: InboundReceived.data.parse(data),
  };
}

it("waits sealed, once for its reference, and is booked in its turn", async () => {
  const { units, database } = ledger.units;
  const hears = (...facts: Fact<typeof InboundReceived>[]) =>
    units.run((unit) => new AttributeInbound(someNumbers).onReceived(facts, unit));
  await units.run((unit) => freeze(unit, acme.book, { reason: "a drill", by: "test" }));
  await hears(sent("WIRE-1"), sent("WIRE-2"));
  await hears(sent("WIRE-1"));
  const waiting = await database.sql<{ fact: string }>("select fact from held_command order by place");
  expect(waiting.map(({ fact }) => (JSON.parse(fact) as { subject: string }).subject)).toEqual([
    "WIRE-1",
    "WIRE-2",
  ]);
  expect(waiting.some(({ fact }) => fact.includes(number))).toBe(false);
  expect(await database.sql("select 1 from inbound_payment")).toEqual([]);
  await units.run(({ sql }) =>
    appendWord(sql, acme.book, { state: "Releasing", reason: "over", by: "test" }),
  );
  const held = new RunHeldCommands(units, database, someNumbers, pino({ level: "silent" }));
  while ((await held.turn()) > 0);
  expect(
    await database.sql("select bank_reference, status from inbound_payment where book_id = $1 order by 1", [
      uuidOf(acme.book),
    ]),
  ).toEqual([
    { bank_reference: "WIRE-1", status: "Attributed" },
    { bank_reference: "WIRE-2", status: "Attributed" },
  ]);
});
