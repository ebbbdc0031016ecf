/** What rails report that fits no order: a return of an unknown entry, and a wire that its receiver sends back. */
import { beforeEach, describe, expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import type { StatementPart } from "../../../contracts/messages/bank-statements.ts";
import { newYorkDate } from "../../../contracts/rails/banking-calendar.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { inquiryOf, submissionOf, testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { givenBook, type RuleBook, ruleDesk } from "../../../test/stack/services/rules.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import type { Submission } from "../instructions/rail-adapter.ts";
import { publishDue } from "../instructions/run-due-steps.worker.ts";
import { issueThrough } from "../statements/issue-due-statements.worker.ts";
import { QuerySimulation } from "./query-simulation.handler.ts";

const cipher = new SecretCipher(testEncryptionKeys);
const bank = await forThisFile(openFreshUnits("rails"));
const { create, rail, orders, givenOrder } = ruleDesk(bank, cipher);
const console = new QuerySimulation(orders, bank.database);

let qa: RuleBook;
beforeEach(async () => {
  qa = givenBook();
  await bank.takeMessages();
});

const handOff = (...submissions: Submission[]) =>
  bank.units.run((unit) => rail.take({ submissions, inquiries: [] }, unit));
const inAMinute = () => new Date(Date.now() + 60_000);
const publishAll = () => bank.units.run((unit) => publishDue(unit, cipher, inAMinute()));

/** What the rails say with a reference of its own. */
async function ofNoOrder() {
  const said = await bank.takeMessages();
  return said.filter(({ type }) => !type.startsWith("rails.instruction-"));
}
async function movements({ book }: RuleBook): Promise<string[]> {
  const rows = await bank.database.sql<{ line: string }>(
    `select kind || ' ' || side || ' ' || amount_cents as line
     from bank_movement
     where book_id = $1
     order by occurred_at, order_id, number`,
    [uuidOf(book)],
  );
  return rows.map(({ line }) => line);
}
const traceIn = (message: { data: unknown } | undefined) =>
  (message?.data as { traceNumber?: string } | undefined)?.traceNumber;

describe("an unmatched return", () => {
  it.each([
    ["Credit", "In", "R03"],
    ["Debit", "Out", "R01"],
  ] as const)("of a %s moves money %s, besides the settlement", async (direction, side, code) => {
    await create({ fault: "UnmatchedReturn" }, qa);
    await handOff(submissionOf(qa.book, { rail: "Ach", direction }));
    await publishAll();
    const [returned, ...more] = await ofNoOrder();
    expect(more).toEqual([]);
    expect(returned).toMatchObject({
      type: "rails.unmatched-return-received.v1",
      book: qa.book,
      data: {
        rail: "Ach",
        direction,
        amountCents: 4_000,
        currency: "USD",
        code,
        traceNumber: expect.stringMatching(/^7920\d{11}$/),
        originalTraceNumber: expect.stringMatching(/^7910\d{11}$/),
        originatorName: "Jane Receiver",
      },
    });
    expect(JSON.stringify(returned?.data)).not.toContain("po_");
    const settledTo = side === "In" ? "Out" : "In";
    expect(await movements(qa)).toEqual([`Settlement ${settledTo} 4000`, `UnmatchedReturn ${side} 4000`]);
  });

  it("has the trace number that the seed and the external id give, in every book", async () => {
    const traces: (string | undefined)[] = [];
    for (const externalId of ["invoice-1", "invoice-1", "invoice-2"]) {
      const other = givenBook();
      await create({ fault: "UnmatchedReturn" }, other);
      await handOff(submissionOf(other.book, { rail: "Ach", externalId }));
      await publishAll();
      traces.push(traceIn((await ofNoOrder())[0]));
    }
    expect(traces[0]).toBe(traces[1]);
    expect(traces[2]).not.toBe(traces[0]);
  });

  it("of orders without an external id has one by their number", async () => {
    const other = givenBook();
    const traces: (string | undefined)[][] = [];
    for (const { book } of [qa, other]) {
      await create({ fault: "UnmatchedReturn" }, book === qa.book ? qa : other);
      await handOff(submissionOf(book, { rail: "Ach" }));
      await handOff(submissionOf(book, { rail: "Ach" }));
      await publishAll();
      traces.push((await ofNoOrder()).map(traceIn));
    }
    expect(new Set(traces[0])).toEqual(new Set(traces[1]));
    expect(new Set(traces[0]).size).toBe(2);
  });

  it("moves money once for two orders that chance can't tell apart", async () => {
    await create({ fault: "UnmatchedReturn" }, qa);
    const twin = { rail: "Ach", externalId: "same" } as const;
    await handOff(submissionOf(qa.book, twin), submissionOf(qa.book, twin));
    await publishAll();
    expect((await movements(qa)).filter((line) => line.startsWith("Unmatched"))).toHaveLength(1);
    const [one, other] = await ofNoOrder();
    expect(traceIn(one)).toBe(traceIn(other));
  });

  it("is said again on an inquiry, with the same data, and moves no more money", async () => {
    await create({ fault: "UnmatchedReturn" }, qa);
    const payment = submissionOf(qa.book, { rail: "Ach" });
    await handOff(payment);
    await publishAll();
    const [first] = await ofNoOrder();
    await bank.units.run((unit) => rail.take({ submissions: [], inquiries: [inquiryOf(payment)] }, unit));
    const [again] = await ofNoOrder();
    expect(again?.data).toEqual(first?.data);
    expect(again?.id).not.toBe(first?.id);
    expect(await movements(qa)).toHaveLength(2);
  });
});

it("what fits no order is on the bank's statement without an order", async () => {
  await create({ fault: "UnmatchedReturn" }, qa);
  await create({ match: { rail: "Wire" }, fault: "SentBack" }, qa);
  await handOff(submissionOf(qa.book, { rail: "Ach" }), submissionOf(qa.book, { rail: "Wire" }));
  await publishAll();
  await bank.takeMessages();
  const day = newYorkDate(new Date(Date.now() + 7 * 86_400_000));
  await bank.units.run((unit) => issueThrough(unit, qa.book, day));
  const lines = (await bank.takeMessages()).flatMap(({ data }) => (data as StatementPart).lines);
  const ofNone = lines.filter(({ customerReference }) => customerReference === null);
  expect(ofNone.map(({ kind, side, amountCents }) => `${kind} ${side} ${amountCents}`).toSorted()).toEqual([
    "Inbound In 4000",
    "Return In 4000",
  ]);
});

describe("a wire that its receiver sends back", () => {
  it("comes in as a new payment once it has settled", async () => {
    await create({ match: { rail: "Wire" }, fault: "SentBack" }, qa);
    const wire = submissionOf(qa.book, { rail: "Wire" });
    await handOff(wire);
    await publishAll();
    const said = await bank.takeMessages();
    expect(said.map(({ type }) => type)).toEqual([
      "rails.instruction-accepted.v1",
      "rails.instruction-settled.v1",
      "rails.payment-sent-back.v1",
    ]);
    expect(said[2]?.data).toMatchObject({
      orderId: wire.data.orderId,
      rail: "Wire",
      amountCents: 4_000,
      bankReference: expect.stringMatching(/^\d{8}QTSIM\w{3}\d{6}$/),
      originatorName: "Jane Receiver",
    });
    expect(await movements(qa)).toEqual(["Settlement Out 4000", "SentBack In 4000"]);
  });

  it("is shown to testers with its reference", async () => {
    await create({ match: { rail: "Wire" }, fault: "SentBack" }, qa);
    const { id } = givenOrder({ rail: "Wire" });
    await handOff(submissionOf(qa.book, { orderId: id, rail: "Wire" }));
    expect((await console.order({ id }, qa)).steps[2]).toMatchObject({
      number: 3,
      event: "SentBack",
      code: null,
      reference: expect.stringContaining("QTSIM"),
      reportedAt: null,
    });
  });
});
