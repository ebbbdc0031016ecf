import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BookId,
  bookIdOf,
  type LedgerAccountId,
  newId,
  newUuid,
  type TenantId,
  uuidOf,
} from "../../contracts/ids.ts";
import { createDatabase, type TestDatabase } from "../../test/stack/database.ts";
import { openUnits, type TestUnits } from "../../test/stack/units.ts";
import { type Account, zeroCounters } from "./domain/account.ts";
import { apply } from "./domain/apply.ts";
import { advance, type Outcome, type WorkingBook } from "./domain/book.ts";
import { digestOf, firstHead, headAfter } from "./domain/canonical.ts";
import { chartAccountId, chartCurrency, chartOfAccounts } from "./domain/chart-of-accounts.ts";
import type { LedgerCommand, PostCommand } from "./domain/command.ts";
import { proveBooks } from "./prove-books.ts";
import { holdOf, lateReturnOf, postingOf, releaseOf, reversalOf, settlementOf } from "./sample-commands.ts";
import { readAccounts } from "./store/accounts.ts";
import { createBooks } from "./store/books.ts";
import { writeJournals } from "./write-journals.ts";

// Any commands, in any order, split into any batches: Postgres ends where the pure function ends, and so does a second
// Postgres that got them in other batches. A failure prints its seed and the shortest sequence that fails.
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env["RUNS"] ?? 25);

interface World {
  readonly tenantId: TenantId;
  readonly book: BookId;
  readonly accounts: readonly Account[];
}

type Step =
  | {
      readonly kind: "hold";
      readonly order: number;
      readonly account: number;
      readonly cents: number;
      readonly shape: number;
    }
  | { readonly kind: "settle" | "release" | "return"; readonly order: number; readonly again: boolean }
  | {
      readonly kind: "post";
      readonly from: number;
      readonly to: number;
      readonly cents: number;
      readonly off: number;
    }
  | { readonly kind: "reverse"; readonly post: number }
  | { readonly kind: "repeat"; readonly of: number };

const order = fc.nat(5);
const account = fc.nat(3);
const cents = fc.integer({ min: 1, max: 60 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant("hold" as const), order, account, cents, shape: fc.nat(5) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom("settle" as const, "release" as const, "return" as const),
      order,
      again: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("post" as const),
      from: account,
      to: account,
      cents,
      off: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("reverse" as const), post: fc.nat(5) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("repeat" as const), of: fc.nat(40) }) },
);

function newWorld(): World {
  const tenantId = newId("ten");
  const own = (name: string, more: Partial<Account>): Account => ({
    id: newId("la"),
    name,
    currency: "USD",
    normalBalance: "Credit",
    class: "Tenant",
    overdraft: "Allowed",
    closed: false,
    version: 0,
    counters: zeroCounters,
    ...more,
  });
  return {
    tenantId,
    book: bookIdOf(tenantId, "Test"),
    accounts: [
      own("Payroll", {}),
      own("Savings", {}),
      own("Strict", { overdraft: "Refused" }),
      own("Strict asset", { overdraft: "Refused", normalBalance: "Debit" }),
    ],
  };
}

/** Turns steps into commands: what a step points at (an order, a posting, an earlier command) is made from the world. */
function commandsOf(world: World, steps: readonly Step[]): LedgerCommand[] {
  const orders = Array.from({ length: 6 }, () => newId("po"));
  const posts: PostCommand[] = [];
  const commands: LedgerCommand[] = [];
  const idOfAccount = (place: number): LedgerAccountId => world.accounts[place]!.id;
  for (const next of steps) {
    switch (next.kind) {
      case "hold": {
        const contras = [
          { kind: "SettlementCash" },
          { kind: "StablecoinWallet" },
          { kind: "LedgerAccount", ledgerAccountId: idOfAccount(next.shape % 4) },
        ] as const;
        commands.push({
          ...holdOf(orders[next.order]!, idOfAccount(next.account), next.cents, {
            direction: next.shape < 3 ? "Credit" : "Debit",
            contra: contras[next.shape % 3]!,
          }),
          tenantId: world.tenantId,
        });
        break;
      }
      case "settle":
      case "release":
      case "return": {
        const make = { settle: settlementOf, release: releaseOf, return: lateReturnOf }[next.kind];
        const command = make(orders[next.order]!);
        commands.push(next.again ? { ...command, commandId: newUuid() } : command);
        break;
      }
      case "post": {
        const post = postingOf(
          [idOfAccount(next.from), "Debit", next.cents],
          [idOfAccount(next.to), "Credit", next.cents + next.off],
        );
        posts.push({ ...post, tenantId: world.tenantId });
        commands.push(posts.at(-1)!);
        break;
      }
      case "reverse":
        commands.push(reversalOf(posts[next.post] ?? { transactionId: newId("lt") }));
        break;
      case "repeat":
        if (commands[next.of] !== undefined) commands.push(commands[next.of]!);
    }
  }
  return commands;
}

/** What must come out: the pure function, one command after the other. Impossible commands are left to the others. */
function oracle(world: World, commands: readonly LedgerCommand[]) {
  const chart = chartOfAccounts.map(
    (made): Account => ({
      ...world.accounts[0]!,
      ...made,
      id: chartAccountId(world.book, made.class),
      currency: chartCurrency,
    }),
  );
  const book: WorkingBook = {
    id: world.book,
    lastSequence: 0,
    accounts: new Map([...chart, ...world.accounts].map((made) => [made.id, made])),
    transactions: new Map(),
    outcomes: new Map(),
  };
  let head = firstHead(uuidOf(world.book));
  const possible: LedgerCommand[] = [];
  const impossible: LedgerCommand[] = [];
  const outcomes: Outcome[] = [];
  for (const command of commands) {
    const decision = apply(book, command);
    if (decision.kind === "Impossible") {
      impossible.push(command);
      continue;
    }
    possible.push(command);
    outcomes.push(decision.outcome);
    if (decision.kind === "Repeat") continue;
    advance(book, command.commandId, decision);
    if (decision.journal !== null) head = headAfter(head, digestOf(decision.journal));
  }
  // What came too early may be possible by now (a settlement before its hold): that is a new sequence, not a redelivery.
  const stillImpossible = impossible.filter((command) => apply(book, command).kind === "Impossible");
  return { book, head, possible, impossible: stillImpossible, outcomes };
}

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

  async function prepare(store: TestUnits, { book, tenantId, accounts }: World): Promise<void> {
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
        ...(await store.units.run(({ sql }) =>
          writeJournals(
            sql,
            batch.map((command) => ({ book, command })),
          ),
        )),
      );
      done += batch.length;
    }
    return outcomes;
  }

  async function stateOf({ database }: TestUnits, { book }: World) {
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
