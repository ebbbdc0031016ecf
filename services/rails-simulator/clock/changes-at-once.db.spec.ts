/** Of two changes of a book's clock at once, the second waits for the first, and goes by what it left. */
import { beforeEach, describe, expect, it } from "vitest";
import { lockWaits } from "../../../test/stack/database/lock-waits.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { givenBook, refusalOf, type RuleBook, ruleDesk } from "../../../test/stack/services/rules.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { AdvanceClockHandler } from "./advance-clock.handler.ts";
import { SetClock } from "./set-clock.handler.ts";

const bank = await forThisFile(openFreshUnits("rails"));
const session = await forThisFile(connectTo(bank.adminUrl));
const { rechecks } = ruleDesk(bank, new SecretCipher(testEncryptionKeys));
const silent = {} as never;
const clocks = new SetClock(
  bank.database,
  bank.units,
  { apply: () => Promise.resolve([]) } as never,
  { add: () => undefined } as never,
  rechecks,
);
const advances = new AdvanceClockHandler(bank.database, bank.units, silent, {
  wake: () => undefined,
} as never);
const noon = new Date("2038-02-12T17:00:00.000Z");
const to = "2038-02-13T17:00:00.000Z";

let qa: RuleBook;
beforeEach(async () => {
  qa = givenBook();
  await saveClock(bank.database.sql, qa.book, { mode: "Manual", leadMs: 0, standsAt: noon, sequence: 1 });
});

const advance = () => advances.advance({ to }, qa);
const put = () => clocks.put({ mode: "Instant" }, qa);

/** Begins `second` when `first` has decided to advance and can't store that yet. Returns the answer to `second`. */
async function duringAdvance<T>(second: () => Promise<T>): Promise<T> {
  await session.query("begin");
  let both: Promise<[unknown, PromiseSettledResult<T>]>;
  try {
    await session.query("lock table rails.clock_advance in share mode");
    const first = advance();
    await until("the first waits", async () => (await lockWaits(bank.database.sql)) === 1);
    let hasEnded = false;
    const answered = Promise.allSettled([second().finally(() => (hasEnded = true))]);
    both = Promise.all([first, answered.then(([answer]) => answer)]);
    await until(
      "the second ends or waits",
      async () => hasEnded || (await lockWaits(bank.database.sql)) === 2,
    );
  } finally {
    await session.query("rollback");
  }
  const [, answer] = await both;
  if (answer.status === "rejected") throw answer.reason;
  return answer.value;
}

describe("while an advance of the same book begins", () => {
  it("another one is refused", async () => {
    expect(await refusalOf(duringAdvance(advance))).toEqual(["clock_advancing", undefined]);
  });

  it("a new setting of the clock is refused", async () => {
    expect(await refusalOf(duringAdvance(put))).toEqual(["clock_advancing", undefined]);
    expect(await clocks.read({}, qa)).toMatchObject({ mode: "Manual" });
  });
});
