/** What stops the payments of a book is applied before the events of those payments, wherever these wait. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type pg from "pg";
import { type BookId, type PaymentOrderId, uuidOf } from "../../../contracts/ids/ids.ts";
import type { AnyMessage, Caller, MessageType } from "../../../contracts/message.ts";
import { BookFrozen } from "../../../contracts/messages/books.ts";
import { HoldPlaced } from "../../../contracts/messages/ledger.ts";
import { TenantStatusChanged } from "../../../contracts/messages/tenants.ts";
import { sqlOf } from "../../../scripts/operator/command-line/connections.ts";
import { releaseSetAside } from "../../../scripts/operator/messages/set-aside.ts";
import { ClocksOfOrders } from "../../../test/stack/orders/clocks-of-orders.ts";
import { OrdersOnTest } from "../../../test/stack/orders/orders.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import { createMessage } from "../../platform/messages/message.ts";
import { Metrics } from "../../platform/observability/metrics.ts";

const fridayEvening = "2038-02-12T22:30:00.000Z";
const tuesday = "2038-02-16T05:00:00.000Z";

const orders = new OrdersOnTest();
const clocks = new ClocksOfOrders(orders);

let admin: pg.Client;
let session: pg.Client;
beforeEach(async () => {
  admin = await connectTo(orders.database.adminUrl);
  session = await connectTo(orders.database.adminUrl);
  await session.query("begin");
});
afterEach(async () => {
  await Promise.all([admin.end(), session.end()]);
});

type Sent = readonly [MessageType, AnyMessage];
const statusOf = ({ book, tenant }: Caller, active: boolean, sequence: number): Sent => {
  const data = { tenantId: tenant, active };
  return [TenantStatusChanged, createMessage(TenantStatusChanged, { book, subject: tenant, sequence, data })];
};
const suspensionOf = (caller: Caller) => statusOf(caller, false, 1);
const freezeOf = ({ book }: Caller): Sent => {
  const data = { reason: "a digest does not fit" };
  return [BookFrozen, createMessage(BookFrozen, { book, subject: book, sequence: 1, data })];
};
const stops: [string, (caller: Caller) => Sent][] = [
  ["a suspension", suspensionOf],
  ["a freeze", freezeOf],
];

const send = ([{ subject }, message]: Sent) =>
  orders.messaging.publish(`${subject}.p00`, { messages: [message] });
const isStopped = (book: BookId) =>
  until("a stopped book", async () => {
    const stopped = "select from book_status where book_id = $1 and (frozen or not active)";
    return (await orders.sql(stopped, [uuidOf(book)])).length === 1;
  });
const locks = (id: PaymentOrderId) =>
  session.query("select 1 from orders.payment_order where id = $1 for update", [uuidOf(id)]);

/** Waits until as many books of the event stream count in this gauge. */
const counted = (gauge: string, books: number) =>
  until(`${String(books)} ${gauge}`, async () => {
    const metric = orders.get(Metrics).registry.getSingleMetric(`quittance_${gauge}`);
    const values = (await metric?.get())?.values ?? [];
    return values.some(({ labels, value }) => labels["stream"] === "EVT" && value === books);
  });

/** A book in which one order leaves when its window opens, and another waits for its hold. */
async function bookWithOrders() {
  const caller = await clocks.manualBook(fridayEvening);
  const leaving = await orders.createdTo("AwaitingWindow", {}, { caller });
  const { id: unheld } = await orders.create({}, { caller });
  return { caller, leaving, unheld };
}

/** Opens the window, and waits until the gate has decided: what it does not let pass waits in real time. */
async function staysAtOpenWindow(caller: Caller, id: PaymentOrderId): Promise<void> {
  await clocks.standAt(caller, tuesday, 2);
  const decided = "select from payment_order where id = $1 and due_at_in_book is null";
  await until("a decision of the gate", async () => (await orders.sql(decided, [uuidOf(id)])).length === 1);
  expect(await orders.phaseOf(id)).toBe("AwaitingWindow");
}

