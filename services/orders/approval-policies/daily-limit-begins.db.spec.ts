import pg from "pg";
import { describe, expect, it, vi } from "vitest";
import { newYorkDate, startOfDate } from "../../../contracts/rails/banking-calendar.ts";
import { type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import { SubmitOrder } from "../../../contracts/messages/orders.ts";
import { farFromMidnight } from "../../../test/stack/new-york-day.ts";
import { LimitedBooks } from "../../../test/stack/services/limited-books.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { refusalOf } from "../../../test/stack/refusals.ts";
import { until } from "../../../test/stack/until.ts";

await farFromMidnight();
const orders = new OrdersOnTest(2);
const books = new LimitedBooks(orders);
const bookWith = books.bookWith.bind(books);
const limit = books.limit.bind(books);
const pay = books.pay.bind(books);
const usageRows = books.usageRows.bind(books);

describe("a limit that is set during the day", () => {
  it("counts the Credits that were submitted earlier that day, but no Draft and no Debit", async () => {
    const caller = await bookWith(null);
    await pay(caller, 600);
    await pay(caller, 100, { submit: false });
    await pay(caller, 5_000, { rail: "Ach", direction: "Debit" });
    await limit(caller, 1_000);
    expect(await usageRows(caller)).toEqual([600]);
    expect(await refusalOf(pay(caller, 401))).toMatchObject({ context: { usedCents: 600 } });
    await pay(caller, 400);
  });

  it("waits for running submissions, and counts them", async () => {
    const caller = await bookWith(null);
    const draft = await pay(caller, 250, { submit: false });
    const gate = new pg.Client(orders.database.adminUrl);
    await gate.connect();
    try {
      // Both have read that there is no limit, and can't write their history yet.
      await gate.query("begin");
      await gate.query("lock table orders.status_change in exclusive mode");
      const under = [pay(caller, 600), orders.request(SubmitOrder, { id: draft.id }, { caller })];
      await until(async () => (await waitingFor(gate, "relation")) === 2);
      const limited = limit(caller, 1_000);
      await until(async () => (await waitingFor(gate, "advisory")) === 1);
      await gate.query("rollback");
      await Promise.all([...under, limited]);
    } finally {
      await gate.end();
    }
    expect(await usageRows(caller)).toEqual([850]);
    expect(await refusalOf(pay(caller, 151))).toMatchObject({ context: { usedCents: 850 } });
  });

  it("does not count an order that fails at that moment", async () => {
    const caller = await bookWith(null);
    const { id } = await pay(caller, 600);
    const gate = new pg.Client(orders.database.adminUrl);
    await gate.connect();
    try {
      // The failure has locked the order and read that there is no limit, and can't write its history yet.
      await gate.query("begin");
      await gate.query("lock table orders.status_change in exclusive mode");
      await orders.holdRefused(id);
      await until(async () => (await waitingFor(gate, "relation")) === 1);
      let isDone = false;
      const limited = limit(caller, 1_000).then(() => {
        isDone = true;
      });
      await until(async () => isDone || (await waitingForRow(gate)) === 1);
      await gate.query("rollback");
      await limited;
    } finally {
      await gate.end();
    }
    await orders.untilStatus(id, "Failed");
    expect(await usageRows(caller)).toEqual([0]);
  });

  it("begins on the day after midnight, if it waited until then", async () => {
    const caller = await bookWith(null);
    // Past, because ids never go back in time: the ids of all later tests would be of tomorrow.
    const today = newYorkDate(new Date());
    const midnight = startOfDate(today).getTime();
    const gate = new pg.Client(orders.database.adminUrl);
    await gate.connect();
    vi.useFakeTimers({ toFake: ["Date"], now: midnight - 1_000 });
    try {
      await gate.query("begin");
      await gate.query(
        "select pg_advisory_xact_lock_shared(hashtextextended('daily-limit/' || $1::uuid, 0))",
        [uuidOf(caller.book)],
      );
      const limited = limit(caller, 1_000);
      await until(async () => (await waitingFor(gate, "advisory")) === 1);
      vi.setSystemTime(midnight + 1_000);
      await gate.query("rollback");
      await limited;
    } finally {
      vi.useRealTimers();
      await gate.end();
    }
    const counted = await orders.sql<{ day: string }>(
      "select day::text as day from daily_usage where book_id = $1",
      [uuidOf(caller.book)],
    );
    expect(counted).toEqual([{ day: today }]);
  });

  it("locks an order only before those with higher ids, as batches of events do", async () => {
    const caller = await bookWith(null);
    const waiting = await orders.createdTo(
      "AwaitingApproval",
      { rail: "Ach", direction: "Debit", amountCents: 1_000_001 },
      { caller },
    );
    const counted = await pay(caller, 600);
    const gate = new pg.Client(orders.database.adminUrl);
    await gate.connect();
    try {
      // Submitted on another day, so only the policy concerns it.
      await gate.query("update orders.status_change set at = at - interval '2 days' where order_id = $1", [
        uuidOf(waiting),
      ]);
      await gate.query("begin");
      const lock = (id: PaymentOrderId) =>
        gate.query("select from orders.payment_order where id = $1 for update", [uuidOf(id)]);
      await lock(waiting);
      const limited = limit(caller, 1_000, { approvalExpiresAfterHours: 73 });
      await until(async () => (await waitingForRow(gate)) === 1);
      await lock(counted.id);
      await gate.query("rollback");
      await limited;
    } finally {
      await gate.end();
    }
    expect(await usageRows(caller)).toEqual([600]);
  });

  it("is recounted when a limit is set again after a time without one", async () => {
    const caller = await bookWith(1_000);
    await pay(caller, 600);
    await limit(caller, null);
    await pay(caller, 3_000);
    expect(await usageRows(caller)).toEqual([600]);
    await limit(caller, 5_000);
    expect(await usageRows(caller)).toEqual([3_600]);
  });

  it("keeps the used amount when the limit is raised or lowered", async () => {
    const caller = await bookWith(1_000);
    await pay(caller, 1_000);
    await limit(caller, 500);
    expect(await refusalOf(pay(caller, 1))).toMatchObject({ context: { limitCents: 500, usedCents: 1_000 } });
    await limit(caller, 1_001);
    await pay(caller, 1);
    expect(await usageRows(caller)).toEqual([1_001]);
  });
});

/** How many sessions of this file's database wait for a lock of that kind. */
async function waitingFor(gate: pg.Client, kind: "relation" | "advisory"): Promise<number> {
  const { rows } = await gate.query<{ waiting: number }>(
    `select count(*)::int as waiting
     from pg_locks
     where locktype = $1
       and not granted
       and database = (select oid from pg_database where datname = current_database())`,
    [kind],
  );
  return rows[0]?.waiting ?? 0;
}

/** How many sessions of this file's database wait for a transaction that has locked a row. */
async function waitingForRow(gate: pg.Client): Promise<number> {
  const { rows } = await gate.query<{ waiting: number }>(
    `select count(*)::int as waiting
     from pg_stat_activity
     where datname = current_database()
       and wait_event_type = 'Lock'
       and wait_event in ('transactionid', 'tuple')`,
  );
  return rows[0]?.waiting ?? 0;
}
