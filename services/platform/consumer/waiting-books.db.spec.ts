import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  inquire,
  inquiryFor,
  named,
  newBook,
  poisonableConsumerOfFile,
} from "../../../test/stack/messages/poisonable-consumer.ts";
import { until } from "../../../test/stack/until.ts";
import { leastOf } from "../../../test/stack/least-of.ts";
import { Metrics } from "../observability/metrics.ts";

// The handler locks a row of each book first, as the ledger's does, and another session holds that row.
const consumer = await poisonableConsumerOfFile();
await consumer.admin.query("create table head (book_id uuid primary key)");
await consumer.admin.query("grant select, update on head to rails");

type Handler = Parameters<typeof consumer.misbehaves>[0];
const locksHeadsPatiently: Handler = async (messages, { sql }) => {
  await sql("select 1 from head where book_id = any ($1::uuid[]) for update", [
    messages.map(({ book }) => uuidOf(book)),
  ]);
};
const locksHeads: Handler = async (messages, unit) => {
  await unit.sql("set local lock_timeout = '300ms'"); // the test need not wait for three seconds
  await locksHeadsPatiently(messages, unit);
};
let session: pg.Client;
beforeEach(async () => {
  consumer.misbehaves(locksHeads);
  session = new pg.Client(consumer.adminUrl);
  await session.connect();
  return () => session.end();
});
afterEach(async () => {
  await consumer.admin.query("delete from set_aside_message");
  await consumer.admin.query("delete from set_aside_book");
  await consumer.admin.query("delete from failed_message");
});

async function bookWithHead(): Promise<BookId> {
  const book = newBook();
  await consumer.admin.query("insert into head values ($1)", [uuidOf(book)]);
  return book;
}

async function locks(...books: BookId[]): Promise<void> {
  await session.query("begin");
  await session.query("select 1 from rails.head where book_id = any ($1::uuid[]) for update", [
    books.map(uuidOf),
  ]);
}
const unlocks = () => session.query("commit");

/** Waits until this many messages of the book were applied, and returns them. A retry may be twenty seconds away. */
async function taken(book: BookId, atLeast: number): Promise<string[]> {
  await until(
    `${String(atLeast)} applied messages`,
    async () => (await consumer.taken(book)).length >= atLeast,
  );
  return consumer.taken(book);
}

const valueOf = async (name: string) => {
  const metric = consumer.service.app.get(Metrics).registry.getSingleMetric(`quittance_${name}`);
  return (await metric?.get())?.values;
};

const redelivered = async () =>
  (await consumer.messaging.manager.consumers.info("CMD", "rails")).num_redelivered;

