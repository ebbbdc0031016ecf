import { pino } from "pino";
import { beforeEach, expect, it } from "vitest";
import { type LedgerAccountId, uuidOf } from "../../../contracts/ids/ids.ts";
import { CheckpointMade } from "../../../contracts/messages/books.ts";
import { postingOf, sampleBook } from "../../../test/ledger/commands.ts";
import { type LedgerWorld, openLedger, sqlOn } from "../../../test/ledger/world.ts";
import { withGuardsOff } from "../../../test/stack/database/guards-off.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Auditor } from "./auditor.worker.ts";

// The auditor publishes the checkpoints that it has verified, for orders to keep.
let world: LedgerWorld;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;

beforeEach(async () => {
  world = await openLedger();
  [payroll, savings] = [await world.opens(), await world.opens()];
  return () => world.close();
});

async function audits(checkpointMinutes = 15): Promise<void> {
  const config = { AUDIT_SHARE: 1, AUDIT_PASS_HOURS: 24, CHECKPOINT_MINUTES: checkpointMinutes };
  const { units, database } = world.units;
  const auditor = new Auditor(units, database, new Metrics("test"), config, pino({ level: "silent" }));
  for (let tick = 0; tick < 6; tick += 1) await auditor.tick();
}
const posts = () => world.writes(postingOf([payroll, "Debit", 9], [savings, "Credit", 9]));
const published = async () =>
  (await world.units.takeMessages()).flatMap(({ type, subject, data }) =>
    type === CheckpointMade.type ? [{ subject, ...CheckpointMade.data.parse(data) }] : [],
  );

it("publishes the newest checkpoint that was verified, once, with the head of the accounts", async () => {
  await posts();
  await audits();
  const [row] = await world.units.database.sql<{ head: string; accounts_head: string }>(
    `select encode(h.head_hash, 'hex') as head, encode(c.head_hash, 'hex') as accounts_head
     from book_head h join account_chain c using (book_id)
     where h.book_id = $1 order by c.position desc limit 1`,
    [uuidOf(sampleBook)],
  );
  const { head, accounts_head: accountsHead } = row!;
  expect(await published()).toEqual([{ subject: sampleBook, journals: 1, head, accounts: 8, accountsHead }]);
  await audits();
  expect(await published()).toEqual([]);
});

it("waits until the last one is old enough, also while nothing is appended", async () => {
  await posts();
  await audits();
  await published();
  await posts();
  await audits();
  expect(await published()).toEqual([]);
  await audits(0);
  expect(await published()).toMatchObject([{ journals: 2 }]);
});

it("publishes it once from two instances", async () => {
  await posts();
  await Promise.all([audits(), audits()]);
  expect(await published()).toHaveLength(1);
});

it("publishes none of a book that fails its audit", async () => {
  await posts();
  const run = sqlOn(world.superuser);
  const raised = "update entry set amount_cents = amount_cents + 1 where seq = 1 and line = 1";
  await withGuardsOff(run, "ledger", () => run(raised));
  await audits();
  expect(await published()).toEqual([]);
});
