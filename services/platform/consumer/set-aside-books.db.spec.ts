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
import { InquireInstruction } from "../../../contracts/messages/rails.ts";
import { sqlOf } from "../../../scripts/operator/command-line/connections.ts";
import { readHandled } from "./inbox.ts";
import { createMessage } from "../messages/message.ts";
import { Metrics } from "../observability/metrics.ts";

const consumer = await poisonableConsumerOfFile();
let book: BookId;
beforeEach(() => {
  consumer.behaves();
  book = newBook();
});
afterEach(async () => {
  await consumer.admin.query("delete from set_aside_message");
  await consumer.admin.query("delete from set_aside_book");
});

describe("a book whose messages alone fail alike", () => {
  it("is set aside: its messages are stored in order and acknowledged, and other books go on", async () => {
    const healthy = newBook();
    consumer.poison(book);
    const subjects = named("poisoned", 12);
    for (const subject of subjects) {
      await consumer.messaging.publish(inquire, {
        messages: [inquiryFor(book, subject), inquiryFor(healthy, subject)],
      });
    }
    await until(async () => (await consumer.stored(book)).length === 12);
    expect(await consumer.stored(book)).toEqual(subjects);
    expect([...(await consumer.taken(healthy))].sort()).toEqual(subjects);
    expect(await consumer.taken(book)).toEqual([]);
    await consumer.nothingPending();
    expect(consumer.messaging.deadLetters).toEqual([]);
    const gauge = await consumer.service.app.get(Metrics).gauge<"stream">("books_set_aside", "").get();
    expect(gauge.values).toEqual([expect.objectContaining({ labels: { stream: "CMD" }, value: 1 })]);
    const halted = await consumer.service.app.get(Metrics).gauge<"stream">("consumer_halted", "").get();
    expect(halted.values.some(({ value }) => value === 1)).toBe(false);
    const { rows } = await consumer.admin.query(
      "select kind, actor, reason from set_aside_event where book_id = $1",
      [uuidOf(book)],
    );
    expect(rows).toEqual([
      { kind: "SetAside", actor: "consumer", reason: "several messages in a row failed with RangeError" },
    ]);
  });

  it("gets its later messages stored without an attempt, each once", async () => {
    const before = await consumer.setAside(book);
    let attempts = 0;
    consumer.misbehaves((messages) => {
      attempts += messages.filter((message) => message.book === book).length;
    });
    const later = named("later", 3).map((subject) => inquiryFor(book, subject));
    await consumer.messaging.publish(inquire, { messages: later });
    await consumer.messaging.publish(inquire, { messages: later });
    await until(async () => (await consumer.stored(book)).length === 13);
    await consumer.nothingPending();
    expect(await consumer.stored(book)).toEqual([...before, ...named("later", 3)]);
    expect(attempts).toBe(0);
  });

  it("stores a resent command once while it waits, and applies a copy that comes after the release", async () => {
    await consumer.setAside(book);
    const command = inquiryFor(book, "resent");
    const again = () => createMessage(InquireInstruction, { book, subject: "resent", data: command.data });
    const copies = [again(), again()];
    await consumer.messaging.publish(inquire, { messages: [command, copies[0]] });
    await consumer.messaging.publish(inquire, { messages: [copies[1]] });
    await consumer.send(book, ["last"]);
    await until(async () => (await consumer.stored(book)).includes("last"));
    expect(await consumer.stored(book)).toEqual([...named("first", 10), "resent", "last"]);
    // An advance of the book's clock waits for the command that is stored, and for no copy.
    const sent = [command, ...copies].map(({ id }) => id);
    expect(await readHandled(sqlOf(consumer.admin), sent)).toHaveLength(2);
    expect(await readHandled(sqlOf(consumer.admin), [command.id])).toEqual([]);
    consumer.behaves();
    await consumer.release(book);
    await consumer.inUse(book);
    await consumer.messaging.publish(inquire, { messages: [again()] });
    await until(async () => (await consumer.taken(book)).length === 13);
    expect((await consumer.taken(book)).filter((subject) => subject === "resent")).toHaveLength(2);
  });

  it("does not halt the consumer for the others, nor set them aside", async () => {
    await consumer.setAside(book);
    const other = newBook();
    await consumer.send(other, named("other", 5));
    await until(async () => (await consumer.taken(other)).length === 5);
    expect(await consumer.stateOf(other)).toBe("in use");
  });
});

describe("two books whose messages fail alike", () => {
  it("halt the consumer only until a message of another book arrives, and are then set aside", async () => {
    const other = newBook();
    const healthy = newBook();
    consumer.misbehaves((messages) => {
      if (messages.some((message) => message.book !== healthy)) throw new RangeError("poisoned");
    });
    const subjects = named("pair", 10);
    await consumer.messaging.publish(inquire, {
      messages: subjects.flatMap((subject) => [inquiryFor(book, subject), inquiryFor(other, subject)]),
    });
    const halted = consumer.service.app.get(Metrics).gauge<"stream">("consumer_halted", "");
    await until(async () => (await halted.get()).values.some(({ value }) => value === 1));
    // A halt lasts 15 s: only an earlier attempt can have applied it within 10 s.
    await consumer.send(healthy, ["good"]);
    await until("the good message", async () => (await consumer.taken(healthy)).length === 1, 10_000);
    await until(
      async () => (await consumer.stored(book)).length + (await consumer.stored(other)).length === 20,
    );
    expect(await consumer.stored(book)).toEqual(subjects);
    expect(await consumer.stored(other)).toEqual(subjects);
  });
});

describe("two instances", () => {
  it("store each message once and apply each once, also while one does not know of a change yet", async () => {
    const second = await consumer.startInstance();
    try {
      consumer.poison(book);
      const subjects = named("shared", 60);
      for (const subject of subjects) await consumer.send(book, [subject]);
      await until(async () => (await consumer.stored(book)).length === 60);
      await consumer.nothingPending();
      expect(await consumer.stored(book)).toEqual(subjects);
      consumer.behaves();
      await consumer.release(book);
      const behind = named("behind", 60);
      for (const subject of behind) await consumer.send(book, [subject]);
      await until(async () => (await consumer.taken(book)).length === 120);
      await consumer.inUse(book);
      // An instance that still believes that the book is set aside finds its row gone, and applies the message.
      await consumer.send(book, ["last"]);
      await until(async () => (await consumer.taken(book)).length === 121);
      expect((await consumer.taken(book)).slice(0, 60)).toEqual(subjects);
      expect([...(await consumer.taken(book))].sort()).toEqual([...subjects, ...behind, "last"].sort());
      expect(await consumer.stored(book)).toEqual([]);
    } finally {
      await second.stop();
    }
  });
});
