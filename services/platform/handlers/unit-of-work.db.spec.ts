import { expect, it } from "vitest";
import { z } from "zod";
import { PlaceHold } from "../../../contracts/messages/ledger.ts";
import { type BookId, bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";

const { units, database } = await forThisFile(openFreshUnits("orders"));
const newBook = () => bookIdOf(newId("ten"), "Test");
const requestOf = (book: BookId, deadline?: number) => ({ caller: { book }, deadline });
const lock = (key: number) => `select pg_advisory_xact_lock(${String(key)})`;

it("leaves connections for other books while the requests of some wait for a lock", async () => {
  const busy = [newBook(), newBook(), newBook()];
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: isLocked, resolve: confirmLock } = Promise.withResolvers<void>();
  const holder = units.run(async ({ sql }) => {
    await sql(lock(1));
    confirmLock();
    await isOver;
  });
  await isLocked;
  const waiting = Array.from({ length: 60 }, (_, index) =>
    units.runFor(requestOf(busy[index % busy.length]!), async ({ sql }) => {
      await sql(lock(1));
      return index;
    }),
  );
  try {
    expect(await units.runFor(requestOf(newBook()), ({ sql }) => sql("select 1 as one"))).toEqual([
      { one: 1 },
    ]);
    expect(await database.sql("select 1 as one")).toEqual([{ one: 1 }]);
  } finally {
    end();
  }
  await holder;
  expect(await Promise.all(waiting)).toEqual(waiting.map((_, index) => index));
});

it("gives a turn back when the work fails", async () => {
  const book = newBook();
  const failing = Array.from({ length: 20 }, () =>
    units.runFor(requestOf(book), ({ sql }) => sql("select 1 / 0")),
  );
  const outcomes = await Promise.allSettled(failing);
  expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => "rejected"));
  expect(await units.runFor(requestOf(book), ({ sql }) => sql("select 1 as one"))).toEqual([{ one: 1 }]);
});

it("commits nothing after the request's deadline, and refuses the request", async () => {
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
  const { promise: isLocked, resolve: confirmLock } = Promise.withResolvers<void>();
  const holder = units.run(async ({ sql }) => {
    await sql(lock(2));
    confirmLock();
    await isOver;
  });
  await isLocked;
  const late = units.runFor(requestOf(newBook(), Date.now() + 50), ({ sql }) => sql(lock(2)));
  await expect(late).rejects.toMatchObject({ code: "upstream_timeout" });
  end();
  await holder;
});

it("commits nothing if one of its messages can't be written", async () => {
  const unwritable = { ...PlaceHold, data: z.looseObject({}) };
  const [type, book] = ["unwritten", newBook()];
  const written = units.run(async ({ sql, outbox }) => {
    await sql(
      "insert into failed_message (message_id, type, failures, last_error) values (gen_random_uuid(), $1, 1, '')",
      [type],
    );
    outbox.add(unwritable, { book, subject: newId("po"), data: { amount: 1n } });
  });
  await expect(written).rejects.toThrow(TypeError); // JSON has no bigint
  expect(await database.sql("select 1 from failed_message where type = $1", [type])).toEqual([]);
});
