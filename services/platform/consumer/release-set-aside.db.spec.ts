import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import { beforeEach, describe, expect, it } from "vitest";
import { type BookId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { sqlOf } from "../../../scripts/operator/command-line/connections.ts";
import { leaveOutFirst, listSetAside } from "../../../scripts/operator/messages/set-aside.ts";
import {
  inquire,
  inquiryFor,
  named,
  newBook,
  poisonableConsumerOfFile,
} from "../../../test/stack/messages/poisonable-consumer.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { until } from "../../../test/stack/until.ts";
import { Database } from "../persistence/database.ts";
import { removeMessages } from "./set-aside-store.ts";

const consumer = await poisonableConsumerOfFile();
let book: BookId;
beforeEach(() => {
  consumer.behaves();
  book = newBook();
});

const firstStored = async (nth = 0) => {
  const { rows } = await consumer.admin.query<{ message_id: string }>(
    "select message_id from set_aside_message where book_id = $1 order by stream_sequence, part",
    [uuidOf(book)],
  );
  return rows[nth]!.message_id;
};
/** Leaves a message out, the first one if none is named. */
const leavesOut = async (nats: NatsConnection, reason: string, messageId?: string) =>
  leaveOutFirst(
    sqlOf(consumer.admin),
    nats,
    { service: "rails", book, messageId: messageId ?? (await firstStored()) },
    { by: "ada", reason },
  );

describe("a released book", () => {
  it("gets its messages in the order of the stream, each once, then those that arrived in the meantime", async () => {
    const before = await consumer.setAside(book);
    consumer.behaves();
    await consumer.send(book, named("later", 300).slice(0, 100));
    await until(async () => (await consumer.stored(book)).length === 110);
    await consumer.release(book);
    await consumer.send(book, named("later", 300).slice(100, 200));
    await consumer.send(book, named("later", 300).slice(200));
    await until(async () => (await consumer.taken(book)).length === 310);
    expect(await consumer.taken(book)).toEqual([...before, ...named("later", 300)]);
    await consumer.inUse(book);
    // It is in use again: nothing is stored.
    await consumer.send(book, ["last"]);
    await until(async () => (await consumer.taken(book)).length === 311);
    expect(await consumer.stored(book)).toEqual([]);
  });

  it("lets other books go on between two steps of its release", async () => {
    await consumer.setAside(book);
    consumer.behaves();
    for (let sent = 0; sent < 10; sent += 1) await consumer.send(book, named(`later-${String(sent)}`, 99));
    await until(async () => (await consumer.stored(book)).length === 1_000);
    const other = newBook();
    const order: BookId[] = [];
    consumer.misbehaves(async (messages) => {
      order.push(...new Set(messages.map((message) => message.book)));
      if (order.length === 1) await consumer.send(other, ["one"]);
    });
    await consumer.release(book);
    await consumer.inUse(book);
    expect(await consumer.taken(other)).toEqual(["one"]);
    expect(order.indexOf(other)).toBeLessThan(order.lastIndexOf(book));
  });

  it("gets no message twice after the connection broke in the middle of a release", async () => {
    const before = await consumer.setAside(book);
    let breaks = 2;
    consumer.misbehaves(async (messages, { sql }) => {
      if (messages.some((message) => message.book === book) && (breaks -= 1) >= 0)
        await sql("select pg_terminate_backend(pg_backend_pid())");
    });
    await consumer.release(book);
    await consumer.inUse(book);
    expect(breaks).toBeLessThan(0);
    expect(await consumer.taken(book)).toEqual(before);
  });

  it("has its messages in the inbox, so that one that is redelivered changes nothing", async () => {
    consumer.poison(book);
    const messages = named("again", 10).map((subject) => inquiryFor(book, subject));
    await consumer.messaging.publish(inquire, { messages });
    await until(async () => (await consumer.stored(book)).length === 10);
    consumer.behaves();
    await consumer.release(book);
    await consumer.inUse(book);
    const ids = messages.map(({ id }) => id);
    const { rowCount } = await consumer.admin.query("select from inbox where message_id = any($1)", [ids]);
    expect(rowCount).toBe(10);
  });

  it("is set aside again at the first message that fails, and those behind it wait", async () => {
    const before = await consumer.setAside(book);
    consumer.misbehaves((messages) => {
      if (messages.some((message) => message.book === book && message.subject === "first-004"))
        throw new RangeError("still wrong");
    });
    await consumer.release(book);
    await until(async () => (await consumer.stored(book)).length === 7);
    await until(async () => (await consumer.stateOf(book)) === "Aside");
    expect(await consumer.taken(book)).toEqual(before.slice(0, 3));
    expect(await consumer.stored(book)).toEqual(before.slice(3));
    consumer.behaves();
    await consumer.release(book);
    await consumer.inUse(book);
    expect(await consumer.taken(book)).toEqual(before);
  });

  it("dead-letters a message that can never succeed, and goes on behind it", async () => {
    const before = await consumer.setAside(book);
    consumer.misbehaves((messages) => {
      if (messages.some((message) => message.book === book && message.subject === "first-004"))
        throw Object.assign(new Error("its sender's mistake"), { permanent: true });
    });
    await consumer.release(book);
    await consumer.inUse(book);
    expect(await consumer.taken(book)).toEqual(before.filter((subject) => subject !== "first-004"));
    await until(() =>
      consumer.messaging.deadLetters.some(
        ({ message }) => (message as { subject: string }).subject === "first-004",
      ),
    );
  });
});

describe("a book that is set aside and not released", () => {
  it("keeps its messages, also from an instance that believes that it is being released", async () => {
    const before = await consumer.setAside(book);
    const { rows } = await consumer.admin.query<{ message_id: string }>(
      "select message_id from set_aside_message where book_id = $1",
      [uuidOf(book)],
    );
    const ids = rows.map((row) => row.message_id);
    const remove = () =>
      consumer.service.app.get(Database).transaction(({ sql }) => removeMessages(sql, "CMD", book, ids));
    expect(await remove()).toBe(false);
    expect(await consumer.stored(book)).toEqual(before);
    consumer.behaves();
    await consumer.release(book);
    await consumer.inUse(book);
  });
});

describe("an operator", () => {
  it("sees the books that are set aside, and releases one under their name", async () => {
    await consumer.setAside(book);
    expect(await listSetAside(sqlOf(consumer.admin), ["rails"])).toEqual([
      {
        service: "rails",
        stream: "CMD",
        book,
        state: "Aside",
        reason: "several messages in a row failed with RangeError",
        since: expect.any(Date),
        messages: 10,
        first: {
          messageId: await firstStored(),
          type: "rails.inquire-instruction.v1",
          subject: "first-001",
          time: expect.any(String),
        },
      },
    ]);
    consumer.behaves();
    await consumer.release(book);
    await consumer.inUse(book);
    const { rows } = await consumer.admin.query(
      "select kind, actor, reason from set_aside_event where book_id = $1 order by number",
      [uuidOf(book)],
    );
    expect(rows.slice(1)).toEqual([
      { kind: "Released", actor: "operator:ada", reason: "mended" },
      { kind: "Resumed", actor: "consumer", reason: "no message was left" },
    ]);
  });

  it("can't release a book that is not set aside", async () => {
    await expect(consumer.release(book)).rejects.toThrow("npm run books -- aside");
  });

  it("leaves out the first message: it is dead-lettered, and those behind it go on", async () => {
    const before = await consumer.setAside(book);
    const nats = await consumer.messaging.connectAs("operator");
    await leavesOut(nats, "it can't be applied");
    expect(await consumer.stored(book)).toEqual(before.slice(1));
    consumer.behaves();
    await consumer.release(book);
    await consumer.inUse(book);
    expect(await consumer.taken(book)).toEqual(before.slice(1));
    expect(consumer.messaging.deadLetters.at(-1)).toMatchObject({
      subject: inquire,
      reason: "left out by operator:ada: it can't be applied",
      message: { subject: "first-001", book },
    });
  });

  it("leaves out no message twice: a repeat says who left it out, and the next one stays", async () => {
    const before = await consumer.setAside(book);
    const nats = await consumer.messaging.connectAs("operator");
    const messageId = await firstStored();
    expect(await leavesOut(nats, "forged", messageId)).toBeUndefined();
    expect(await leavesOut(nats, "forged", messageId)).toEqual({ by: "operator:ada", at: expect.any(Date) });
    expect(await consumer.stored(book)).toEqual(before.slice(1));
    const events = "select from set_aside_event where book_id = $1 and kind = 'LeftOut'";
    expect((await consumer.admin.query(events, [uuidOf(book)])).rowCount).toBe(1);
    consumer.behaves();
    await consumer.release(book);
    await consumer.inUse(book);
  });

  it("leaves out no message behind the first one, and none that is not stored: the refusal names the first one", async () => {
    const before = await consumer.setAside(book);
    const nats = await consumer.messaging.connectAs("operator");
    const [first, second] = [await firstStored(), await firstStored(1)];
    for (const other of [second, newUuid()])
      await expect(leavesOut(nats, "forged", other)).rejects.toThrow(
        `${other} is not the first stored message of ${book}; nothing is changed. ` +
          `First: CMD ${first}  rails.inquire-instruction.v1  first-001  `,
      );
    expect(await consumer.stored(book)).toEqual(before);
    consumer.behaves();
    await consumer.release(book);
    await consumer.inUse(book);
  });

  it("leaves out a message that is always too slow while its book is being released, which then ends", async () => {
    const before = await consumer.setAside(book);
    consumer.misbehaves((messages) => {
      if (messages.some((message) => message.book === book && message.subject === "first-004"))
        throw Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" });
    });
    await consumer.release(book);
    await until(async () => (await consumer.stored(book)).length === 7);
    expect(await consumer.stateOf(book)).toBe("Releasing");
    const nats = await consumer.messaging.connectAs("operator");
    await leavesOut(nats, "too slow");
    await consumer.inUse(book);
    expect(await consumer.taken(book)).toEqual(before.filter((subject) => subject !== "first-004"));
    expect(consumer.messaging.deadLetters.at(-1)).toMatchObject({ message: { subject: "first-004", book } });
  });

  it("leaves out no message that the service is applying", async () => {
    const before = await consumer.setAside(book);
    const [applying, mayCommit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    consumer.misbehaves(async (messages) => {
      if (!messages.some((message) => message.book === book)) return;
      applying.resolve();
      await mayCommit.promise;
    });
    await consumer.release(book);
    await applying.promise;
    const nats = await consumer.messaging.connectAs("operator");
    const messageId = await firstStored();
    const session = await connectTo(consumer.adminUrl);
    try {
      const by = { by: "ada", reason: "slow" };
      const meant = { service: "rails", book, messageId } as const;
      const leavingOut = leaveOutFirst(sqlOf(session), nats, meant, by).catch(String);
      const waiting =
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()";
      await until("a lock", async () => (await consumer.admin.query(waiting)).rowCount === 1);
      mayCommit.resolve();
      expect(await leavingOut).toContain(`rails stores no message of ${book}`);
    } finally {
      await session.end();
    }
    await consumer.inUse(book);
    expect(await consumer.taken(book)).toEqual(before);
  });

  it("leaves out the first message with a letter that no service can suppress", async () => {
    await consumer.setAside(book);
    const { rows } = await consumer.admin.query<{ guess: string }>(
      "select concat_ws('/', stream, stream_sequence, message_id) as guess from set_aside_message where part = 0 and book_id = $1",
      [uuidOf(book)],
    );
    const [webhooks, operator] = await Promise.all(
      (["webhooks", "operator"] as const).map((user) => consumer.messaging.connectAs(user)),
    );
    await jetstream(webhooks!).publish("dlq.webhooks.ntf", "{}", { msgID: rows[0]!.guess });
    await leavesOut(operator!, "forged");
    const letter = await consumer.messaging.manager.streams.getMessage("DLQ", {
      last_by_subj: "dlq.rails.cmd",
    });
    expect(letter?.json()).toMatchObject({ message: { subject: "first-001", book } });
  });
});
