/** The locks of an outage's begin and end. */
import { expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { submissionOf, testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import { bookIdOf, newId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { noFaultRules } from "./fault-rules.ts";
import { RailOutages } from "./rail-outages.ts";
import { SimulatedRail } from "./simulated-rail.ts";

const bank = await forThisFile(openFreshUnits("rails"));
const session = await forThisFile(connectTo(bank.adminUrl));
const rail = new SimulatedRail(new SecretCipher(testEncryptionKeys), noFaultRules);
const outages = new RailOutages(rail);
const isWaiting = async () =>
  (
    await session.query(
      "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  ).rows.length > 0;

// Among many rows, an index of the outage finds its payments, not the one by order id.
await session.query(
  `insert into rails.instruction (order_id, book_id)
   select gen_random_uuid(), gen_random_uuid() from generate_series(1, 5000)`,
);

/** Two payments in flight: the one with the lower id is due later, and its row is stored later. */
async function twoInFlight() {
  const book = bookIdOf(newId("ten"), "Test");
  const [first, second] = [newId("po"), newId("po")].toSorted() as [PaymentOrderId, PaymentOrderId];
  const submit = (orderId: PaymentOrderId, at: string) => {
    const submissions = [submissionOf(book, { orderId, rail: "Ach" })];
    return bank.units.run((unit) => rail.take({ submissions, inquiries: [] }, unit, new Date(at)));
  };
  await submit(second, "2038-02-08T15:00:00.000Z");
  await submit(first, "2038-02-08T16:00:00.000Z");
  return { book, first, second };
}
const onRow = (statement: string, id: PaymentOrderId) => session.query(statement, [uuidOf(id)]);
const lock = "select 1 from rails.instruction where order_id = $1 for update";
const silenceOne = "update rails.instruction set silenced = true, next_due_at = null where order_id = $1";

it.each(["begins", "ends"])(
  "an outage that %s locks payments in order of id, as hand-offs do",
  async (what) => {
    const { book, first, second } = await twoInFlight();
    if (what === "ends") for (const each of [second, first]) await onRow(silenceOne, each);
    await session.query("begin");
    await onRow(lock, first);
    const change = bank.units.run(async (unit) => {
      if (what === "begins") await outages.begin(unit, book, { rail: "Ach" });
      else await outages.end(unit, book, { silent: [], limit: 9 });
    });
    const outcome = Promise.allSettled([change]);
    await until("the outage waits for the first payment", isWaiting);
    const locked = await Promise.allSettled([onRow(lock, second)]);
    await session.query("rollback");
    expect([...locked, ...(await outcome)].map(({ status }) => status)).toEqual(["fulfilled", "fulfilled"]);
  },
);
