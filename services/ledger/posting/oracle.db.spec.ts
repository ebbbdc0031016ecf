import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandsOf, newWorld, oracle, step } from "../../../test/ledger/model/sequences.ts";
import { headOf, ofBook, prepare, stateOf, writeInBatches } from "../../../test/ledger/rows/written.ts";
import { openFreshUnits, type TestUnits } from "../../../test/stack/database/units.ts";
import { proveBooks } from "../audit/verify-book.ts";
import { readAccounts } from "./store/accounts.ts";
import { BookCache } from "./store/book-cache.ts";
import { postJournals } from "./post-journals.ts";

// Any commands, in any order, split into any batches: Postgres ends in the state of the pure function, and so does a
// second Postgres that got them in other batches. A failure prints its seed and the shortest sequence that fails.
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env["RUNS"] ?? 25);

describe(`any sequence of commands (SEED=${seed})`, () => {
  let stores: TestUnits[];
  beforeAll(async () => {
    stores = [await openFreshUnits("ledger"), await openFreshUnits("ledger")];
  });
  afterAll(() => Promise.all(stores.map((store) => store.close())));

  // One of the two caches accounts from batch to batch, as the consumer does; the other reads them each time.
  const memory = new BookCache();
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

  it("ends in Postgres as in the pure function, in any batches, and again when all is redelivered", async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      sizes,
      sizes,
      async (steps, someSizes, otherSizes) => {
        const world = newWorld();
        const [one, two] = stores as [TestUnits, TestUnits];
        await prepare(one, world);
        await prepare(two, world);
        const expected = oracle(world, commandsOf(world, steps));
        const commands = ofBook(world.book, expected.valid);
        expect(await writeInBatches(one, commands, someSizes)).toEqual(expected.outcomes);
        expect(await writeInBatches(two, commands, otherSizes, memory)).toEqual(expected.outcomes);

        const state = await stateOf(one, world.book);
        expect(state.head).toEqual([{ last_seq: BigInt(expected.book.lastSequence) }]);
        for (const store of [one, two]) {
          const { stored, computed } = await headOf(store, world.book, expected.journals);
          expect(stored).toBe(computed);
        }
        const keys = [...expected.book.accounts.keys()].map((id) => ({ book: world.book, id }));
        const stored = await readAccounts(one.database.sql, keys);
        expect(stored.map((found) => [found.account.version, found.account.counters])).toEqual(
          [...expected.book.accounts.values()].map(({ version, counters }) => [version, counters]),
        );
        expect(await stateOf(two, world.book)).toEqual(state);

        expect(await writeInBatches(one, commands, otherSizes)).toEqual(expected.outcomes);
        for (const command of expected.invalid) {
          const alone = one.units.run(({ sql }) => postJournals(sql, [{ book: world.book, command }]));
          await expect(alone).rejects.toMatchObject({ name: "InvalidCommand" });
        }
        expect(await stateOf(one, world.book)).toEqual(state);
      },
    );
    await fc.assert(property, { seed, numRuns });
    for (const store of stores) {
      const proofs = await store.database.transaction(({ sql }) => proveBooks(sql));
      expect(proofs.filter(({ violations }) => violations.length > 0)).toEqual([]);
      expect(proofs.length).toBeGreaterThanOrEqual(numRuns);
    }
  });
});
