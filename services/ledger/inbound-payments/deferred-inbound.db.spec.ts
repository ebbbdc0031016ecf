import { pino } from "pino";
import { expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { Depositor } from "../../../test/ledger/inbound.ts";
import { someNumbers, openLedgerOfFile } from "../../../test/ledger/world.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { freeze } from "../audit/freeze-book.handler.ts";
import { ReplayDeferredCommands } from "../audit/replay-deferred-commands.worker.ts";
import { appendStateChange } from "../audit/store/freeze-log.ts";

// The bank reports an inbound payment of a frozen book: the message is deferred unchanged, and booked once when the
// book is open.

const ledger = await openLedgerOfFile();

it("an inbound payment of a frozen book is deferred encrypted, once per reference, and booked in order", async () => {
  const acme = await Depositor.of(ledger);
  const number = (await acme.aNumber()).accountNumber;
  const { units, database } = ledger.units;
  const sent = (bankReference: string) => acme.sent(number, bankReference);
  await units.run((unit) => freeze(unit, acme.tenant.book, { reason: "a drill", actor: "test" }));
  await acme.receives(sent("WIRE-1"), sent("WIRE-2"));
  await acme.receives(sent("WIRE-1"));
  const waiting = await database.sql<{ message: string }>(
    "select message from deferred_command order by position",
  );
  expect(waiting.map(({ message }) => (JSON.parse(message) as { subject: string }).subject)).toEqual([
    "WIRE-1",
    "WIRE-2",
  ]);
  expect(waiting.some(({ message }) => message.includes(number))).toBe(false);
  expect(await database.sql("select 1 from inbound_payment")).toEqual([]);
  await units.run(({ sql }) =>
    appendStateChange(sql, acme.tenant.book, { state: "Releasing", reason: "over", actor: "test" }),
  );
  const held = new ReplayDeferredCommands(
    units,
    database,
    someNumbers,
    new Metrics("ledger"),
    pino({ level: "silent" }),
  );
  while ((await held.tick()) > 0);
  expect(
    await database.sql("select bank_reference, status from inbound_payment where book_id = $1 order by 1", [
      uuidOf(acme.tenant.book),
    ]),
  ).toEqual([
    { bank_reference: "WIRE-1", status: "Attributed" },
    { bank_reference: "WIRE-2", status: "Attributed" },
  ]);
});
