import { expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { deduplicate, readHandled } from "./inbox.ts";

const { units, database } = await forThisFile(openFreshUnits("rails"));

const book = bookIdOf(newId("ten"), "Test");
const message = (last: number) => ({
  id: `019c0000-0000-7000-8000-00000000000${String(last)}`,
  type: "t",
  time: "2026-03-04T17:00:00.000Z",
  book,
  subject: "s",
  correlationid: "c",
  data: {},
});
/** The last digits of the messages that are new. */
const take = (lasts: number[], mayRepeat: (last: number) => boolean) =>
  units.run(async ({ sql }) => {
    const fresh = await deduplicate(sql, lasts.map(message), ({ id }) => mayRepeat(Number(id.at(-1))));
    return fresh.map(({ id }) => Number(id.at(-1)));
  });
const always = () => true;

it("returns each message that may repeat once, in order, across batches", async () => {
  expect(await take([3, 1, 3, 2], always)).toEqual([3, 1, 2]);
  expect(await take([2, 4, 3], always)).toEqual([4]);
  expect(await take([], always)).toEqual([]);
});

it("takes the others for new, once in a batch, and records nothing of them", async () => {
  expect(await take([5, 6, 5, 3], (last) => last === 3)).toEqual([5, 6]);
  expect(await take([5, 7], () => false)).toEqual([5, 7]);
  const rows = await database.sql("select from inbox where message_id = any($1::uuid[])", [
    [5, 6, 7].map((last) => message(last).id),
  ]);
  expect(rows).toEqual([]);
});

it("records each message of a book with its own clock: an advance looks for what is handled", async () => {
  const clocked = { ...message(8), bookclock: true as const };
  const takeClocked = () =>
    units.run(async ({ sql }) =>
      (await deduplicate(sql, [clocked, message(9)], () => false)).map(({ id }) => id),
    );
  expect(await takeClocked()).toEqual([clocked.id, message(9).id]);
  expect(await readHandled(database.sql, [clocked.id, message(9).id])).toEqual([clocked.id]);
  expect(await takeClocked()).toEqual([message(9).id]);
});