/** The hold's event is applied at last, and the order stays. */
async function staysOnceHeld(id: PaymentOrderId): Promise<void> {
  await until("a placed hold", async () => (await orders.phaseOf(id)) !== "ReservingFunds");
  expect(await orders.phaseOf(id)).toBe("AwaitingApproval");
  expect(await orders.commandNames(id)).not.toContain("submit-instruction");
}

async function setAside(book: BookId): Promise<void> {
  const text = "insert into orders.set_aside_book (stream, book_id, reason) values ('EVT', $1, 'any')";
  await admin.query(text, [uuidOf(book)]);
  await counted("books_set_aside", 1);
}
async function release(book: BookId): Promise<void> {
  await releaseSetAside(sqlOf(admin), "orders", book, { by: "ada", reason: "mended" });
  await counted("books_set_aside", 0);
}
const storedTypes = async (book: BookId) =>
  (
    await orders.sql<{ type: string }>(
      "select message::jsonb ->> 'type' as type from set_aside_message where book_id = $1",
      [uuidOf(book)],
    )
  ).map(({ type }) => type);

describe.each(stops)("%s", (_stop, eventOf) => {
  it("stops the hand-offs of a book whose messages wait for a locked row", async () => {
    const { caller, leaving, unheld } = await bookWithOrders();
    await locks(unheld);
    await orders.holdPlaced(unheld);
    await counted("consumer_waiting_books", 1);
    await send(eventOf(caller));
    await isStopped(caller.book);
    await staysAtOpenWindow(caller, leaving);
    expect(await orders.phaseOf(unheld)).toBe("ReservingFunds");
    await session.query("rollback");
    await staysOnceHeld(unheld);
    await counted("consumer_waiting_books", 0);
  });

  it("stops the hand-offs of a book that is set aside, and is not stored", async () => {
    const { caller, leaving, unheld } = await bookWithOrders();
    await setAside(caller.book);
    await orders.holdPlaced(unheld);
    await until("a stored message", async () => (await storedTypes(caller.book)).length === 1);
    await send(eventOf(caller));
    await isStopped(caller.book);
    await staysAtOpenWindow(caller, leaving);
    expect(await storedTypes(caller.book)).toEqual([HoldPlaced.type]);
    await release(caller.book);
    await staysOnceHeld(unheld);
  });

  it("stops the hand-offs that events before it in its batch would cause", async () => {
    const caller = clocks.newCaller();
    const { id: busy } = await orders.create();
    const { id } = await orders.create({}, { caller });
    // While this batch waits for the lock, the next one gathers.
    await locks(busy);
    await orders.holdPlaced(busy);
    await orders.holdPlaced(id);
    await send(eventOf(caller));
    const consumer = () => orders.messaging.manager.consumers.info("EVT", "orders");
    await until("three messages under way", async () => (await consumer()).num_ack_pending === 3);
    await session.query("rollback");
    await staysOnceHeld(id);
    await expect(orders.untilPhase(busy, "HandingOff")).resolves.toBe(true);
  });
});

describe("a suspension whose own row is locked", () => {
  it("is tried apart from the messages of its book", async () => {
    const { caller, leaving, unheld } = await bookWithOrders();
    await orders.apply(statusOf(caller, true, 1)[1], TenantStatusChanged);
    await locks(unheld);
    await admin.query("begin");
    await admin.query("select 1 from orders.book_status where book_id = $1 for update", [
      uuidOf(caller.book),
    ]);
    await orders.holdPlaced(unheld);
    await send(statusOf(caller, false, 2));
    await counted("consumer_waiting_books", 1);
    await admin.query("rollback");
    await isStopped(caller.book);
    await staysAtOpenWindow(caller, leaving);
    expect(await orders.phaseOf(unheld)).toBe("ReservingFunds");
    await session.query("rollback");
    await staysOnceHeld(unheld);
    await counted("consumer_waiting_books", 0);
  });
});

