import type { BookId, InjectionId, PaymentOrderId } from "../../../contracts/ids/ids.ts";
import type { Message } from "../../../contracts/message.ts";
import type { SubmitInstruction } from "../../../contracts/messages/rails.ts";
import type { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { pipeline } from "../../platform/persistence/pipeline.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { insertLogEntries } from "../simulation-log/store/simulation-log.ts";
import { hashesOfNumber } from "./account-hashes.ts";
import { allocate, RuleSet } from "./domain/rule-set.ts";
import type { Rule, RuledPayment } from "./domain/rule.ts";
import { countOrders, lockBooksOfRules, readDecided } from "./store/applications.ts";
import type { SimulatedBook } from "./store/simulated-books.ts";
import { countApplied, lockActiveRules, readActiveRules } from "./store/rules.ts";

type Submission = Message<typeof SubmitInstruction>;

/** What decides rules besides the payment. */
type BookOfRules = Pick<SimulatedBook, "time" | "seed" | "ruleChanges">;

/** A payment of a book with rules. */
interface Ruled {
  readonly submission: Submission;
  readonly rules: RuleSet;
}

/** The rule that acts on a payment, and the key of the payment for random choices. */
export interface AssignedRule {
  readonly rule: Rule;
  /** Empty if the book's rules leave nothing to chance. */
  readonly randomKey: string;
}

interface RandomKeys {
  readonly randomKeys: ReadonlyMap<PaymentOrderId, string>;
  /** Of the orders without an external id, those that no rule acts on any more, with the rule that has. */
  readonly decided: ReadonlyMap<PaymentOrderId, InjectionId | null>;
}

/** Enough for the books that testers work in at a time. */
const maxRememberedBooks = 200;

/**
 * Chooses at hand-off the rule that acts on each payment. It remembers the rules of each book until they change, so
 * that a hand-off that no rule matches costs no statement.
 */
export class RulesAtHandOff {
  readonly #cipher: SecretCipher;
  readonly #sets = new Map<BookId, { readonly changes: bigint; readonly rules: RuleSet }>();

  constructor(cipher: SecretCipher) {
    this.#cipher = cipher;
  }

  /**
   * Assigns rules to payments, and returns those that have one. A payment that is handed off again keeps its rule. A
   * rule that acts on a further payment is locked, counted and logged, and ends once it is used up. Waits for other
   * batches on which the same rules act.
   */
  async assignRules(
    submissions: readonly Submission[],
    { sql, afterCommit }: Pick<UnitOfWork, "sql" | "afterCommit">,
    bookOf: (book: BookId) => BookOfRules,
  ): Promise<ReadonlyMap<PaymentOrderId, AssignedRule>> {
    const sets = new Map<BookId, RuleSet>();
    const ruled: Ruled[] = [];
    // The same instruction may come twice.
    for (const submission of new Map(submissions.map((each) => [each.data.orderId, each])).values()) {
      const { ruleChanges, time } = bookOf(submission.book);
      if (ruleChanges === null) continue;
      const rules =
        sets.get(submission.book) ?? (await this.#rulesOf(sql, submission.book, ruleChanges, time));
      sets.set(submission.book, rules);
      if (!rules.isEmpty) ruled.push({ submission, rules });
    }
    afterCommit(() => {
      for (const [book, rules] of sets) this.#remember(book, bookOf(book).ruleChanges, rules);
    });
    if (ruled.length === 0) return new Map();
    const withheld = outagesFor(ruled, bookOf);
    const taken = ruled.filter(({ submission }) => !withheld.has(submission.data.orderId));
    const { randomKeys, decided } = await randomKeysOf(sql, taken, bookOf);
    const candidates = new Map<PaymentOrderId, readonly Rule[]>();
    const again = new Map<PaymentOrderId, Rule>();
    for (const { submission, rules } of taken) {
      const decidedBy = decided.get(submission.data.orderId);
      const rule = rules.find(decidedBy ?? null);
      if (rule !== undefined) again.set(submission.data.orderId, rule);
      if (decidedBy !== undefined) continue;
      const { time, seed } = bookOf(submission.book);
      const payment = this.#paymentOf(submission, rules, randomKeys.get(submission.data.orderId) ?? "");
      const some = rules.candidatesFor(payment, time, seed);
      if (some.length > 0) candidates.set(submission.data.orderId, some);
    }
    const applied = candidates.size === 0 ? [] : await applyRules(sql, candidates, taken, bookOf);
    return new Map(
      [...withheld, ...again, ...applied].map(([orderId, rule]) => [
        orderId,
        { rule, randomKey: randomKeys.get(orderId) ?? "" },
      ]),
    );
  }

  async #rulesOf(sql: Sql, book: BookId, changes: bigint, now: Date): Promise<RuleSet> {
    const remembered = this.#sets.get(book);
    if (remembered?.changes === changes) return remembered.rules;
    return new RuleSet(await readActiveRules(sql, book, now));
  }

  /**
   * Only after the commit: the transaction may have changed the rules itself. If it rolled back, the next change would
   * have the same number.
   */
  #remember(book: BookId, changes: bigint | null, rules: RuleSet): void {
    if (changes === null) return;
    this.#sets.delete(book);
    this.#sets.set(book, { changes, rules });
    const [oldest] = this.#sets.keys();
    if (this.#sets.size > maxRememberedBooks && oldest !== undefined) this.#sets.delete(oldest);
  }

  #paymentOf({ data }: Submission, rules: RuleSet, randomKey: string): RuledPayment {
    const { orderId, externalId = null, rail, direction, counterpartyAccountNumber: number } = data;
    const accountHashes = rules.needsAccount ? hashesOfNumber(this.#cipher, number) : [];
    return { orderId, externalId, rail, direction, accountHashes, randomKey };
  }
}

/**
 * The outages that keep payments from their rail. They are in force until the commit: whoever ends one waits for the
 * book's hand-offs (`lockAgainstHandOffs`). So a hand-off locks no rule before its book, and nothing deadlocks with
 * `endRule`.
 */
function outagesFor(
  ruled: readonly Ruled[],
  bookOf: (book: BookId) => BookOfRules,
): Map<PaymentOrderId, Rule> {
  return new Map(
    ruled.flatMap(({ submission: { book, data }, rules }) => {
      const rule = rules.outageFor(data, bookOf(book).time);
      return rule === undefined ? [] : [[data.orderId, rule] as const];
    }),
  );
}

/**
 * The key of each order for random choices: its external id, or else its number among the book's orders without one.
 * Orders that are handed off together are numbered in the order of their creation. An order that is handed off again
 * gets no new number: it is in `decided`.
 */
async function randomKeysOf(
  sql: Sql,
  ruled: readonly Ruled[],
  bookOf: (book: BookId) => BookOfRules,
): Promise<RandomKeys> {
  const keys = new Map<PaymentOrderId, string>();
  const withoutId: Submission[] = [];
  for (const { submission, rules } of ruled) {
    const { externalId, orderId } = submission.data;
    if (externalId !== undefined) keys.set(orderId, `id ${externalId}`);
    else if (rules.needsRandomKey(bookOf(submission.book).time)) withoutId.push(submission);
  }
  if (withoutId.length === 0) return { randomKeys: keys, decided: new Map() };
  // In this order: what another batch has decided while this one waited for the lock has to be seen.
  const [, decided] = await pipeline(
    sql,
    (tx) => lockBooksOfRules(tx, new Set(withoutId.map(({ book }) => book))),
    (tx) =>
      readDecided(
        tx,
        withoutId.map(({ data }) => data.orderId),
      ),
  );
  const unnamed = withoutId.filter(({ data }) => !decided.has(data.orderId));
  if (unnamed.length === 0) return { randomKeys: keys, decided };
  const byBook = Map.groupBy(unnamed, ({ book }) => book);
  const last = await countOrders(sql, new Map([...byBook].map(([book, orders]) => [book, orders.length])));
  for (const [book, orders] of byBook) {
    const first = (last.get(book) ?? 0) - orders.length + 1;
    orders
      .map(({ data }) => data.orderId)
      .toSorted()
      .forEach((orderId, index) => keys.set(orderId, `#${String(first + index)}`));
  }
  return { randomKeys: keys, decided };
}

/** Gives the payments their rules, and counts and logs what is new. */
async function applyRules(
  sql: Sql,
  candidates: ReadonlyMap<PaymentOrderId, readonly Rule[]>,
  ruled: readonly Ruled[],
  bookOf: (book: BookId) => BookOfRules,
): Promise<ReadonlyMap<PaymentOrderId, Rule>> {
  const bookOfOrder = new Map(ruled.map(({ submission }) => [submission.data.orderId, submission.book]));
  const ofBook = new Map<InjectionId, BookId>();
  for (const { submission } of ruled) {
    for (const { id } of candidates.get(submission.data.orderId) ?? []) ofBook.set(id, submission.book);
  }
  // In this order: what another batch has decided while this one waited for the lock has to be seen.
  const [inForce, decided] = await Promise.all([
    lockActiveRules(
      sql,
      [...ofBook].map(([id, book]) => ({ id, book })),
    ),
    readDecided(sql, [...candidates.keys()]),
  ]);
  const open = new Map([...candidates].filter(([orderId]) => !decided.has(orderId)));
  const applied = allocate(open, inForce);
  const times = new Map<InjectionId, number>();
  for (const { id } of applied.values()) times.set(id, (times.get(id) ?? 0) + 1);
  if (applied.size > 0) {
    await Promise.all([
      countApplied(
        sql,
        [...times].map(([id, count]) => ({ id, book: ofBook.get(id) as BookId, times: count })),
      ),
      insertLogEntries(
        sql,
        [...applied].map(([orderId, { id: injectionId, fault, code }]) => {
          const book = bookOfOrder.get(orderId) as BookId;
          const { time: bookTime } = bookOf(book);
          const details = { fault, code };
          return { book, kind: "InjectionApplied", actor: null, bookTime, orderId, injectionId, details };
        }),
      ),
    ]);
  }
  const again = [...decided].flatMap(([orderId, id]) => {
    const rule = (candidates.get(orderId) ?? []).find((candidate) => candidate.id === id);
    return rule === undefined ? [] : [[orderId, rule] as const];
  });
  return new Map([...applied, ...again]);
}
