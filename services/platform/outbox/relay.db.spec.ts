import pino from "pino";
import { afterEach, describe, expect, it } from "vitest";
import { bookIdOf, newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import { InquireInstruction } from "../../../contracts/messages/rails.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { collectMessages, startMessaging } from "../../../test/stack/servers/messaging.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import { Metrics } from "../observability/metrics.ts";
import { createMessage } from "../messages/message.ts";
import type { OutboxRow } from "./outbox.ts";
import { Relay } from "./relay.ts";
import { type UnitOfWork, UnitOfWorkRunner } from "../handlers/unit-of-work.ts";

// A relay of orders on a real database and a real stream, which the test reads.
const relays: Relay[] = [];

const [messaging, { database, adminUrl }] = await Promise.all([
  forThisFile(startMessaging()),
  forThisFile(openFreshUnits("orders")),
]);
const nats = await messaging.connectAs("orders");
const received = collectMessages(await messaging.connectAs("operator"), "cmd.rails.>");
afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
});

function openRelay(connection = nats, over = database): { relay: Relay; units: UnitOfWorkRunner } {
  const relay = new Relay(over, connection, new Metrics("orders"), pino({ level: "silent" }));
  relays.push(relay);
  return { relay, units: new UnitOfWorkRunner(database, relay, 4, 5) };
}

const book = bookIdOf(newId("ten"), "Test");
const notification = "ntf.orders.order-status-changed.v1.p00";
/** Adds this many messages about `subject` to a unit's outbox. */
const sayIn = (unit: UnitOfWork, subject: string, count = 1) =>
  Array.from({ length: count }, () =>
    unit.outbox.add(InquireInstruction, { book, subject, data: { orderId: newId("po") } }),
  );
const receivedOf = (subject: string) =>
  received.filter((message) => message.subject === subject).map((message) => message.id);
const published = async (ids: readonly string[]) =>
  (
    await database.sql(
      `select 1
       from outbox o, jsonb_array_elements(('[' || o.message || ']')::jsonb) f (message)
       where o.published_at is not null and (f.message ->> 'id')::uuid = any ($1)`,
      [ids],
    )
  ).length;

/** Rows as a process leaves them that was killed right after its commit. */
async function leaveBehind(
  subject: string,
  count: number,
  ageSeconds: number,
  to = "cmd.rails.inquire-instruction.v1.p00",
): Promise<string[]> {
  const messages = Array.from({ length: count }, () =>
    createMessage(InquireInstruction, { book, subject, data: { orderId: newId("po") } }),
  );
  await database.sql(
    `insert into outbox (message_id, subject, book_id, message, created_at)
     select f.id, $5, $2, f.message, clock_timestamp() - make_interval(secs => $4)
     from unnest($1::uuid[], $3::text[]) as f (id, message)`,
    [
      messages.map((message) => message.id),
      uuidOf(book),
      messages.map((message) => JSON.stringify(message)),
      ageSeconds,
      to,
    ],
  );
  return messages.map((message) => message.id);
}

describe("the messages of a unit of work", () => {
  it("are published right after the commit, and marked a moment later", async () => {
    const { relay, units } = openRelay();
    relay.start();
    const ids = (await units.run(async (unit) => sayIn(unit, "express", 150))).map((message) => message.id);
    // Where publishing takes two seconds, the poller publishes the rows again.
    const once = () => [...new Set(receivedOf("express"))];
    await until(() => once().length >= 150);
    expect(once()).toEqual(ids);
    await until(async () => (await published(ids)) === 150);
  });

  it("are in the outbox with the change until the commit, and are never published without it", async () => {
    const { relay, units } = openRelay();
    relay.start();
    const undone = units.run(async (unit) => {
      sayIn(unit, "undone");
      await unit.sql("insert into inbox (message_id) values ($1)", [newUuid()]);
      throw new RangeError("no");
    });
    await expect(undone).rejects.toThrow(RangeError);
    const [done] = await units.run(async (unit) => sayIn(unit, "done"));
    await until(() => receivedOf("done").length >= 1);
    expect(receivedOf("undone")).toEqual([]);
    expect(await database.sql("select message_id from outbox where message like '%undone%'")).toEqual([]);
    expect(done?.subject).toBe("done");
  });

  it("go to the partition of their book", async () => {
    const { units } = openRelay();
    await units.run(async (unit) => sayIn(unit, "partitioned"));
    const rows = await database.sql<{ subject: string }>(
      "select distinct subject from outbox where message like '%partitioned%'",
    );
    expect(rows).toEqual([
      { subject: expect.stringMatching(/^cmd\.rails\.inquire-instruction\.v1\.p0[0-3]$/) },
    ]);
  });

  it("are published with the other afterCommit work, which never runs without the commit", async () => {
    const { units } = openRelay();
    const seen: string[] = [];
    await units.run(async (unit) => {
      unit.afterCommit(() => seen.push("after"));
      await unit.sql("select 1");
      seen.push("before");
    });
    await units
      .run((unit) => {
        unit.afterCommit(() => seen.push("never"));
        return Promise.reject(new RangeError("no"));
      })
      .catch(() => undefined);
    expect(seen).toEqual(["before", "after"]);
  });
});

