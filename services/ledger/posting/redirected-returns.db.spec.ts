import { pino } from "pino";
import { beforeEach, expect, it } from "vitest";
import { type LedgerAccountId, newId, type PaymentOrderId } from "../../../contracts/ids/ids.ts";
import { PostLateReturn } from "../../../contracts/messages/ledger.ts";
import { holdOf, lateReturnOf, settlementOf } from "../../../test/ledger/commands.ts";
import { paid, requestBy, Tenant } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile, someNumbers } from "../../../test/ledger/world.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { FreezeBook } from "../audit/freeze-book.handler.ts";
import { ReplayDeferredCommands } from "../audit/replay-deferred-commands.worker.ts";
import { PostCommands } from "./post-commands.consumer.ts";

// Late returns of orders whose account may have been closed since.
const world = await openLedgerOfFile();
const { units, database } = world.units;
let tenant: Tenant;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;
let metrics: Metrics;
let posting: PostCommands;
beforeEach(async () => {
  ({ tenant, payroll, savings } = await Tenant.withAccounts(world.units));
  metrics = new Metrics("ledger");
  posting = new PostCommands(metrics);
});

const counted = async () => {
  const { values } = await metrics.counter("ledger_redirected_returns_total", "").get();
  return values.map(({ value }) => value);
};
/** An order that has emptied its account by its settlement. */
async function settles(): Promise<PaymentOrderId> {
  await tenant.moves(paid(savings, payroll, 40));
  const order = newId("po");
  await tenant.writes(holdOf(order, payroll, 40), settlementOf(order));
  return order;
}
const returns = async (order: PaymentOrderId) => {
  const { kind: _, ...data } = lateReturnOf(order);
  const message = createMessage(PostLateReturn, { book: tenant.book, subject: order, data: data as never });
  await units.run((unit) => posting.onCommands([message], unit));
};

it("a late return that goes to Suspense is counted once, though its command comes twice", async () => {
  const order = await settles();
  await tenant.closes(payroll);
  expect(await counted()).toEqual([0]);
  await returns(order);
  expect(await counted()).toEqual([1]);
  await returns(order);
  expect(await counted()).toEqual([1]);
});

it("a late return to an open account is not counted", async () => {
  await returns(await settles());
  expect(await counted()).toEqual([0]);
});

it("a late return that came while its book was frozen is counted when it is replayed", async () => {
  const order = await settles();
  await tenant.closes(payroll);
  const books = new FreezeBook(units);
  const decision = { by: "ada", reason: "the bank asked" };
  await books.freeze(decision, requestBy(tenant.id));
  await returns(order);
  expect(await counted()).toEqual([0]);
  const [head] = await database.sql<{ sequence: bigint; head: string }>(
    "select last_seq as sequence, encode(head_hash, 'hex') as head from book_head where state = 'Frozen'",
  );
  const proof = { provenSequence: Number(head?.sequence), provenHead: head?.head ?? "" };
  await books.unfreeze({ ...decision, ...proof }, requestBy(tenant.id));
  const log = pino({ level: "silent" });
  const replayer = new ReplayDeferredCommands(units, database, someNumbers, metrics, log);
  for (let ticks = 0; (await replayer.tick()) > 0; ticks += 1) expect(ticks).toBeLessThan(50);
  expect(await counted()).toEqual([1]);
});
