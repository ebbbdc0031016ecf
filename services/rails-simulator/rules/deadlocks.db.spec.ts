import { expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { submissionOf, testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { givenBook, ruleDesk } from "../../../test/stack/services/rules.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import { type InjectionId, uuidOf } from "../../../contracts/ids/ids.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";

const bank = await forThisFile(openFreshUnits("rails"));
const session = await forThisFile(connectTo(bank.adminUrl));
const { create, rail } = ruleDesk(bank, new SecretCipher(testEncryptionKeys));

async function isWaiting(): Promise<boolean> {
  const waiting = await session.query(
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return waiting.rows.length > 0;
}

it("a hand-off during an outage locks its book before any rule, as the end of a rule does", async () => {
  const qa = givenBook();
  const { id } = await create({ fault: "Outage" }, qa);
  // Its chance counts the orders of the book.
  await create({ match: { rail: "Rtp" }, fault: "Reject", share: 0.5 }, qa);
  await session.query("begin");
  await session.query("update rails.injection_book set changes = changes where book_id = $1", [
    uuidOf(qa.book),
  ]);
  const submissions = [submissionOf(qa.book, { rail: "Ach" }), submissionOf(qa.book, { rail: "Rtp" })];
  const handOff = bank.units.run((unit) => rail.take({ submissions, inquiries: [] }, unit));
  const outcome = Promise.allSettled([handOff]);
  await until("the hand-off waits for its book", isWaiting);
  const lockRule = "select 1 from rails.injection where injection_id = $1 for update";
  const locked = await Promise.allSettled([session.query(lockRule, [uuidOf(id as InjectionId)])]);
  await session.query("rollback");
  expect([...locked, ...(await outcome)].map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
});
