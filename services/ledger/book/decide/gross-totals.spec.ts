import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { newId } from "../../../../contracts/ids/ids.ts";
import {
  assignOf,
  holdOf,
  inboundOf,
  lateReturnOf,
  pendingOf,
  postingOf,
  postPendingOf,
  releaseOf,
  reversalOf,
  settlementOf,
  suspensePostingOf,
  voidPendingOf,
} from "../../../../test/ledger/commands.ts";
import {
  account,
  cash,
  GivenBook,
  linesOf,
  payroll,
  resultCode,
  savings,
  suspense,
} from "../../../../test/ledger/given.ts";
import { type Counters, maxGrossCents, zeroCounters } from "../account.ts";

// An account counts all debits and credits of its life in 64 bits. A tenant may use half of that.
let given: GivenBook;
const order = newId("po");
const limit = 4_611_686_018_427_387_904n;
beforeEach(() => {
  given = new GivenBook();
});

/** The account as years of movements left it: it has counted so much on both sides, and its balance is zero. */
function hasCounted(id: typeof payroll, counted: Partial<Counters>, more: object = {}): void {
  given.has(account(id, { ...more, counters: { ...zeroCounters, ...counted } }));
}
const posted = (cents: bigint) => ({ postedDebit: cents, postedCredit: cents });
const held = (cents: bigint) => ({
  heldDebit: cents,
  releasedDebit: cents,
  heldCredit: cents,
  releasedCredit: cents,
});

it("the limit is half of what 64 bits hold", () => {
  expect(maxGrossCents).toBe(limit);
});

