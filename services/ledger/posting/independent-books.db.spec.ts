import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandsOf, newWorld, oracle, step } from "../../../test/ledger/model/sequences.ts";
import { ofBook, prepare, stateOf, writeInBatches } from "../../../test/ledger/rows/written.ts";
import { openFreshUnits, type TestUnits } from "../../../test/stack/database/units.ts";
import { BookCache } from "./store/book-cache.ts";
import type { BookCommand } from "./store/load-book-state.ts";

// Books share nothing. Writes to other books, before, after, between or in the same batch, make no difference, not even
// to the hash chain. Redelivery in any batches changes nothing in any book.
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env["RUNS"] ?? 15);

describe(`three books (SEED=${seed})`, () => {
  let stores: [TestUnits, TestUnits];
  beforeAll(async () => {
    stores = [await openFreshUnits("ledger"), await openFreshUnits("ledger")];
  });
  afterAll(() => Promise.all(stores.map((store) => store.close())));

  const memory = new BookCache();
  const ofOneBook = fc.array(step, { minLength: 1, maxLength: 20 });
  const sizes = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 4 });
  const turns = fc.array(fc.nat(2), { minLength: 60, maxLength: 60 });

  it("end the same however their commands are interleaved", async () => {
    const property = fc.asyncProperty(
      fc.tuple(ofOneBook, ofOneBook, ofOneBook),
      fc.tuple(turns, sizes),
      fc.tuple(turns, sizes),
      async (books, [someTurns, someSizes], [otherTurns, otherSizes]) => {
        const worlds = books.map(() => newWorld());
        const each = worlds.map((world, index) =>
          ofBook(world.book, oracle(world, commandsOf(world, books[index] ?? [])).valid),
        );
        const [one, two] = stores;
        for (const world of worlds) {
          await prepare(one, world);
          await prepare(two, world);
        }
        await writeInBatches(one, inTurns(each, someTurns), someSizes);
        await writeInBatches(two, inTurns(each, otherTurns), otherSizes, memory);
        const states = await Promise.all(worlds.map(({ book }) => stateOf(one, book)));
        expect(await Promise.all(worlds.map(({ book }) => stateOf(two, book)))).toEqual(states);

        await writeInBatches(one, inTurns(each, otherTurns), someSizes);
        expect(await Promise.all(worlds.map(({ book }) => stateOf(one, book)))).toEqual(states);
      },
    );
    await fc.assert(property, { seed, numRuns });
  });
});

/** Interleaves the books' commands in the order of `turns`, then appends the remaining ones book by book. */
function inTurns(books: readonly (readonly BookCommand[])[], turns: readonly number[]): BookCommand[] {
  const left = books.map((commands) => [...commands]);
  const taken = turns.flatMap((turn) => left[turn]?.splice(0, 1) ?? []);
  return [...taken, ...left.flat()];
}
