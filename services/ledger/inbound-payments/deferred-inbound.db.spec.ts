import { pino } from "pino";
import { expect, it } from "vitest";
import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import { Depositor } from "../../../test/ledger/inbound.ts";
import { someNumbers, openLedgerOfFile } from "../../../test/ledger/world.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { freeze } from "../audit/freeze-book.handler.ts";
import { ReplayDeferredCommands } from "../audit/replay-deferred-commands.worker.ts";
import { appendStateChange } from "../audit/store/freeze-log.ts";

// The bank reports an inbound payment of a frozen book: the message is deferred unchanged, and booked once when the
// book is open.

const ledger = await openLedgerOfFile();

const { units, database } = ledger.units;
const freezes = (book: BookId) =>
  units.run((unit) => freeze(unit, book, { reason: "a drill", actor: "test" }));

/** Opens the book, and runs all that waits. */
async function reopens(book: BookId): Promise<void> {
  await units.run(({ sql }) =>
    appendStateChange(sql, book, { state: "Releasing", reason: "over", actor: "test" }),
  );
  const log = pino({ level: "silent" });
  const held = new ReplayDeferredCommands(units, database, someNumbers, new Metrics("ledger"), log);
  while ((await held.tick()) > 0);
}

const paymentsOf = (book: BookId) =>
  database.sql("select bank_reference, status from inbound_payment where book_id = $1 order by 1", [
    uuidOf(book),
  ]);

it("an inbound payment of a frozen book is deferred encrypted, once per reference, and booked in order", async () => {
  const acme = await Depositor.of(ledger);
  const number = (await acme.aNumber()).accountNumber;
  const sent = (bankReference: string) => acme.sent(number, bankReference);
  await freezes(acme.tenant.book);
  await acme.receives(sent("WIRE-1"), sent("WIRE-2"));
  await acme.receives(sent("WIRE-1"));
  const waiting = await database.sql<{ message: string }>(
    "select message from deferred_command where book_id = $1 order by position",
    [uuidOf(acme.tenant.book)],
  );
  expect(waiting.map(({ message }) => (JSON.parse(message) as { subject: string }).subject)).toEqual([
    "WIRE-1",
    "WIRE-2",
  ]);
  expect(waiting.some(({ message }) => message.includes(number))).toBe(false);
  expect(await paymentsOf(acme.tenant.book)).toEqual([]);
  await reopens(acme.tenant.book);
  expect(await paymentsOf(acme.tenant.book)).toEqual([
    { bank_reference: "WIRE-1", status: "Attributed" },
    { bank_reference: "WIRE-2", status: "Attributed" },
  ]);
});

it.each([
  ["in another direction", { direction: "Debit" }],
  ["on another rail", { rail: "Wire" }],
] as const)("a second report under the same reference, %s, waits for an operator", async (_which, change) => {
  const globex = await Depositor.of(ledger);
  const { book } = globex.tenant;
  const number = (await globex.aNumber()).accountNumber;
  await freezes(book);
  await globex.receives(globex.sent(number, "WIRE-1"));
  await globex.receives(globex.sent(number, "WIRE-1", change));
  await reopens(book);
  expect(await paymentsOf(book)).toEqual([{ bank_reference: "WIRE-1", status: "Attributed" }]);
  expect(
    await database.sql("select failure from deferred_command where book_id = $1", [uuidOf(book)]),
  ).toEqual([{ failure: expect.stringContaining("the bank reported another payment under WIRE-1") }]);
});
