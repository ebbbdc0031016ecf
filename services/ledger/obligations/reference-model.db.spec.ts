import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { NaiveObligations, type PayingRail } from "../../../test/ledger/naive-obligations.ts";
import { Filer, lateReturned, line, released, settled } from "../../../test/ledger/obligations.ts";
import { openFreshUnits, type TestUnits } from "../../../test/stack/units.ts";
import type { LedgerCommand } from "../book/commands.ts";
import { expenseClassOf } from "../book/obligation.ts";
import { InvalidCommand } from "../posting/post-journals.ts";

// Accruals, amendments and remittances in any order, with orders of any ending, late returns and resends: the ledger
// answers and ends as a page of arithmetic says. A failure prints its seed and the shortest sequence that fails.
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env["RUNS"] ?? 25);
const types = ["FuelTaxReturn", "OperatorSettlement", "Other"] as const;
const funds = 20_000;

let units: TestUnits;
beforeAll(async () => {
  units = await openFreshUnits("ledger");
});
afterAll(() => units.close());

type OrderVerb = "hold" | "settle" | "release" | "late return";
type Step =
  | { readonly verb: "fix" | "amend"; readonly place: number; readonly cents: number }
  | { readonly verb: "remit"; readonly place: number; readonly rail: PayingRail }
  /** Of the obligation's newest order, or of one before. */
  | { readonly verb: OrderVerb; readonly place: number; readonly back: number };

const place = fc.nat(types.length - 1);
// Few, so that figures meet: an amendment to exactly what is paid, two orders that are too much together.
const cents = fc.constantFrom(100, 200, 12_000, 12_000);
const lives: readonly OrderVerb[][] = [
  ["hold"],
  ["hold", "release"],
  ["hold", "settle"],
  ["hold", "settle"],
  ["hold", "settle", "late return"],
];
/** The third is a draft until a step fixes it. */
const firstOfAll: readonly Step[] = [
  { verb: "fix", place: 0, cents: 100 },
  { verb: "fix", place: 1, cents: 12_000 },
];
const steps: fc.Arbitrary<Step[]> = fc.oneof(
  fc.record({ verb: fc.constantFrom("fix", "amend"), place, cents }).map((step) => [step]),
  fc
    .record({
      verb: fc.constantFrom<OrderVerb[]>("hold", "settle", "release", "late return"),
      place,
      back: fc.nat(1),
    })
    .map((step) => [step]),
  fc
    .record({ place, rail: fc.constantFrom<PayingRail[]>("Ach", "Usdc"), life: fc.constantFrom(...lives) })
    .map(({ place: of, rail, life }): Step[] => [
      { verb: "remit", place: of, rail },
      ...life.map((verb) => ({ verb, place: of, back: 0 })),
    ]),
  // What was paid comes back while an order pays what an amendment added: chance alone seldom comes to it.
  place.map((of): Step[] => [
    { verb: "amend", place: of, cents: 200 },
    { verb: "remit", place: of, rail: "Ach" },
    { verb: "hold", place: of, back: 0 },
    { verb: "late return", place: of, back: 1 },
  ]),
);

class Pair {
  readonly #filer: Awaited<ReturnType<typeof Filer.funded>>;
  readonly #model = new NaiveObligations(funds);
  readonly #ids: string[] = [];
  /** The orders of each obligation. */
  readonly #orders: Filer["ordered"][] = types.map(() => []);

  private constructor(filer: Awaited<ReturnType<typeof Filer.funded>>) {
    this.#filer = filer;
  }

  static async open(): Promise<Pair> {
    const pair = new Pair(await Filer.funded(units));
    for (const type of types) {
      pair.#model.files(type);
      pair.#ids.push((await pair.#filer.creates({ type })).id);
    }
    return pair;
  }

