/** What decides about a hand-off does not change between its plan and its commit. */
import { beforeEach, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { newRailEvents, submissionOf, testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { givenBook, type RuleBook, ruleDesk } from "../../../test/stack/services/rules.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { publishDue } from "../instructions/run-due-steps.worker.ts";
import { SetClock } from "./set-clock.handler.ts";

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
const monday = new Date("2038-02-08T15:00:00.000Z");

let qa: RuleBook;
beforeEach(async () => {
  qa = givenBook();
  await bank.takeMessages();
});

const credit = () => submissionOf(qa.book, { rail: "Ach" });
const publishAll = () =>
  bank.units.run((unit) =>
    publishDue(unit, cipher, new Date(Date.now() + 3_600_000), {
      filter: { books: [qa.book], only: true },
    }),
  );

/** Hands off a payment, and commits once `change` has ended or waits. */
async function handOffWithin(change: () => Promise<unknown>): Promise<void> {
  const planned = Promise.withResolvers<undefined>();
  const mayCommit = Promise.withResolvers<undefined>();
  const handOff = bank.units.run(async (unit) => {
    await rail.take({ submissions: [credit()], inquiries: [] }, unit);
    planned.resolve(undefined);
    await mayCommit.promise;
  });
  await Promise.race([planned.promise, handOff]);
  let hasEnded = false;
  const changing = change().finally(() => (hasEnded = true));
  await until("the change ends or waits", async () => hasEnded || isWaiting());
  mayCommit.resolve(undefined);
  await Promise.all([handOff, changing]);
}
async function isWaiting(): Promise<boolean> {
  const waiting = await bank.database.sql(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return waiting.length > 0;
}

describe("a payment that is handed off while", () => {
  it("its book's clock is set to Instant waits for no settlement time", async () => {
    await saveClock(bank.database.sql, qa.book, { mode: "Manual", leadMs: 0, standsAt: monday, sequence: 1 });
    await handOffWithin(() => clocks.put({ mode: "Instant" }, qa));
    await publishAll();
    expect(await newRailEvents(bank)).toContain("2 settled");
  });

  it("its book gets its first clock waits by that clock", async () => {
    const startAt = new Date(Date.now() + 86_400_000).toISOString();
    await handOffWithin(() => clocks.put({ mode: "Manual", startAt }, qa));
    const planned = await bank.database.sql("select on_book_clock from instruction where book_id = $1", [
      uuidOf(qa.book),
    ]);
    expect(planned).toEqual([{ on_book_clock: true }]);
  });

  it("an outage of its rail begins does not settle before the outage ends", async () => {
    let id = "";
    await handOffWithin(async () => {
      ({ id } = await create({ fault: "Outage" }, qa));
    });
    await publishAll();
    expect(await newRailEvents(bank)).toEqual(["1 accepted"]);
    await rules.end({ id }, qa);
    await publishAll();
    expect(await newRailEvents(bank)).toEqual(["2 settled"]);
  });
});
