import { describe, expect, it } from "vitest";
import { newId, uuidOf } from "../../../../contracts/ids/ids.ts";
import type { Rule, RuledPayment } from "./rule.ts";
import { allocate, RuleSet } from "./rule-set.ts";

const now = new Date("2027-02-12T15:00:00.000Z");

function rule(number: number, change: Partial<Rule> = {}): Rule {
  return {
    id: newId("inj"),
    number,
    match: { kind: "Rail", value: "Ach" },
    direction: null,
    actsOn: ["Ach/Credit", "Ach/Debit"],
    fault: "Return",
    code: null,
    then: null,
    delaySeconds: null,
    correctedData: null,
    share: null,
    seed: null,
    count: null,
    applied: 0,
    until: null,
    ...change,
  };
}

function payment(change: Partial<RuledPayment> = {}): RuledPayment {
  return {
    orderId: newId("po"),
    externalId: null,
    rail: "Ach",
    direction: "Credit",
    accountHashes: [],
    randomKey: "#1",
    ...change,
  };
}

const numbersFor = (rules: Rule[], of: RuledPayment) =>
  new RuleSet(rules).candidatesFor(of, now, "seed").map(({ number }) => number);

describe("the rules that may act on a payment", () => {
  it("match it by its order, external id, rail or account, the oldest first", () => {
    const orderId = newId("po");
    const limited = { count: 1 };
    const rules = [
      rule(1, limited),
      rule(2, { ...limited, match: { kind: "Order", value: uuidOf(orderId) } }),
      rule(3, { ...limited, match: { kind: "ExternalId", value: "invoice-1" } }),
      rule(4, { ...limited, match: { kind: "Account", value: "hash under an old key" } }),
      rule(5, { ...limited, match: { kind: "ExternalId", value: "invoice-2" } }),
      rule(6, limited),
    ];
    const accountHashes = ["hash", "hash under an old key"];
    expect(numbersFor(rules, payment({ orderId, externalId: "invoice-1", accountHashes }))).toEqual([
      1, 2, 3, 4, 6,
    ]);
    expect(numbersFor(rules, payment())).toEqual([1, 6]);
    expect(numbersFor(rules, payment({ rail: "Wire" }))).toEqual([]);
  });

  it("end with the first that has no count: it leaves nothing to newer ones", () => {
    expect(numbersFor([rule(1, { count: 2 }), rule(2), rule(3)], payment())).toEqual([1, 2]);
  });

  it("are those that can act on its rail and direction, and have not ended", () => {
    const rules = [rule(1, { actsOn: ["Ach/Debit"] }), rule(2, { until: now }), rule(3)];
    expect(numbersFor(rules, payment())).toEqual([3]);
    expect(numbersFor(rules, payment({ direction: "Debit" }))).toEqual([1]);
  });
});

describe("a rule with a share", () => {
  const picked = (shared: Rule, of: number, seed = "seed") => {
    const rules = new RuleSet([shared]);
    return Array.from({ length: of }, (_, index) => `id order-${String(index)}`).filter(
      (randomKey) => rules.candidatesFor(payment({ randomKey }), now, seed).length > 0,
    );
  };

  it("acts on about that share", () => {
    expect(picked(rule(1, { share: 0.1 }), 10_000).length).toBeGreaterThan(900);
    expect(picked(rule(1, { share: 0.1 }), 10_000).length).toBeLessThan(1_100);
    expect(picked(rule(1, { share: 1 }), 100)).toHaveLength(100);
  });

  it("picks the same payments with the same seed, whatever their ids and its own", () => {
    const first = picked(rule(1, { share: 0.5, seed: "monday" }), 50);
    expect(picked(rule(7, { share: 0.5, seed: "monday" }), 50, "another book's")).toEqual(first);
    expect(picked(rule(1, { share: 0.5, seed: "tuesday" }), 50)).not.toEqual(first);
    // Written out, because another order of the same picks would change every recorded run.
    expect(picked(rule(1, { share: 0.5, seed: "monday" }), 8)).toEqual(
      [0, 1, 3, 4, 6, 7].map((n) => `id order-${String(n)}`),
    );
  });

  it("without a seed goes by the book's, and picks others than the next rule of the same share", () => {
    const first = picked(rule(1, { share: 0.5 }), 50);
    expect(picked(rule(1, { share: 0.5 }), 50)).toEqual(first);
    expect(picked(rule(1, { share: 0.5 }), 50, "another seed")).not.toEqual(first);
    expect(picked(rule(2, { share: 0.5 }), 50)).not.toEqual(first);
  });
});

describe("payments that are handed off together", () => {
  it("use up a rule in their order, and the next rule takes the others", () => {
    const [first, second] = [rule(1, { count: 2 }), rule(2)];
    const inForce = new Map([
      [first.id, { applied: 1 }],
      [second.id, { applied: 9 }],
    ]);
    const candidates = new Map(["a", "b"].map((order) => [order, [first, second]] as const));
    expect([...allocate(candidates, inForce)]).toEqual([
      ["a", first],
      ["b", second],
    ]);
  });

  it("meet no rule that has ended in the meantime", () => {
    expect(allocate(new Map([["a", [rule(1)]]]), new Map()).size).toBe(0);
  });
});