  /** What the ledger and the model say to a step; null where it names no order. */
  async does(next: Step): Promise<{ heard: string; expected: string } | null> {
    const id = this.#ids[next.place]!;
    switch (next.verb) {
      case "fix":
        // Refused where it is no draft any more: then it is not fixed either.
        await this.#filer.edits(id, { lines: [line("All of it", next.cents)] }).catch(() => undefined);
        return {
          heard: await codeOf(this.#filer.fixes(id)),
          expected: this.#model.fixes(next.place, next.cents),
        };
      case "amend":
        return {
          heard: await codeOf(this.#filer.amends(id, [line("All of it", next.cents)])),
          expected: this.#model.amends(next.place, next.cents),
        };
      case "remit": {
        const before = this.#filer.ordered.length;
        const heard = await codeOf(this.#filer.remits(id, { rail: next.rail }));
        this.#orders[next.place]!.push(...this.#filer.ordered.slice(before));
        return { heard, expected: this.#model.remits(next.place, next.rail) };
      }
      default: {
        const orders = this.#orders[next.place]!;
        const nth = orders.length - 1 - next.back;
        const order = orders[nth];
        if (order === undefined) return null;
        const command = {
          hold: () => this.#filer.holdOf(order),
          settle: () => settled(order.orderId),
          release: () => released(order.orderId, "Failed"),
          "late return": () => lateReturned(order.orderId),
        }[next.verb]();
        return {
          heard: await this.#outcomeOf(command),
          expected: this.#model.hears(next.place, nth, next.verb),
        };
      }
    }
  }

  async #outcomeOf(command: LedgerCommand): Promise<string> {
    await units.takeMessages();
    try {
      await this.#filer.hears(command);
    } catch (error) {
      if (error instanceof InvalidCommand) return "Impossible";
      throw error;
    }
    const refused = (await units.takeMessages()).find(({ type }) => type === "ledger.hold-refused.v1");
    return refused === undefined ? "Appended" : (refused.data as { code: string }).code;
  }

  /** How it ends: each obligation's status and what is outstanding, the funding account, the chart, and the proof. */
  async ends(): Promise<{ heard: unknown; expected: unknown }> {
    const filer = this.#filer;
    const model = this.#model;
    const obligations = await Promise.all(this.#ids.map((id) => filer.reads(id)));
    const chart = [
      "SettlementCash",
      "StablecoinWallet",
      ...types.map((type) => expenseClassOf[type]),
    ] as const;
    return {
      heard: {
        obligations: obligations.map(({ status, outstandingCents }) => [status, outstandingCents]),
        funding: await filer.balanceOf(filer.operating),
        chart: await filer.posted(...chart),
        faults: await filer.faults(),
      },
      expected: {
        obligations: types.map((_type, nth) => [model.statusOf(nth), model.outstanding(nth)]),
        funding: model.funding(),
        chart: [
          0 - model.paidOver("Ach"),
          0 - model.paidOver("Usdc"),
          ...types.map((type) => model.expensed(type)),
        ],
        faults: [],
      },
    };
  }
}

async function codeOf(asked: Promise<unknown>): Promise<string> {
  try {
    await asked;
    return "Appended";
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}

it(`obligations are answered as the model answers, and come to its balances (SEED=${seed})`, async () => {
  const said = new Set<string>();
  const property = fc.asyncProperty(
    fc.array(steps, { minLength: 20, maxLength: 60, size: "max" }),
    async (stretches) => {
      const pair = await Pair.open();
      for (const next of [...firstOfAll, ...stretches.flat()]) {
        const both = await pair.does(next);
        if (both === null) continue;
        expect(both.heard, JSON.stringify(next)).toBe(both.expected);
        said.add(`${next.verb}: ${both.heard}`);
      }
      const { heard, expected } = await pair.ends();
      expect(heard).toEqual(expected);
    },
  );
  await fc.assert(property, { seed, numRuns });
  // All of it happened, or this has compared nothing with nothing.
  const usual = ["fix", "amend", "remit", "hold", "settle", "release", "late return"].map(
    (verb) => `${verb}: Appended`,
  );
  const refused = [
    "amend: amended_below_paid",
    "remit: obligation_not_payable",
    "hold: insufficient_funds",
    "settle: Impossible",
  ];
  expect([...said]).toEqual(expect.arrayContaining(numRuns < 25 ? [] : [...usual, ...refused]));
}, 120_000);