describe("beyond the limit of an account's counters", () => {
  it.each([
    ["a posting, by its debits", () => postingOf([payroll, "Debit", 6], [savings, "Credit", 6])],
    ["a posting, by its credits", () => postingOf([savings, "Debit", 6], [payroll, "Credit", 6])],
    [
      "a posting whose lines leave the balance as it is",
      () =>
        postingOf(
          [payroll, "Debit", 3],
          [payroll, "Credit", 3],
          [payroll, "Debit", 3],
          [payroll, "Credit", 3],
        ),
    ],
    [
      "a pending transaction, by its later posting",
      () => pendingOf([payroll, "Debit", 6], [savings, "Credit", 6]),
    ],
    ["the hold of an order, by its later settlement", () => holdOf(order, payroll, 6)],
    ["the hold of a collection", () => holdOf(order, payroll, 6, { direction: "Debit" })],
  ])("%s is refused", (_what, command) => {
    hasCounted(payroll, posted(limit - 5n));
    expect(given.after(command())).toMatchObject({
      outcome: {
        code: "balance_out_of_range",
        detail:
          "All debits, or all credits, of Payroll would add up to more than 4611686018427387904 cents. Use another account.",
      },
    });
  });

  it("a hold is refused by what was ever held", () => {
    hasCounted(payroll, held(limit - 5n));
    expect(resultCode(given.after(holdOf(order, payroll, 6)))).toBe("balance_out_of_range");
    expect(linesOf(given.after(holdOf(newId("po"), payroll, 5)))).toHaveLength(2);
  });

  it("holds are refused that fit one by one and not together", () => {
    hasCounted(payroll, posted(limit - 5n));
    expect(linesOf(given.after(holdOf(newId("po"), payroll, 3)))).toHaveLength(2);
    expect(resultCode(given.after(holdOf(newId("po"), payroll, 3)))).toBe("balance_out_of_range");
    expect(linesOf(given.after(holdOf(newId("po"), payroll, 2)))).toHaveLength(2);
  });

  it("the post of a pending transaction is refused, and its void clears it", () => {
    const pending = pendingOf([payroll, "Debit", 6], [savings, "Credit", 6]);
    given.after(pending);
    const { counters } = given.book.accounts.get(payroll)!;
    given.has(account(payroll, { counters: { ...counters, ...posted(limit - 5n) } }));
    expect(given.after(postPendingOf(pending))).toMatchObject({
      outcome: {
        code: "balance_out_of_range",
        detail: expect.stringMatching(/Void the transaction, and post the money between other accounts\.$/),
      },
    });
    expect(linesOf(given.after(voidPendingOf(pending)))).toHaveLength(2);
  });

  it("a reversal is refused", () => {
    const posting = postingOf([savings, "Debit", 6], [payroll, "Credit", 6]);
    given.after(posting);
    const { counters } = given.book.accounts.get(payroll)!;
    given.has(account(payroll, { counters: { ...counters, ...posted(limit - 5n) } }));
    expect(resultCode(given.after(reversalOf(posting)))).toBe("balance_out_of_range");
  });

  it("the assignment of an inbound payment is refused, by Suspense's counters too", () => {
    hasCounted(suspense, posted(limit - 5n), { name: "Suspense", class: "Suspense" });
    expect(given.after(assignOf(payroll, 6))).toMatchObject({
      outcome: {
        code: "balance_out_of_range",
        detail: expect.stringMatching(/this book can't take more\.$/),
      },
    });
  });

  it("an account whose other side has passed it can still be paid out", () => {
    hasCounted(payroll, { postedDebit: limit, postedCredit: limit + 900n });
    expect(resultCode(given.after(postingOf([savings, "Debit", 1], [payroll, "Credit", 1])))).toBe(
      "balance_out_of_range",
    );
    hasCounted(payroll, { postedDebit: limit - 900n, postedCredit: limit + 900n });
    expect(linesOf(given.after(holdOf(order, payroll, 900)))).toHaveLength(2);
  });
});

describe("a posting that reaches the limit exactly", () => {
  it("is booked", () => {
    hasCounted(payroll, posted(limit - 5n));
    expect(linesOf(given.after(postingOf([payroll, "Debit", 5], [savings, "Credit", 5])))).toHaveLength(2);
  });
});

describe("what the bank forces is booked beyond the limit", () => {
  beforeEach(() => {
    given.after(holdOf(order, payroll, 900));
    for (const id of [payroll, cash, suspense]) {
      const before = given.book.accounts.get(id)!;
      const { counters } = before;
      const more = limit + 1n;
      given.has({
        ...before,
        counters: {
          heldDebit: counters.heldDebit + more,
          heldCredit: counters.heldCredit + more,
          releasedDebit: counters.releasedDebit + more,
          releasedCredit: counters.releasedCredit + more,
          postedDebit: counters.postedDebit + more,
          postedCredit: counters.postedCredit + more,
        },
      });
    }
  });

  it("a settlement, and its late return", () => {
    expect(linesOf(given.after(settlementOf(order)))).toHaveLength(4);
    expect(linesOf(given.after(lateReturnOf(order)))).toHaveLength(2);
  });

  it("a release", () => {
    expect(linesOf(given.after(releaseOf(order)))).toHaveLength(2);
  });

  it("an unexpected movement, and an inbound payment", () => {
    expect(linesOf(given.after(suspensePostingOf(newId("po"), 5)))).toHaveLength(2);
    expect(linesOf(given.after(inboundOf(payroll, 5)))).toHaveLength(2);
  });
});

it("no sequence of a tenant's own commands takes a counter beyond the limit", () => {
  const cents = fc.integer({ min: 1, max: 40 });
  const step = fc.oneof(
    cents.map((amount) => () => [holdOf(newId("po"), payroll, amount)]),
    cents.map((amount) => () => [postingOf([payroll, "Debit", amount], [savings, "Credit", amount])]),
    cents.map((amount) => () => [postingOf([savings, "Debit", amount], [payroll, "Credit", amount])]),
    cents.map((amount) => () => {
      const pending = pendingOf([payroll, "Debit", amount], [savings, "Credit", amount]);
      return [pending, postPendingOf(pending)];
    }),
    cents.map((amount) => () => {
      const id = newId("po");
      return [holdOf(id, payroll, amount), settlementOf(id)];
    }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), fc.bigInt({ min: 0n, max: 60n }), (steps, room) => {
      given = new GivenBook();
      hasCounted(payroll, { ...posted(limit - room), ...held(limit - room) });
      for (const commands of steps) {
        for (const command of commands()) {
          const refused = given.after(command);
          if (refused.kind !== "Append") break;
        }
        const { counters } = given.book.accounts.get(payroll)!;
        for (const cents of Object.values(counters)) expect(cents <= limit).toBe(true);
      }
    }),
  );
});
