/** Transactions that record rights to approve lock their rows in one order, so that no two of them deadlock. */
import pg from "pg";
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import type { Caller } from "../../../contracts/message.ts";
import { ApplyApprovalRights } from "../../../contracts/messages/orders.ts";
import { ApprovalRightChanged } from "../../../contracts/messages/tenants.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { RecheckWaiting } from "../rechecks/recheck-waiting.worker.ts";

const orders = new OrdersOnTest();
beforeAll(() => orders.get(RecheckWaiting).stop());
let session: pg.Client;
beforeEach(async () => {
  session = await connectTo(orders.database.adminUrl);
});
afterEach(() => session.end());

const selectRight = "select from orders.approval_right where book_id = $1 and principal = $2 for update";
const insertRecheck =
  "insert into orders.gate_recheck (book_id, after_id) values ($1, $1) on conflict do nothing";

const request = (caller: Caller, sequence: number, ...principals: string[]) => {
  const rights = principals.map((principal) => ({ principal, sequence, heldUntil: null }));
  return orders.request(ApplyApprovalRights, { rights }, { caller });
};
const change = ({ book }: Caller, principal: string, sequence: number) => {
  const data = { principal, heldUntil: null };
  return createMessage(ApprovalRightChanged, { book, subject: principal, sequence, data });
};

/** Another session locks a right, and whoever comes to it waits. */
async function lock({ book }: Caller, principal: string): Promise<void> {
  await session.query("begin");
  await session.query(selectRight, [uuidOf(book), principal]);
}
const somebodyWaits = () =>
  until("a transaction that waits for the lock", async () => {
    const waiting = "select from pg_stat_activity where pg_backend_pid() = any (pg_blocking_pids(pid))";
    return (await session.query(waiting)).rowCount === 1;
  });

/** True if another transaction has locked or inserted the row. */
async function isLocked(text: string, params: unknown[]): Promise<boolean> {
  const probe = await connectTo(orders.database.adminUrl);
  try {
    await probe.query("begin");
    await probe.query("set local lock_timeout = '200ms'");
    await probe.query(text, params);
    return false;
  } catch (error) {
    if ((error as pg.DatabaseError).code === "55P03") return true;
    throw error;
  } finally {
    await probe.end();
  }
}

/** Waits until each right of the book has that number. */
const recorded = ({ book }: Caller, sequence: number) =>
  until("the recorded rights", async () => {
    const older = "select from approval_right where book_id = $1 and sequence <> $2";
    return (await orders.sql(older, [uuidOf(book), sequence])).length === 0;
  });

it("locks the rights of a request by principal, in whatever order they come", async () => {
  const caller = orders.stranger();
  await request(caller, 1, "ann", "ben");
  await lock(caller, "ben");
  const answer = request(caller, 2, "ben", "ann");
  await somebodyWaits();
  expect(await isLocked(selectRight, [uuidOf(caller.book), "ann"])).toBe(true);
  await session.query("rollback");
  expect((await answer).value).toEqual({ recorded: 2 });
});

it("locks those of a batch of events by book and principal, and a book's recheck after them", async () => {
  const callers = [orders.stranger(), orders.stranger()] as const;
  const [first, second] = callers[0].book < callers[1].book ? callers : [callers[1], callers[0]];
  await request(first, 1, "ann", "ben", "cat");
  await request(second, 1, "ann");
  await orders.sql("delete from gate_recheck");
  await lock(first, "ben");
  const messages = [
    change(second, "ann", 2),
    change(first, "cat", 2),
    change(first, "ben", 2),
    change(first, "ann", 2),
  ];
  await orders.messaging.publish(`${ApprovalRightChanged.subject}.p00`, { messages });
  await somebodyWaits();
  const [book, other] = [uuidOf(first.book), uuidOf(second.book)];
  expect(await isLocked(selectRight, [book, "ann"])).toBe(true);
  expect(await isLocked(selectRight, [book, "cat"])).toBe(false);
  expect(await isLocked(insertRecheck, [book])).toBe(false);
  expect(await isLocked(selectRight, [other, "ann"])).toBe(false);
  expect(await isLocked(insertRecheck, [other])).toBe(false);
  await session.query("rollback");
  await Promise.all([recorded(first, 2), recorded(second, 2)]);
});
