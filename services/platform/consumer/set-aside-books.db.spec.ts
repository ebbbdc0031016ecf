import { Controller, Module } from "@nestjs/common";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type BookId, bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { InquireInstruction, SubmitInstruction } from "../../../contracts/messages/rails.ts";
import { leaveOutFirst, listSetAside, releaseSetAside } from "../../../scripts/operator/set-aside.ts";
import { sqlOf } from "../../../scripts/operator/connections.ts";
import { createDatabase, type TestDatabase } from "../../../test/stack/servers/database.ts";
import { startMessaging, type TestMessaging } from "../../../test/stack/servers/messaging.ts";
import { until } from "../../../test/stack/until.ts";
import { Consumes, type MessageOf } from "../handlers/decorators.ts";
import type { UnitOfWork } from "../handlers/unit-of-work.ts";
import { createMessage } from "../messages/message.ts";
import { Metrics } from "../observability/metrics.ts";
import { PlatformModule } from "../platform.module.ts";
import { platformConfig, readConfig } from "../process/config.ts";
import { type RunningService, startService } from "../run-service.ts";

// The platform's consumer under the name of rails, with a test handler that fills a table.
type Command = MessageOf<typeof SubmitInstruction | typeof InquireInstruction>;

let messaging: TestMessaging;
let database: TestDatabase;
let admin: pg.Client;
let service: RunningService;
/** Runs in the handler before it records a batch. */
let misbehave: (messages: readonly Command[], unit: UnitOfWork) => Promise<void> | void;
let book: BookId;

@Controller()
class TakeDown {
  @Consumes(SubmitInstruction, InquireInstruction)
  async take(messages: readonly Command[], unit: UnitOfWork): Promise<void> {
    await misbehave(messages, unit);
    await unit.sql("insert into taken (book_id, subject) select * from unnest($1::uuid[], $2::text[])", [
      messages.map((message) => uuidOf(message.book)),
      messages.map(({ subject }) => subject),
    ]);
  }
}

@Module({})
class TakeDownModule {}

function startInstance(): Promise<RunningService> {
  const config = readConfig(platformConfig, messaging.environment("rails", database.urlOf("rails")));
  const imports = [PlatformModule.forService({ service: "rails", config })];
  return startService({ module: TakeDownModule, imports, controllers: [TakeDown] }, config, "rails");
}

beforeAll(async () => {
  [messaging, database] = await Promise.all([startMessaging(), createDatabase("rails")]);
  admin = new pg.Client(database.adminUrl);
  await admin.connect();
  await admin.query("set search_path = rails");
  await admin.query(
    "create table taken (position bigint generated always as identity, book_id uuid, subject text)",
  );
  await admin.query("grant insert, select on taken to rails");
  service = await startInstance();
});
beforeEach(() => {
  misbehave = () => undefined;
  book = bookIdOf(newId("ten"), "Test");
});
afterEach(async () => {
  await admin.query("delete from set_aside_message");
  await admin.query("delete from set_aside_book");
});
afterAll(async () => {
  await service.stop();
  await admin.end();
  await messaging.close();
  await database.drop();
});

const inquire = "cmd.rails.inquire-instruction.v1.p00";
const inquiryFor = (of: BookId, subject: string) =>
  createMessage(InquireInstruction, { book: of, subject, data: { orderId: newId("po") } });
