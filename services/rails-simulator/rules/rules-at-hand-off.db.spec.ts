import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { submissionOf, testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { givenBook, type RuleBook, ruleDesk } from "../../../test/stack/services/rules.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { Message } from "../../../contracts/message.ts";
import type { SubmitInstruction } from "../../../contracts/messages/rails.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { readSimulatedBooks } from "./store/simulated-books.ts";
import { RulesAtHandOff } from "./rules-at-hand-off.ts";

type Submission = Message<typeof SubmitInstruction>;

const cipher = new SecretCipher(testEncryptionKeys);
const bank = await forThisFile(openFreshUnits("rails"));
const { handler, create } = ruleDesk(bank, cipher);
const rail = new RulesAtHandOff(cipher);

let qa: RuleBook;
beforeEach(() => {
  qa = givenBook();
});

/** A Credit over Ach, unless `data` says otherwise. */
const pays = (data: Partial<Submission["data"]> = {}, accountNumber?: string) =>
  submissionOf(qa.book, { rail: "Ach", ...data }, accountNumber);

async function assignRules(submissions: readonly Submission[], by = rail, sent: string[] = []) {
  return bank.units.run(async ({ sql, afterCommit }) => {
    const counted: Sql = (text, params) => {
      sent.push(text);
      return sql(text, params);
    };
    const books = await readSimulatedBooks(sql, submissions);
    return by.assignRules(submissions, { sql: counted, afterCommit }, books);
  });
}
/** The codes of the rules that act on the payments, in their order; null where none does. */
async function codesFor(submissions: readonly Submission[], by = rail) {
  const rules = await assignRules(submissions, by);
  return submissions.map(({ data }) => rules.get(data.orderId)?.rule.code ?? null);
}
const appliedOf = async (id: string) => {
  const { applied, status } = await handler.get({ id }, qa);
  return [applied, status];
};

describe("the rule that acts on a payment", () => {
  it("is the oldest active one that matches it", async () => {
    const orderId = newId("po");
    await create({ match: { externalId: "invoice-1" }, code: "R02" }, qa);
    await create({ code: "R03" }, qa);
    await create({ match: { accountNumber: cipher.encrypt("000555666777") }, code: "R04" }, qa);
    expect(
      await codesFor([pays({ orderId, externalId: "invoice-1" }), pays(), pays({ rail: "Wire" })]),
    ).toEqual(["R02", "R03", null]);
  });

  it("finds an account number by its keyed hash, also after a rotation of the keys", async () => {
    await create({ match: { accountNumber: cipher.encrypt("000555666777") }, code: "R04" }, qa);
    expect(await codesFor([pays({}, "000555666777"), pays({}, "000555666778")])).toEqual(["R04", null]);
    const rotated = new SecretCipher(`k2:${Buffer.alloc(32, 7).toString("base64")},${testEncryptionKeys}`);
    expect(await codesFor([pays({}, "000555666777")], new RulesAtHandOff(rotated))).toEqual(["R04"]);
  });

  it("is made, ended and found by any instance at once", async () => {
    const other = new RulesAtHandOff(cipher);
    expect(await codesFor([pays()], other)).toEqual([null]);
    const { id } = await create({ code: "R02" }, qa);
    await create({ code: "R03" }, qa);
    expect(await codesFor([pays()], other)).toEqual(["R02"]);
    await handler.end({ id }, qa);
    expect(await codesFor([pays()], other)).toEqual(["R03"]);
  });

  it("acts in its own book only", async () => {
    await create({}, qa);
    const stranger = submissionOf(givenBook().book, { rail: "Ach" });
    expect(await codesFor([stranger])).toEqual([null]);
  });

  it("counts, and is logged with its order", async () => {
    const { id } = await create({ code: "R02" }, qa);
    const payments = [pays(), pays()];
    await codesFor(payments);
    expect(await appliedOf(id)).toEqual([2, "Active"]);
    const logged = await bank.database.sql(
      "select actor, details from simulation_log where kind = 'InjectionApplied' and order_id = any ($1::uuid[])",
      [payments.map(({ data }) => uuidOf(data.orderId))],
    );
    expect(logged).toEqual([
      { actor: null, details: { fault: "Return", code: "R02" } },
      { actor: null, details: { fault: "Return", code: "R02" } },
    ]);
  });

  it("stays the payment's when the payment is handed off again, and counts once", async () => {
    const { id } = await create({ code: "R02" }, qa);
    const payment = pays();
    expect([await codesFor([payment]), await codesFor([payment])]).toEqual([["R02"], ["R02"]]);
    expect(await appliedOf(id)).toEqual([1, "Active"]);
  });

  it("is none for a payment at its rail, and for one whose outcome a call has decided", async () => {
    const { id } = await create({}, qa);
    const [atRail, called] = [pays(), pays()];
    await bank.database.sql(
      "insert into instruction (order_id, book_id, pending_action) select *, 'settle' from unnest($1::uuid[], $2::uuid[])",
      [
        [atRail, called].map(({ data }) => uuidOf(data.orderId)),
        [atRail, called].map(({ book }) => uuidOf(book)),
      ],
    );
    expect(await codesFor([atRail, called])).toEqual([null, null]);
    expect(await appliedOf(id)).toEqual([0, "Active"]);
  });
});

describe("a rule with a count", () => {
  it("acts so often and is then Used; the next rule goes on", async () => {
    const { id } = await create({ code: "R02", count: 2 }, qa);
    await create({ code: "R03" }, qa);
    expect(await codesFor([pays(), pays(), pays()])).toEqual(["R02", "R02", "R03"]);
    expect(await appliedOf(id)).toEqual([2, "Used"]);
    expect(await codesFor([pays()])).toEqual(["R03"]);
  });

  it("acts exactly so often when two instances hand off at once", async () => {
    const { id } = await create({ count: 10 }, qa);
    const instances = [rail, new RulesAtHandOff(cipher)];
    const batches = Array.from({ length: 12 }, (_, index) =>
      codesFor([pays(), pays()], instances[index % 2]),
    );
    const rules = (await Promise.all(batches)).flat();
    expect(rules).toHaveLength(24);
    expect(await appliedOf(id)).toEqual([10, "Used"]);
    const applied = await bank.database.sql<{ n: bigint }>(
      "select count(*) as n from simulation_log where kind = 'InjectionApplied' and book_id = $1",
      [uuidOf(qa.book)],
    );
    expect(applied).toEqual([{ n: 10n }]);
  });
});

describe("a rule with a share", () => {
  it("picks the same payments of two books by the number of their order", async () => {
    const run = async () => {
      qa = givenBook();
      await create({ code: "R02", share: 0.5, seed: "monday" }, qa);
      const orders = Array.from({ length: 30 }, () => pays());
      return [...(await codesFor(orders.slice(0, 10))), ...(await codesFor(orders.slice(10)))];
    };
    const runs = [await run(), await run()];
    expect(runs[0]).toEqual(runs[1]);
    expect(new Set(runs[0])).toEqual(new Set(["R02", null]));
  });

  it("picks by the same numbers if orders are handed off again", async () => {
    const run = async (repeats: number) => {
      qa = givenBook();
      await create({ code: "R02", share: 0.5, seed: "monday" }, qa);
      const codes = [];
      for (let index = 0; index < 20; index += 1) {
        const payment = pays();
        codes.push(...(await codesFor([payment])));
        await bank.database.sql(
          "insert into instruction (order_id, book_id, pending_action) values ($1, $2, 'settle')",
          [uuidOf(payment.data.orderId), uuidOf(qa.book)],
        );
        for (let times = 0; times < repeats; times += 1) {
          expect(await codesFor([payment])).toEqual(codes.slice(-1));
        }
      }
      return codes;
    };
    expect(await run(3)).toEqual(await run(0));
  });

  it("counts no orders once its until has passed", async () => {
    const standsAt = new Date("2038-02-12T15:00:00.000Z");
    const clock = (at: Date, sequence: number) =>
      saveClock(bank.database.sql, qa.book, { mode: "Manual", leadMs: 1, standsAt: at, sequence });
    const orders = async () => {
      const sql = "select orders from injection_book where book_id = $1";
      return (await bank.database.sql<{ orders: bigint }>(sql, [uuidOf(qa.book)]))[0]?.orders;
    };
    await clock(standsAt, 1);
    await create({ share: 0.5, until: "2038-02-12T15:00:00.001Z" }, qa);
    await codesFor([pays(), pays()]);
    expect(await orders()).toBe(2n);
    await clock(new Date(standsAt.getTime() + 1), 2);
    await codesFor([pays()]);
    await codesFor([pays()], new RulesAtHandOff(cipher));
    expect(await orders()).toBe(2n);
  });

  it("leaves what it does not pick to the next rule", async () => {
    await create({ code: "R02", share: 0.5 }, qa);
    await create({ code: "R03" }, qa);
    const codes = await codesFor(Array.from({ length: 40 }, () => pays()));
    expect(new Set(codes)).toEqual(new Set(["R02", "R03"]));
  });
});

describe("the cost of rules", () => {
  const statements = async (payments: Submission[]) => {
    const sent: string[] = [];
    await assignRules(payments, rail, sent);
    return sent.length;
  };

  it("is no statement in a book without rules", async () => {
    expect(await statements([pays()])).toBe(0);
  });

  it("is no statement for payments that no rule matches, once the rules have been read", async () => {
    await create({ match: { externalId: "another" } }, qa);
    expect(await statements([pays()])).toBe(1);
    expect(await statements([pays(), pays()])).toBe(0);
  });

  it("is four statements for any number of payments on which rules act", async () => {
    await create({}, qa);
    await statements([pays({ rail: "Wire" })]);
    expect(await statements([pays(), pays(), pays()])).toBe(4);
  });
});
