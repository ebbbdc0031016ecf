import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BookId, uuidOf } from "../../contracts/ids.ts";
import { commandsOf, newWorld, oracle, type SequenceWorld, step } from "../../test/ledger/sequences.ts";
import { createDatabase, type TestDatabase } from "../../test/stack/database.ts";
import { openUnits, type TestUnits } from "../../test/stack/units.ts";
import type { Outcome } from "./domain/book.ts";
import type { LedgerCommand } from "./domain/command.ts";
import { proveBooks } from "./prove-books.ts";
import { readAccounts } from "./store/accounts.ts";
import { createBooks } from "./store/books.ts";
import { KnownAccounts } from "./store/known-accounts.ts";
import { writeJournals } from "./write-journals.ts";

// Any commands, in any order, split into any batches: Postgres ends where the pure function ends, and so does a second
// Postgres that got them in other batches. A failure prints its seed and the shortest sequence that fails.
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env["RUNS"] ?? 25);

describe(`any sequence of commands (SEED=${seed})`, () => {
  let databases: TestDatabase[];
  let stores: TestUnits[];
  beforeAll(async () => {
    databases = [await createDatabase("ledger"), await createDatabase("ledger")];
    stores = await Promise.all(databases.map((database) => openUnits(database.urlOf("ledger"))));
  });
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await Promise.all(databases.map((database) => database.drop()));
  });

  async function prepare(store: TestUnits, { book, tenantId, accounts }: SequenceWorld): Promise<void> {
    await store.units.run(async ({ sql }) => {
      await createBooks(sql, [{ book, tenantId, mode: "Test" }]);
      for (const { id, name, normalBalance, overdraft } of accounts) {
        await sql(
          `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
           values ($1, $2, $3, 'USD', $4, 'Tenant', $5)`,
          [uuidOf(book), uuidOf(id), name, normalBalance, overdraft],
        );
      }
    });
  }

  // One of the two remembers accounts from batch to batch, as the consumer does; the other reads them each time.
  const memories = new Map<TestUnits, KnownAccounts>();

  async function writeInBatches(
    store: TestUnits,
    book: BookId,
    commands: readonly LedgerCommand[],
    sizes: number[],
  ) {
    const outcomes: Outcome[] = [];
    for (let done = 0, turn = 0; done < commands.length; turn += 1) {
      const batch = commands.slice(done, done + (sizes[turn % sizes.length] ?? 1));
      outcomes.push(
        ...(await store.units.run(({ sql, afterCommit }) =>
          writeJournals(
            sql,
            batch.map((command) => ({ book, command })),
            undefined,
            undefined,
            { known: memories.get(store) ?? new KnownAccounts(), afterCommit },
          ),
        )),
      );
      done += batch.length;
    }
    return outcomes;
  }

  async function stateOf({ database }: TestUnits, { book }: SequenceWorld) {
    const read = (text: string) => database.sql(text, [uuidOf(book)]);
    return {
      head: await read("select last_seq, encode(head_hash, 'hex') as head from book_head where book_id = $1"),
      balances: await read("select * from account_balance where book_id = $1 order by account_id"),
      entries: await read("select * from entry where book_id = $1 order by seq, line"),
      totals: await read("select * from class_total where book_id = $1 order by class, normal_balance"),
      outcomes: await read(
        `select command_id, request_hash, transaction_id, seq, refusal_code, refusal_detail
         from command where book_id = $1 order by command_id`,
      ),
    };
  }

  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });

  it("ends in Postgres as in the pure function, in any batches, and again when all is redelivered", async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      sizes,
      sizes,
      async (steps, someSizes, otherSizes) => {
        const world = newWorld();
        const [one, two] = stores as [TestUnits, TestUnits];
        memories.set(two, memories.get(two) ?? new KnownAccounts());
        await prepare(one, world);
        await prepare(two, world);
        const expected = oracle(world, commandsOf(world, steps));
        expect(await writeInBatches(one, world.book, expected.possible, someSizes)).toEqual(
          expected.outcomes,
        );
        expect(await writeInBatches(two, world.book, expected.possible, otherSizes)).toEqual(
          expected.outcomes,
        );

        const state = await stateOf(one, world);
        expect(state.head).toEqual([{ last_seq: BigInt(expected.book.lastSequence), head: expected.head }]);
        const keys = [...expected.book.accounts.keys()].map((id) => ({ book: world.book, id }));
        const stored = await readAccounts(one.database.sql, keys);
        expect(stored.map((found) => [found.account.version, found.account.counters])).toEqual(
          [...expected.book.accounts.values()].map(({ version, counters }) => [version, counters]),
        );
        expect(await stateOf(two, world)).toEqual(state);

        expect(await writeInBatches(one, world.book, expected.possible, otherSizes)).toEqual(
          expected.outcomes,
        );
        for (const command of expected.impossible) {
          const alone = one.units.run(({ sql }) => writeJournals(sql, [{ book: world.book, command }]));
          await expect(alone).rejects.toMatchObject({ name: "ImpossibleCommand" });
        }
        expect(await stateOf(one, world)).toEqual(state);
      },
    );
    await fc.assert(property, { seed, numRuns });
    for (const store of stores) {
      const proofs = await store.database.transaction(({ sql }) => proveBooks(sql));
      expect(proofs.filter(({ faults }) => faults.length > 0)).toEqual([]);
      expect(proofs.length).toBeGreaterThanOrEqual(numRuns);
    }
  }, 120_000);
});