const named = (prefix: string, count: number, from = 1) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(from + index).padStart(3, "0")}`);
const send = (of: BookId, subjects: readonly string[]) =>
  messaging.publish(inquire, { messages: subjects.map((subject) => inquiryFor(of, subject)) });

async function subjectsIn(text: string, of: BookId): Promise<string[]> {
  const { rows } = await admin.query<{ subject: string }>(text, [uuidOf(of)]);
  return rows.map(({ subject }) => subject);
}
/** What was applied for a book, in its order. */
const taken = (of: BookId) =>
  subjectsIn("select subject from taken where book_id = $1 order by position", of);
/** What is stored for a book, in the order in which it will be applied. */
const stored = (of: BookId) =>
  subjectsIn(
    `select message::jsonb ->> 'subject' as subject
     from set_aside_message where book_id = $1 order by stream_sequence, part`,
    of,
  );
const stateOf = async (of: BookId) => {
  const { rows } = await admin.query<{ state: string }>(
    "select state from set_aside_book where book_id = $1",
    [uuidOf(of)],
  );
  return rows[0]?.state ?? "in use";
};
const nothingPending = () =>
  until(async () => (await messaging.manager.consumers.info("CMD", "rails")).num_ack_pending === 0);
const decided = { by: "ada", reason: "mended" };
const release = (of: BookId) => releaseSetAside(sqlOf(admin), "rails", of, decided);

/** From now on every message of the book fails. */
function poison(of: BookId): void {
  misbehave = (messages) => {
    if (messages.some((message) => message.book === of)) throw new RangeError("this book is poisoned");
  };
}

/** Sets the book aside with ten messages, `first-001` to `first-010`. */
async function setAside(of: BookId): Promise<string[]> {
  poison(of);
  const subjects = named("first", 10);
  await send(of, subjects);
  await until(async () => (await stored(of)).length === 10);
  return subjects;
}

describe("a book whose messages alone fail alike", () => {
  it("is set aside: its messages are stored in order and acknowledged, and other books go on", async () => {
    const healthy = bookIdOf(newId("ten"), "Live");
    poison(book);
    const subjects = named("poisoned", 12);
    for (const subject of subjects) {
      await messaging.publish(inquire, {
        messages: [inquiryFor(book, subject), inquiryFor(healthy, subject)],
      });
    }
    await until(async () => (await stored(book)).length === 12);
    expect(await stored(book)).toEqual(subjects);
    expect([...(await taken(healthy))].sort()).toEqual(subjects);
    expect(await taken(book)).toEqual([]);
    await nothingPending();
    expect(messaging.deadLetters).toEqual([]);
    const gauge = await service.app.get(Metrics).gauge<"stream">("books_set_aside", "").get();
    expect(gauge.values).toEqual([expect.objectContaining({ labels: { stream: "CMD" }, value: 1 })]);
    const halted = await service.app.get(Metrics).gauge<"stream">("consumer_halted", "").get();
    expect(halted.values.some(({ value }) => value === 1)).toBe(false);
    const { rows } = await admin.query("select kind, actor, reason from set_aside_event where book_id = $1", [
      uuidOf(book),
    ]);
    expect(rows).toEqual([
      { kind: "SetAside", actor: "consumer", reason: "several messages in a row failed with RangeError" },
    ]);
  });

  it("gets its later messages stored without an attempt, each once", async () => {
    const before = await setAside(book);
    let attempts = 0;
    misbehave = (messages) => {
      attempts += messages.filter((message) => message.book === book).length;
    };
    const later = named("later", 3).map((subject) => inquiryFor(book, subject));
    await messaging.publish(inquire, { messages: later });
    await messaging.publish(inquire, { messages: later });
    await until(async () => (await stored(book)).length === 13);
    await nothingPending();
    expect(await stored(book)).toEqual([...before, ...named("later", 3)]);
    expect(attempts).toBe(0);
  });

  it("does not halt the consumer for the others, nor set them aside", async () => {
    await setAside(book);
    const other = bookIdOf(newId("ten"), "Test");
    await send(other, named("other", 5));
    await until(async () => (await taken(other)).length === 5);
    expect(await stateOf(other)).toBe("in use");
  });
});

describe("two books whose messages fail alike", () => {
  it("halt the consumer only until a message of another book arrives, and are then set aside", async () => {
    const other = bookIdOf(newId("ten"), "Test");
    const healthy = bookIdOf(newId("ten"), "Live");
    misbehave = (messages) => {
      if (messages.some((message) => message.book !== healthy)) throw new RangeError("poisoned");
    };
    const subjects = named("pair", 10);
    await messaging.publish(inquire, {
      messages: subjects.flatMap((subject) => [inquiryFor(book, subject), inquiryFor(other, subject)]),
    });
    const halted = service.app.get(Metrics).gauge<"stream">("consumer_halted", "");
    await until(async () => (await halted.get()).values.some(({ value }) => value === 1));
    // A halt lasts 15 s, and this waits for 10 s.
    await send(healthy, ["good"]);
    await until(async () => (await taken(healthy)).length === 1);
    await until(async () => (await stored(book)).length + (await stored(other)).length === 20);
    expect(await stored(book)).toEqual(subjects);
    expect(await stored(other)).toEqual(subjects);
  });
});

describe("a released book", () => {
  it("gets its messages in the order of the stream, each once, then those that arrived meanwhile", async () => {
    const before = await setAside(book);
    misbehave = () => undefined;
    await send(book, named("later", 300).slice(0, 100));
    await until(async () => (await stored(book)).length === 110);
    await release(book);
    await send(book, named("later", 300).slice(100, 200));
    await send(book, named("later", 300).slice(200));
    await until(async () => (await taken(book)).length === 310);
    expect(await taken(book)).toEqual([...before, ...named("later", 300)]);
    await until(async () => (await stateOf(book)) === "in use");
    // It is in use again: nothing is stored.
    await send(book, ["last"]);
    await until(async () => (await taken(book)).length === 311);
    expect(await stored(book)).toEqual([]);
  });

  it("gets no message twice after the connection broke in the middle of a release", async () => {
    const before = await setAside(book);
    let breaks = 2;
    misbehave = async (messages, { sql }) => {
      if (messages.some((message) => message.book === book) && (breaks -= 1) >= 0)
        await sql("select pg_terminate_backend(pg_backend_pid())");
    };
    await release(book);
    await until(async () => (await stateOf(book)) === "in use");
    expect(breaks).toBeLessThan(0);
    expect(await taken(book)).toEqual(before);
  });

  it("gets no message twice that is delivered again after it was applied", async () => {
    poison(book);
    const messages = named("again", 10).map((subject) => inquiryFor(book, subject));
    await messaging.publish(inquire, { messages });
    await until(async () => (await stored(book)).length === 10);
    misbehave = () => undefined;
    await release(book);
    await until(async () => (await stateOf(book)) === "in use");
    await messaging.publish(inquire, { messages });
    await send(book, ["after"]);
    await until(async () => (await taken(book)).includes("after"));
    expect(await taken(book)).toEqual([...named("again", 10), "after"]);
  });

  it("is set aside again at the first message that fails, and those behind it wait", async () => {
    const before = await setAside(book);
    misbehave = (messages) => {
      if (messages.some((message) => message.book === book && message.subject === "first-004"))
        throw new RangeError("still wrong");
    };
    await release(book);
    await until(async () => (await stored(book)).length === 7);
    await until(async () => (await stateOf(book)) === "Aside");
    expect(await taken(book)).toEqual(before.slice(0, 3));
    expect(await stored(book)).toEqual(before.slice(3));
    misbehave = () => undefined;
    await release(book);
    await until(async () => (await stateOf(book)) === "in use");
    expect(await taken(book)).toEqual(before);
  });

  it("dead-letters a message that can never succeed, and goes on behind it", async () => {
    const before = await setAside(book);
    misbehave = (messages) => {
      if (messages.some((message) => message.book === book && message.subject === "first-004"))
        throw Object.assign(new Error("its sender's mistake"), { permanent: true });
    };
    await release(book);
    await until(async () => (await stateOf(book)) === "in use");
    expect(await taken(book)).toEqual(before.filter((subject) => subject !== "first-004"));
    await until(() =>
      messaging.deadLetters.some(({ message }) => (message as Command).subject === "first-004"),
    );
  });
});

describe("an operator", () => {
  it("sees the books that are set aside, and releases one under their name", async () => {
    await setAside(book);
    expect(await listSetAside(sqlOf(admin), ["rails"])).toEqual([
      {
        service: "rails",
        stream: "CMD",
        book,
        state: "Aside",
        reason: "several messages in a row failed with RangeError",
        since: expect.any(Date),
        messages: 10,
      },
    ]);
    misbehave = () => undefined;
    await release(book);
    await until(async () => (await stateOf(book)) === "in use");
    const { rows } = await admin.query(
      "select kind, actor, reason from set_aside_event where book_id = $1 order by number",
      [uuidOf(book)],
    );
    expect(rows.slice(1)).toEqual([
      { kind: "Released", actor: "operator:ada", reason: "mended" },
      { kind: "Resumed", actor: "consumer", reason: "no message was left" },
    ]);
  });

  it("can't release a book that is not set aside", async () => {
    await expect(release(book)).rejects.toThrow("npm run books -- aside");
  });

  it("leaves out the first message: it is dead-lettered, and those behind it go on", async () => {
    const before = await setAside(book);
    const nats = await messaging.connectAs("operator");
    await leaveOutFirst(sqlOf(admin), nats, "rails", book, { by: "ada", reason: "it can't be applied" });
    expect(await stored(book)).toEqual(before.slice(1));
    misbehave = () => undefined;
    await release(book);
    await until(async () => (await stateOf(book)) === "in use");
    expect(await taken(book)).toEqual(before.slice(1));
    expect(messaging.deadLetters.at(-1)).toMatchObject({
      subject: inquire,
      reason: "left out by operator:ada: it can't be applied",
      message: { subject: "first-001", book },
    });
  });
});

describe("two instances", () => {
  it("store each message once and apply each once, also while one does not know of a change yet", async () => {
    const second = await startInstance();
    try {
      poison(book);
      const subjects = named("shared", 60);
      for (const subject of subjects) await send(book, [subject]);
      await until(async () => (await stored(book)).length === 60);
      await nothingPending();
      expect(await stored(book)).toEqual(subjects);
      misbehave = () => undefined;
      await release(book);
      const behind = named("behind", 60);
      for (const subject of behind) await send(book, [subject]);
      await until(async () => (await taken(book)).length === 120);
      await until(async () => (await stateOf(book)) === "in use");
      // An instance that still believes that the book is set aside finds its row gone, and applies the message.
      await send(book, ["last"]);
      await until(async () => (await taken(book)).length === 121);
      expect((await taken(book)).slice(0, 60)).toEqual(subjects);
      expect([...(await taken(book))].sort()).toEqual([...subjects, ...behind, "last"].sort());
      expect(await stored(book)).toEqual([]);
    } finally {
      await second.stop();
    }
  });
});