describe("changes of a tenant's status that all fail", () => {
  /** From now on, none of the book can be recorded. Attempts are counted outside their transactions. */
  const refuseStatus = async (book: BookId) => {
    await admin.query("drop sequence if exists orders.attempts");
    await admin.query("create sequence orders.attempts");
    await admin.query("grant usage on sequence orders.attempts to orders");
    await admin.query(
      `create function orders.refuse_status() returns trigger language plpgsql as
       $$ begin perform nextval('orders.attempts'); raise 'no status can be recorded'; end $$`,
    );
    await admin.query(
      `create trigger refuse_status before insert on orders.book_status
       for each row when (new.book_id = '${uuidOf(book)}') execute function orders.refuse_status()`,
    );
  };
  const attempts = async () =>
    Number(
      (await admin.query<{ last_value: string }>("select last_value from orders.attempts")).rows[0]
        ?.last_value,
    );

  it("set their book aside without being stored, and are applied once that works, before a release", async () => {
    const caller = clocks.newCaller();
    await refuseStatus(caller.book);
    const messages = Array.from({ length: 8 }, (_, index) => statusOf(caller, false, 1 + index)[1]);
    await orders.messaging.publish(`${TenantStatusChanged.subject}.p00`, { messages });
    await counted("books_set_aside", 1);
    expect(await storedTypes(caller.book)).toEqual([]);
    const first = await attempts();
    await until("the next attempts", async () => (await attempts()) >= 2 * first);
    // Seven counted before the book was known to be at fault, and nothing has counted since.
    const failures = await orders.sql("select failures from failed_message");
    expect(failures).toEqual(Array.from({ length: 7 }, () => ({ failures: 1 })));
    await admin.query("drop function orders.refuse_status() cascade");
    await isStopped(caller.book);
    expect(orders.messaging.deadLetters).toEqual([]);
    await release(caller.book);
  });

  it("set their book aside once: after its release each counts alone, and is dead-lettered after five failures", async () => {
    const caller = clocks.newCaller();
    await refuseStatus(caller.book);
    const messages = Array.from({ length: 9 }, (_, index) => statusOf(caller, false, 1 + index)[1]);
    await orders.messaging.publish(`${TenantStatusChanged.subject}.p00`, { messages });
    await counted("books_set_aside", 1);
    const first = await attempts();
    await until("the next attempts", async () => (await attempts()) >= 2 * first);
    await release(caller.book);
    await until("their dead letters", () => orders.messaging.deadLetters.length === messages.length);
    await counted("books_set_aside", 0);
    const setAsides = await admin.query(
      "select from orders.set_aside_event where book_id = $1 and kind = 'SetAside'",
      [uuidOf(caller.book)],
    );
    expect(setAsides.rowCount).toBe(1);
    await admin.query("drop function orders.refuse_status() cascade");
  });
});

describe("a suspension that an instance of the previous release has stored", () => {
  it("changes nothing when it is applied after a later reactivation", async () => {
    const caller = clocks.newCaller();
    const [suspended, reactivated] = [statusOf(caller, false, 1), statusOf(caller, true, 2)];
    await orders.apply(reactivated[1], TenantStatusChanged);
    await setAside(caller.book);
    await admin.query(
      `insert into orders.set_aside_message (stream, message_id, book_id, stream_sequence, part, subject, message)
       values ('EVT', $1, $2, 1, 0, $3, $4)`,
      [
        suspended[1].id,
        uuidOf(caller.book),
        `${TenantStatusChanged.subject}.p00`,
        JSON.stringify(suspended[1]),
      ],
    );
    await release(caller.book);
    // Both come from the stream once more, too.
    await send(suspended);
    await orders.apply(reactivated[1], TenantStatusChanged);
    const text = "select active, status_version from book_status where book_id = $1";
    expect(await orders.sql(text, [uuidOf(caller.book)])).toEqual([{ active: true, status_version: 2 }]);
  });
});
