import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ListLedgerAccounts } from "../../../contracts/messages/ledger.ts";
import { NaiveBook } from "../../../test/ledger/model/naive-model.ts";
import { requestBy } from "../../../test/ledger/requests.ts";
import {
  commandsOf,
  newWorld,
  type SequenceWorld,
  type Step,
  step,
} from "../../../test/ledger/model/sequences.ts";
import { ofBook, prepare, writeInBatches } from "../../../test/ledger/rows/written.ts";
import { openFreshUnits, type TestUnits } from "../../../test/stack/database/units.ts";
import { balancesOf } from "../book/account.ts";
import { type ChartClass, chartAccountId } from "../book/chart-of-accounts.ts";
import type { LedgerCommand } from "../book/commands.ts";
import { QueryAccounts } from "../accounts/query-accounts.handler.ts";
import { readAccounts } from "./store/accounts.ts";
import { InvalidCommand, postJournals } from "./post-journals.ts";

// The ledger's answers and its tenants' balances equal those of a small reference model. The oracle shares `decide`
// with the service; this model shares nothing with it. A failure prints its seed and the shortest sequence that fails.
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env["RUNS"] ?? 25);
const chart: readonly ChartClass[] = ["SettlementCash", "StablecoinWallet", "Suspense"];

/** Produces every usual answer: random steps may miss a rare one. The account with index 2 refuses overdraft. */
const everyAnswer: readonly Step[] = [
  { kind: "hold", order: 0, account: 0, cents: 10, shape: 0 },
  { kind: "hold", order: 1, account: 2, cents: 10, shape: 0 },
  { kind: "settle", order: 5, again: false },
  { kind: "post", from: 0, to: 1, cents: 10, off: 1, waits: false },
];

describe(`any sequence of commands (SEED=${seed})`, () => {
  let store: TestUnits;
  beforeAll(async () => {
    store = await openFreshUnits("ledger");
  });
  afterAll(() => store.close());

  /** Writes the commands in batches, and each invalid one alone. Returns the model's and the ledger's answers. */
  async function answersTo(
    world: SequenceWorld,
    commands: readonly LedgerCommand[],
    model: NaiveBook,
    sizes: number[],
  ) {
    const expected: string[] = [];
    const answered: string[] = [];
    let possible: LedgerCommand[] = [];
    const write = async () => {
      const outcomes = await writeInBatches(store, ofBook(world.book, possible), sizes);
      answered.push(
        ...outcomes.map((outcome) => (outcome.result === "Refused" ? outcome.code : outcome.result)),
      );
      possible = [];
    };
    for (const command of commands) {
      const answer = model.answerTo(command);
      expected.push(answer);
      if (answer !== "Impossible") {
        possible.push(command);
        continue;
      }
      await write();
      const alone = store.units.run(({ sql }) => postJournals(sql, ofBook(world.book, [command])));
      answered.push(
        await alone.then(
          () => "it was possible",
          (error: unknown) => {
            if (error instanceof InvalidCommand) return "Impossible";
            throw error;
          },
        ),
      );
    }
    await write();
    return { expected, answered };
  }

  /** As the tenant reads them, through its own role. */
  async function tenantsBalances({ tenantId }: SequenceWorld) {
    const { data } = await new QueryAccounts(store.database).list(
      ListLedgerAccounts.data.parse({}),
      requestBy(tenantId),
    );
    return new Map(
      data.map((account) => [
        account.id,
        {
          posted: account.postedBalanceCents,
          pending: account.pendingBalanceCents,
          pendingInbound: account.pendingInboundCents,
          available: account.availableBalanceCents,
        },
      ]),
    );
  }

  it("gets the model's answers, and ends with its balances", async () => {
    const answers = new Map<string, number>();
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
      async (steps, sizes) => {
        const world = newWorld();
        await prepare(store, world);
        const model = new NaiveBook(world);
        const { expected, answered } = await answersTo(world, commandsOf(world, steps), model, sizes);
        expect(answered).toEqual(expected);
        for (const each of answered) answers.set(each, (answers.get(each) ?? 0) + 1);

        const read = await tenantsBalances(world);
        for (const account of world.accounts) {
          expect(read.get(account.id), account.name).toEqual(model.balances(account));
        }
        const keys = chart.map((name) => ({ book: world.book, id: chartAccountId(world.book, name) }));
        for (const { account } of await readAccounts(store.database.sql, keys)) {
          expect(Number(balancesOf(account.normalBalance, account.counters).posted), account.name).toBe(
            model.balances(account).posted,
          );
        }
      },
    );
    await fc.assert(property, { seed, numRuns, examples: [[[...everyAnswer], [4]]] });
    // Otherwise the test compared nothing.
    const usual = ["Appended", "Impossible", "insufficient_funds", "unbalanced_transaction"];
    expect([...answers.keys()]).toEqual(expect.arrayContaining(usual));
  });
});