describe("a book whose rows another session has locked", () => {
  it("keeps its order if the lock is gone while the rest of its batch is tried", async () => {
    const [locked, failing] = [newBook(), newBook()];
    let isLocked = true;
    let fails = true;
    consumer.misbehaves((messages) => {
      if (fails && messages.some(({ book }) => book === failing)) throw new RangeError("not yet");
      if (!isLocked || messages[0]?.book !== locked) return;
      isLocked = false;
      throw Object.assign(new Error("locked"), { code: "55P03" });
    });
    const messages = [
      inquiryFor(locked, "first"),
      inquiryFor(failing, "bad"),
      inquiryFor(locked, "second"),
      inquiryFor(locked, "third"),
    ];
    await consumer.messaging.publish(inquire, { messages });
    expect(await taken(locked, 3)).toEqual(["first", "second", "third"]);
    fails = false;
    expect(await taken(failing, 1)).toEqual(["bad"]);
    await consumer.nothingPending();
  });

  it("waits while other books go on, and is applied in its order, once, when the lock is gone", async () => {
    const [locked, sound] = [await bookWithHead(), await bookWithHead()];
    await locks(locked);
    const [first, later] = [named("first", 4), named("later", 4)];
    const send = async (subjects: readonly string[]) => {
      for (const subject of subjects) {
        const messages = [inquiryFor(locked, subject), inquiryFor(sound, subject)];
        await consumer.messaging.publish(inquire, { messages });
      }
    };
    await send(first);
    expect(await taken(sound, 4)).toEqual(first);
    await send(later);
    expect(await taken(sound, 8)).toEqual([...first, ...later]);
    expect(await consumer.taken(locked)).toEqual([]);
    expect(await valueOf("consumer_waiting_books")).toMatchObject([{ labels: { stream: "CMD" }, value: 1 }]);
    await unlocks();
    expect(await taken(locked, 8)).toEqual([...first, ...later]);
    await consumer.nothingPending();
    expect([(await consumer.taken(locked)).length, (await consumer.taken(sound)).length]).toEqual([8, 8]);
    expect(await valueOf("consumer_waiting_books")).toMatchObject([{ value: 0 }]);
    expect(consumer.messaging.deadLetters).toEqual([]);
    expect((await consumer.admin.query("select from failed_message")).rowCount).toBe(0);
  });

  it("is set aside if more than 500 envelopes wait, because no stream delivers without end", async () => {
    const [locked, sound] = [await bookWithHead(), await bookWithHead()];
    await locks(locked);
    const subjects = named("many", 510);
    for (const subject of subjects) await consumer.send(locked, [subject]);
    await consumer.send(sound, ["sound"]);
    await taken(sound, 1);
    await consumer.send(sound, ["sound"]);
    await until(async () => (await consumer.stored(locked)).length === 510);
    await consumer.nothingPending();
    await unlocks();
    await consumer.release(locked);
    expect(await taken(locked, 510)).toEqual(subjects);
    await consumer.inUse(locked);
  });

  it("lets the other books of its batch go on while it is still locked", async () => {
    const [locked, sound] = [await bookWithHead(), await bookWithHead()];
    await locks(locked);
    consumer.misbehaves(locksHeadsPatiently);
    await consumer.messaging.publish(inquire, {
      messages: [inquiryFor(locked, "locked"), inquiryFor(sound, "sound")],
    });
    await until("the sound book's message", async () => (await consumer.taken(sound)).length === 1);
    await unlocks();
    expect(await taken(locked, 1)).toEqual(["locked"]);
    await consumer.nothingPending();
  });

  it("and a second one delay others only once for three seconds", { retry: 2 }, async () => {
    await consumer.nothingPending(); // of an earlier try
    const [first, second, sound] = [await bookWithHead(), await bookWithHead(), await bookWithHead()];
    await locks(first, second);
    await consumer.send(first, ["first"]);
    const waiting = async () => (await valueOf("consumer_waiting_books"))?.[0]?.value;
    await until("a waiting book", async () => (await waiting()) === 1);
    consumer.misbehaves(locksHeadsPatiently);
    await consumer.messaging.publish(inquire, {
      messages: [inquiryFor(second, "second"), inquiryFor(sound, "sound")],
    });
    await until("the sound book's message", async () => (await consumer.taken(sound)).length === 1, 3_000);
    await unlocks();
    expect([await taken(first, 1), await taken(second, 1)]).toEqual([["first"], ["second"]]);
    await consumer.nothingPending();
  });

  it("delays no other while its messages that were set aside are released", async () => {
    const failedTicks = async () => {
      const workers = await valueOf("worker_failed_ticks_total");
      return workers?.find(({ labels }) => labels.worker === "set-aside-books")?.value ?? 0;
    };
    const releaseLocked = async () => {
      const [locked, sound] = [await bookWithHead(), await bookWithHead()];
      const subjects = await consumer.setAside(locked);
      await locks(locked);
      consumer.misbehaves(locksHeads);
      const failed = await failedTicks();
      await consumer.release(locked);
      await until(async () => (await failedTicks()) > failed);
      await consumer.send(sound, ["sound"]);
      await taken(sound, 1);
      const again = await redelivered();
      expect(await consumer.stateOf(locked)).toBe("Releasing");
      await unlocks();
      expect(await taken(locked, 10)).toEqual(subjects);
      await consumer.inUse(locked);
      return again;
    };
    expect(await leastOf(1, releaseLocked)).toBe(0);
  });
});

describe("a book that is set aside and whose row another session has locked", () => {
  it("delays no other, and its messages are stored in their order when the lock is gone", async () => {
    const storeLocked = async () => {
      const [locked, sound] = [await bookWithHead(), await bookWithHead()];
      const before = await consumer.setAside(locked);
      consumer.misbehaves(locksHeads);
      await session.query("begin");
      await session.query("select 1 from rails.set_aside_book where book_id = $1 for update", [
        uuidOf(locked),
      ]);
      for (const subject of named("later", 3)) {
        await consumer.send(locked, [subject]);
        await consumer.send(sound, [subject]);
      }
      await until("the other book's messages", async () => (await consumer.taken(sound)).length === 3);
      const again = await redelivered();
      await unlocks();
      await until("stored messages", async () => (await consumer.stored(locked)).length === 13);
      expect(await consumer.stored(locked)).toEqual([...before, ...named("later", 3)]);
      await consumer.nothingPending();
      return again;
    };
    expect(await leastOf(1, storeLocked)).toBe(0);
  });
});

describe("rows of every book that another session has locked", () => {
  it("set no book aside: the messages return to the stream, and are applied once when the lock is gone", async () => {
    const books = [await bookWithHead(), await bookWithHead()];
    await locks(...books);
    const subjects = named("every", 300);
    for (const subject of subjects) for (const book of books) await consumer.send(book, [subject]);
    await until(async () => (await redelivered()) > 0);
    await unlocks();
    for (const book of books) {
      expect([...(await taken(book, 300))].sort()).toEqual(subjects);
      expect(await consumer.stateOf(book)).toBe("in use");
    }
    await consumer.nothingPending();
    expect(
      (await Promise.all(books.map((book) => consumer.taken(book)))).map(({ length }) => length),
    ).toEqual([300, 300]);
  });
});
