import { pino } from "pino";
import { expect, it } from "vitest";
import { type BookId, bookIdOf, newId, type TenantId, uuidOf } from "../../../contracts/ids/ids.ts";
import { PlaceHold } from "../../../contracts/messages/ledger.ts";
import { holdOf, sampleBook, sampleTenant, tenantBeforeSample } from "../../../test/ledger/commands.ts";
import { requestBy } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile, someNumbers } from "../../../test/ledger/world.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { PostCommands } from "../posting/post-commands.consumer.ts";
import { createBooks } from "../posting/store/lock-books.ts";
import { FreezeBook } from "./freeze-book.handler.ts";
import { ReplayDeferredCommands } from "./replay-deferred-commands.worker.ts";

const world = await openLedgerOfFile();
const { units, database, adminUrl } = world.units;
const log = pino({ level: "silent" });
const replayer = new ReplayDeferredCommands(units, database, someNumbers, new Metrics("ledger"), log);
const otherTenant = tenantBeforeSample();
const otherBook = bookIdOf(otherTenant, "Test");

async function headOf(book: BookId) {
  const [head] = await database.sql<{ last_seq: bigint; head: string; state: string }>(
    "select last_seq, encode(head_hash, 'hex') as head, state from book_head where book_id = $1",
    [uuidOf(book)],
  );
  return head!;
}

async function unfreezes(tenant: TenantId): Promise<void> {
  const { last_seq: sequence, head } = await headOf(bookIdOf(tenant, "Test"));
  const proof = { provenSequence: Number(sequence), provenHead: head };
  await new FreezeBook(units).unfreeze({ by: "ada", reason: "proven", ...proof }, requestBy(tenant));
}

it("a book is unfrozen although another one can't be, and that one is tried again", async () => {
  await units.run(({ sql }) => createBooks(sql, [{ book: otherBook, tenantId: otherTenant, mode: "Test" }]));
  const account = await world.opens({ book: otherBook });
  for (const tenant of [otherTenant, sampleTenant])
    await new FreezeBook(units).freeze({ by: "ada", reason: "the bank asked" }, requestBy(tenant));
  const { kind: _, ...data } = holdOf(newId("po"), account, 10, { tenantId: otherTenant });
  const deferred = createMessage(PlaceHold, { book: otherBook, subject: data.orderId, data });
  await units.run((unit) => new PostCommands(new Metrics("ledger")).onCommands([deferred], unit));
  for (const tenant of [otherTenant, sampleTenant]) await unfreezes(tenant);
  // Neither can its command be replayed, nor can it be frozen again.
  const cures = [
    await poisonBook(adminUrl, "ledger.command", otherBook, "insert"),
    await poisonBook(adminUrl, "ledger.freeze_event", otherBook, "insert"),
  ];
  const start = Date.now();
  expect(await replayer.tick(new Date(start))).toBe(2);
  expect([(await headOf(otherBook)).state, (await headOf(sampleBook)).state]).toEqual(["Releasing", "Open"]);
  expect(await replayer.tick(new Date(start + 1_000))).toBe(0);
  for (const cure of cures) await cure();
  for (let ticks = 0; ticks < 2; ticks += 1) await replayer.tick(new Date(start + 5_000));
  expect((await headOf(otherBook)).state).toBe("Open");
});
