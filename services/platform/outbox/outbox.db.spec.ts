import { expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { BookClockChanged } from "../../../contracts/messages/clocks.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { OutboxWriter } from "./outbox.ts";
import { readUnconfirmed } from "./unconfirmed-messages.ts";

const { database, takeMessages } = await forThisFile(openFreshUnits("rails"));

it("marks the messages of a book with its own clock, and waits for their consumers", async () => {
  const [clocked, other] = [bookIdOf(newId("ten"), "Test"), bookIdOf(newId("ten"), "Test")];
  const outbox = new OutboxWriter(1, (book) => book === clocked);
  const data = { mode: "Instant", leadMs: 0, standsAt: null } as const;
  const { id } = outbox.add(BookClockChanged, { book: clocked, subject: clocked, sequence: 1, data });
  outbox.add(BookClockChanged, { book: other, subject: other, sequence: 1, data });
  await database.transaction(({ sql }) => outbox.write(sql));
  const sent = (await takeMessages()).map(({ book, bookclock }) => [book, bookclock]);
  expect(sent).toEqual([
    [clocked, true],
    [other, undefined],
  ]);
  const type = "rails.book-clock-changed.v1";
  expect(await readUnconfirmed(database.sql, clocked)).toEqual([
    { id, type, consumer: "ledger" },
    { id, type, consumer: "orders" },
  ]);
  expect(await readUnconfirmed(database.sql, other)).toEqual([]);
});
