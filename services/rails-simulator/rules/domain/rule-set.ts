import { createHash } from "node:crypto";
import { uuidOf } from "../../../../contracts/ids/ids.ts";
import { faultsByChance } from "./fault-needs.ts";
import type { Rule, RuledPayment, RuleMatch } from "./rule.ts";

const keyOf = ({ kind, value }: RuleMatch) => `${kind}/${value}`;

/** The active rules of one book. A look-up costs the same with one rule and with a thousand. */
export class RuleSet {
  readonly #byMatch: ReadonlyMap<string, readonly Rule[]>;
  /** Whether a rule needs to know the account number of a payment. */
  readonly needsAccount: boolean;
  readonly isEmpty: boolean;
  readonly #rules: readonly Rule[];
  readonly #outages: readonly Rule[];
  /** When the last rule in which chance decides ends, in milliseconds; never if one has no end. */
  readonly #chanceEndsAt: number;

  /** `rules` from the oldest on. */
  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    this.#outages = rules.filter(({ fault }) => fault === "Outage");
    const others = rules.filter(({ fault }) => fault !== "Outage");
    this.#byMatch = Map.groupBy(others, ({ match }) => keyOf(match));
    this.isEmpty = rules.length === 0;
    this.needsAccount = rules.some(({ match }) => match.kind === "Account");
    this.#chanceEndsAt = rules
      .filter(({ share, fault }) => (share !== null && share < 1) || faultsByChance.has(fault))
      .reduce((latest, { until }) => Math.max(latest, until?.getTime() ?? Number.POSITIVE_INFINITY), 0);
  }

  /** Whether chance decides in a rule at `now`: on which payments it acts, or a reference. */
  needsRandomKey(now: Date): boolean {
    return now.getTime() < this.#chanceEndsAt;
  }

  /** The rule, if it is still active. */
  find(id: Rule["id"] | null): Rule | undefined {
    return id === null ? undefined : this.#rules.find((rule) => rule.id === id);
  }

  /** The outage because of which the rail does not take the payment at `now`. What else happens to it comes after. */
  outageFor({ rail, direction }: Pick<RuledPayment, "rail" | "direction">, now: Date): Rule | undefined {
    return this.#outages.find(
      ({ actsOn, until }) => actsOn.includes(`${rail}/${direction}`) && (until === null || until > now),
    );
  }

  /**
   * The rules that may act on the payment at `now`, from the oldest on. Only the first acts; the next one counts if
   * that one has been used up. So a rule without a count is the last.
   */
  candidatesFor(payment: RuledPayment, now: Date, bookSeed: string): Rule[] {
    const lists = matchesOf(payment).flatMap((match) => {
      const rules = this.#byMatch.get(keyOf(match));
      return rules === undefined ? [] : [rules];
    });
    const candidates: Rule[] = [];
    for (const rule of oldestFirst(lists)) {
      if (!rule.actsOn.includes(`${payment.rail}/${payment.direction}`)) continue;
      if (rule.until !== null && rule.until <= now) continue;
      if (!isInShare(rule, payment.randomKey, bookSeed)) continue;
      candidates.push(rule);
      if (rule.count === null) break;
    }
    return candidates;
  }
}

/** Merges lists that are each in order, reading no further than its caller. */
function* oldestFirst(lists: readonly (readonly Rule[])[]): Generator<Rule> {
  const heads = lists.map((rules) => rules.values());
  const next = heads.map((head) => head.next().value);
  for (;;) {
    let oldest = -1;
    next.forEach((rule, index) => {
      if (rule === undefined) return;
      if ((next[oldest]?.number ?? Number.POSITIVE_INFINITY) > rule.number) oldest = index;
    });
    const rule = next[oldest];
    if (rule === undefined) return;
    yield rule;
    next[oldest] = heads[oldest]?.next().value;
  }
}

function matchesOf({ orderId, externalId, rail, accountHashes }: RuledPayment): RuleMatch[] {
  return [
    { kind: "Order", value: uuidOf(orderId) },
    ...(externalId === null ? [] : [{ kind: "ExternalId", value: externalId } as const]),
    { kind: "Rail", value: rail },
    ...accountHashes.map((value) => ({ kind: "Account", value }) as const),
  ];
}

/**
 * Whether the rule acts on the payment: by its own seed, else by the book's and the rule's number, so that two rules of
 * one share don't pick the same payments.
 */
function isInShare({ share, seed, number }: Rule, randomKey: string, bookSeed: string): boolean {
  if (share === null || share === 1) return true;
  const decides = JSON.stringify([seed ?? [bookSeed, number], "share", randomKey]);
  const digest = createHash("sha256").update(decides).digest();
  return digest.readUIntBE(0, 6) / 2 ** 48 < share;
}

/**
 * Gives each payment the oldest of its candidates that is still active and not used up, in the order of the payments.
 * @param inForce the candidates as they are stored and locked: one that is missing has ended.
 */
export function allocate<Key>(
  candidates: ReadonlyMap<Key, readonly Rule[]>,
  inForce: ReadonlyMap<Rule["id"], Pick<Rule, "applied">>,
): Map<Key, Rule> {
  const applied = new Map([...inForce].map(([id, rule]) => [id, rule.applied]));
  const taken = new Map<Key, Rule>();
  for (const [payment, rules] of candidates) {
    const rule = rules.find(({ id, count }) => {
      const times = applied.get(id);
      return times !== undefined && (count === null || times < count);
    });
    if (rule === undefined) continue;
    applied.set(rule.id, (applied.get(rule.id) ?? 0) + 1);
    taken.set(payment, rule);
  }
  return taken;
}
