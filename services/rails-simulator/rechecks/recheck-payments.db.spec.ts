/** What concerns thousands of payments of a book is done for all of them. No statement changes more than a thousand. */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { stepsTo } from "../../../scripts/local/demo/clock-steps.ts";
import { asAdmin, connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import { submissionOf, testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { givenBook, type RuleBook, ruleDesk } from "../../../test/stack/services/rules.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import type { ClockPut } from "../../../contracts/http/sandbox/clock.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { nextDueOfBook } from "../clock/next-due.ts";
import { SetClock } from "../clock/set-clock.handler.ts";
import type { Submission } from "../instructions/rail-adapter.ts";
import { publishDue } from "../instructions/run-due-steps.worker.ts";

const cipher = new SecretCipher(testEncryptionKeys);
const bank = await forThisFile(openFreshUnits("rails"));
const { handler: rules, create, rail, rechecks } = ruleDesk(bank, cipher);
const clocks = new SetClock(
  bank.database,
  bank.units,
  { apply: () => Promise.resolve([]) } as never,
  { add: () => undefined } as never,
  rechecks,
);

/** Refuses statements that change more than a thousand rows, but for the one that silences payments in flight. */
const refuseMany = (table: string, event: string, changed: string) => [
  `create function rails.refuse_many_${event}s() returns trigger language plpgsql as $$ begin
     if (select count(*) from ${changed}) > 1000 then raise 'one statement changed more than 1,000 rows'; end if;
     return null;
   end $$`,
  `create trigger refuse_many after ${event} on rails.${table}
   referencing ${event === "delete" ? "old" : "new"} table as changed
   for each statement execute function rails.refuse_many_${event}s()`,
];
beforeAll(() =>
  asAdmin(
    bank.adminUrl,
    ...refuseMany("instruction", "update", "changed where not silenced"),
    ...refuseMany("undelivered_instruction", "delete", "changed"),
  ),
);

let qa: RuleBook;
beforeEach(async () => {
  qa = givenBook();
  await bank.takeMessages();
});

const payments = (count: number) =>
  Array.from({ length: count }, () => submissionOf(qa.book, { rail: "Ach" }));
const handOff = (submissions: readonly Submission[]) =>
  bank.units.run((unit) => rail.take({ submissions, inquiries: [] }, unit));
const idsOf = (submissions: readonly Submission[]) => submissions.map(({ data }) => data.orderId);
const accepted = async () => (await bank.takeMessages()).map(({ subject }) => subject);
const put = async (body: ClockPut) => {
  for (const startAt of stepsTo(body.startAt)) await clocks.put({ mode: "Instant", startAt }, qa);
  return clocks.put(body, qa);
};
/** Goes through the rest, part by part. Returns the number of parts. */
async function goesThroughTheRest(): Promise<number> {
  let parts = 0;
  while ((await rechecks.tick()) > 0) parts += 1;
  return parts;
}
async function count(condition: string): Promise<number> {
  const [row] = await bank.database.sql<{ n: number }>(
    `select count(*)::int as n from instruction where book_id = $1 and ${condition}`,
    [uuidOf(qa.book)],
  );
  return row?.n ?? 0;
}

describe("the end of an outage", () => {
  it("hands on what it withheld a thousand at a time, in the order of the hand-offs, and then what came after", async () => {
    const { id } = await create({ fault: "Outage" }, qa);
    const held = payments(2_500);
    await handOff(held);
    await rules.end({ id }, qa);
    expect(await accepted()).toEqual(idsOf(held.slice(0, 1_000)));
    const later = payments(1);
    await handOff(later);
    const elsewhere = submissionOf(givenBook().book, { rail: "Ach" });
    await handOff([elsewhere, submissionOf(qa.book, { rail: "Wire" })]);
    expect(await accepted()).toHaveLength(2);
    expect(await goesThroughTheRest()).toBe(2);
    expect(await accepted()).toEqual(idsOf([...held.slice(1_000), ...later]));
  });

  it("lets a rule act once on a payment that waits behind those", async () => {
    const { id } = await create({ fault: "Outage" }, qa);
    await handOff(payments(1_000));
    await create({ fault: "Reject", count: 1 }, qa);
    await rules.end({ id }, qa);
    await handOff(payments(1));
    await goesThroughTheRest();
    expect(await count("reason = 'Rule'")).toBe(1);
  });

  it("lets payments in flight go on a thousand at a time, those first that are due first", async () => {
    await put({ mode: "Manual", startAt: "2038-02-08T15:00:00.000Z" });
    const inFlight = payments(2_100);
    await handOff(inFlight);
    const { id } = await create({ fault: "Outage" }, qa);
    const last = idsOf(inFlight).slice(0, 50).map(uuidOf);
    await bank.database.sql(
      "update step set due_at = due_at + interval '1 hour' where published_at is null and order_id = any ($1::uuid[])",
      [last],
    );
    await rules.end({ id }, qa);
    expect(await count("silenced")).toBe(1_100);
    expect(await count(`silenced and order_id in ('${last.join("', '")}')`)).toBe(50);
    expect(await goesThroughTheRest()).toBe(2);
    expect(await count("next_due_at is not null")).toBe(2_100);
  });

  it("goes on where an instance has stopped, and an advance of the clock waits for it", async () => {
    await put({ mode: "Manual", startAt: "2038-02-08T15:00:00.000Z" });
    await bank.takeMessages();
    const { id } = await create({ fault: "Outage" }, qa);
    const held = payments(1_500);
    await handOff(held);
    await rules.end({ id }, qa);
    expect(await nextDueOfBook(bank.database.sql, qa.book)).toEqual(new Date("2038-02-08T15:00:00.000Z"));
    const cure = await poisonBook(bank.adminUrl, "rails.instruction", qa.book, "insert");
    const at = Date.now();
    expect(await rechecks.tick(new Date(at))).toBe(0);
    await cure();
    expect(await count("true")).toBe(1_000);
    expect(await rechecks.tick(new Date(at + 6_000))).toBe(1);
    expect(await accepted()).toEqual(idsOf(held));
    expect(await nextDueOfBook(bank.database.sql, qa.book)).toEqual(new Date("2038-02-09T13:30:00.000Z"));
  });
});

it("waits longer with each failure of a book, also if another instance held its recheck in between", async () => {
  const { id } = await create({ fault: "Outage" }, qa);
  await handOff(payments(1_001));
  await rules.end({ id }, qa);
  const cure = await poisonBook(bank.adminUrl, "rails.instruction", qa.book, "insert");
  const began = Date.now();
  const tickAfter = (seconds: number) => rechecks.tick(new Date(began + 1_000 * seconds));
  expect(await tickAfter(0)).toBe(0);
  const session = await connectTo(bank.adminUrl);
  try {
    await session.query("begin");
    await session.query("select pg_advisory_xact_lock(hashtextextended('rechecks/' || $1::uuid, 0))", [
      uuidOf(qa.book),
    ]);
    expect(await tickAfter(5)).toBe(0);
  } finally {
    await session.end();
  }
  // The second failure: the next try is ten seconds later.
  await tickAfter(6);
  await cure();
  expect([await tickAfter(15), await tickAfter(16)]).toEqual([0, 1]);
});

describe("a clock that is set", () => {
  it("to Instant ends the waits a thousand at a time, in the order of the hand-offs", async () => {
    await put({ mode: "Manual", startAt: "2038-02-08T15:00:00.000Z" });
    const waiting = payments(2_500);
    await handOff(waiting);
    await put({ mode: "Instant" });
    const isDue = "next_due_at < '2038-02-09T00:00:00Z'";
    const first = await bank.database.sql<{ order_id: string }>(
      `select order_id from instruction where book_id = $1 and ${isDue} order by cause_id`,
      [uuidOf(qa.book)],
    );
    expect(first.map(({ order_id: id }) => id)).toEqual(idsOf(waiting).slice(0, 1_000).map(uuidOf));
    await goesThroughTheRest();
    expect(await count(isDue)).toBe(2_500);
  });

  it("for the first time moves waits over a thousand at a time, and publishes none in real time before", async () => {
    await handOff(payments(2_500));
    await put({ mode: "Manual", startAt: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await count("on_book_clock")).toBe(1_000);
    const only = { books: [qa.book], only: true };
    const due = await bank.units.run((unit) =>
      publishDue(unit, cipher, new Date(Date.now() + 60_000), { filter: only }),
    );
    // Those that have moved are due on the clock, fifty at a time.
    expect(due).toHaveLength(50);
    expect(await goesThroughTheRest()).toBe(2);
    expect(await count("on_book_clock")).toBe(2_500);
  });
});