describe("the poller", () => {
  it("publishes rows that are still unpublished after two seconds, whichever instance wrote them", async () => {
    const old = await leaveBehind("left", 120, 10);
    const young = await leaveBehind("young", 1, 0);
    openRelay().relay.start();
    await until(() => receivedOf("left").length >= 120);
    expect(receivedOf("left").sort()).toEqual([...old].sort());
    await until(async () => (await published(old)) === 120);
    await until(() => receivedOf("young").length >= 1);
    expect(new Set(receivedOf("young"))).toEqual(new Set(young));
    await until(async () => (await published(young)) === 1);
    const age =
      "select published_at - created_at >= interval '2 seconds' as is_due from outbox where message_id = $1";
    expect(await database.sql(age, young)).toEqual([{ is_due: true }]);
  });

  it("shares the backlog between instances and publishes nothing twice", async () => {
    const ids = await leaveBehind("shared", 3_000, 10);
    const [one, other] = [openRelay(), openRelay()];
    one.relay.start();
    other.relay.start();
    await until(async () => (await published(ids)) === 3_000);
    expect(receivedOf("shared").sort()).toEqual([...ids].sort());
  });

  it("publishes the other rows when the stream refuses one, which stays due", async () => {
    const [known] = await leaveBehind("known", 1, 10);
    const unreceived = newUuid();
    await database.sql(
      "insert into outbox (message_id, subject, book_id, message, created_at) values ($1, 'cmd.ledger.unknown', $2, '{}', now() - interval '1 minute')",
      [unreceived, uuidOf(book)],
    );
    openRelay().relay.start();
    await until(async () => (await published([known ?? ""])) === 1);
    expect(await published([unreceived])).toBe(0);
    await database.sql("update outbox set published_at = now() where message_id = $1", [unreceived]);
  });
});

describe("a book whose rows can't be marked as published", () => {
  it("keeps no other book's rows from it, and is marked once its rows can be", async () => {
    const failing = bookIdOf(newId("ten"), "Test");
    const mend = await poisonBook(adminUrl, "orders.outbox", failing);
    const { relay, units } = openRelay();
    relay.start();
    const [stuck, right] = await units.run(async (unit) => [
      unit.outbox.add(InquireInstruction, {
        book: failing,
        subject: "stuck",
        data: { orderId: newId("po") },
      }).id,
      ...sayIn(unit, "beside").map(({ id }) => id),
    ]);
    await until(async () => (await published([right ?? ""])) === 1);
    const left = await leaveBehind("left beside", 3, 10);
    await until(async () => (await published(left)) === 3);
    expect(receivedOf("stuck")[0]).toBe(stuck);
    expect(receivedOf("left beside").sort()).toEqual([...left].sort());
    expect(await published([stuck ?? ""])).toBe(0);
    await relay.stop();
    await mend();
    openRelay().relay.start();
    await until(async () => (await published([stuck ?? ""])) === 1);
  });
});

describe("a full stream", () => {
  const holdAtMost = async (maxBytes: number) => {
    const { config } = await messaging.manager.streams.info("NTF");
    await messaging.manager.streams.update("NTF", { ...config, max_bytes: maxBytes });
  };

  it("keeps its messages in the outbox, delays no other stream, and gets them all once it takes messages again", async () => {
    await holdAtMost(20_000);
    const waiting = await leaveBehind("waits", 1_000, 60, notification);
    const { relay, units } = openRelay();
    relay.start();
    const others = await leaveBehind("moves", 300, 10);
    await until(async () => (await published(others)) === 300);
    const [right] = await units.run(async (unit) => sayIn(unit, "moves at once"));
    await until(async () => (await published([right?.id ?? ""])) === 1);
    expect(await published(waiting)).toBeLessThan(1_000);
    await holdAtMost(10_000_000);
    await until(async () => (await published(waiting)) === 1_000);
    expect((await messaging.manager.streams.info("NTF")).state.bytes).toBeGreaterThan(20_000);
  });
});

describe("stopping", () => {
  it("waits for messages that are being published and marks them, so that the next start publishes nothing twice", async () => {
    const { relay, units } = openRelay();
    const ids = (await units.run(async (unit) => sayIn(unit, "last", 2_500))).map((message) => message.id);
    await relay.stop();
    expect(await published(ids)).toBe(2_500);
  });

  it("ends even if published rows can't be marked, and those are published again", async () => {
    const unmarkable = Object.create(database, {
      sqlWithKeptPlan: {
        value: (text: string, params: unknown[]) =>
          text.startsWith("update outbox")
            ? Promise.reject(Object.assign(new Error("a row is locked"), { code: "57P03" }))
            : database.sqlWithKeptPlan(text, params),
      },
    }) as typeof database;
    const { relay, units } = openRelay(nats, unmarkable);
    const ids = (await units.run(async (unit) => sayIn(unit, "unmarked", 3))).map((message) => message.id);
    await until(() => receivedOf("unmarked").length === 3);
    await relay.stop();
    expect(await published(ids)).toBe(0);
  });

  it("publishes and marks notifications that wait for those of later commits", async () => {
    const { relay } = openRelay();
    const ids = await leaveBehind("held", 10, 0, notification);
    const rows = await database.sql<OutboxRow>(
      `select day::text as day, message_id as "messageId", book_id as book, subject, message as messages,
         message_count as count
       from outbox where message_id = any ($1::uuid[])`,
      [ids],
    );
    for (const row of rows) {
      relay.publishCommitted([row]);
      await new Promise(setImmediate);
    }
    await relay.stop();
    expect(await published(ids)).toBe(10);
  });
});

it("keeps the messages of one commit in an envelope on the stream", async () => {
  const { units } = openRelay();
  const messages = await units.run(async (unit) => sayIn(unit, "packed", 3));
  await until(() => receivedOf("packed").length === 3);
  const last = await messaging.manager.streams.getMessage("CMD", { last_by_subj: "cmd.rails.>" });
  expect(last?.json<{ messages: AnyMessage[] }>().messages).toEqual(messages);
});
