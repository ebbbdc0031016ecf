import { jetstream } from "@nats-io/jetstream";
import { Controller, Module } from "@nestjs/common";
import { beforeEach, describe, expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { InquireInstruction, SubmitInstruction } from "../../../contracts/messages/rails.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { asAdmin, createDatabase } from "../../../test/stack/servers/database.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { until } from "../../../test/stack/until.ts";
import { Metrics } from "../observability/metrics.ts";
import { Database } from "../persistence/database.ts";
import { PlatformModule } from "../platform.module.ts";
import { platformConfig, readConfig } from "../process/config.ts";
import { type RunningService, startService } from "../run-service.ts";
import { Consumes, type MessageOf } from "../handlers/decorators.ts";
import { createMessage } from "../messages/message.ts";
import type { UnitOfWork } from "../handlers/unit-of-work.ts";

// The platform's consumer under the name of rails, with a test handler that fills a table.
type Command = MessageOf<typeof SubmitInstruction | typeof InquireInstruction>;

/** Runs in the handler before it records a batch. */
let misbehave: (messages: readonly Command[], unit: UnitOfWork) => Promise<void> | void;
let batches: string[][];

@Controller()
class TakeDown {
  @Consumes(SubmitInstruction, InquireInstruction)
  async take(messages: readonly Command[], unit: UnitOfWork): Promise<void> {
    batches.push(messages.map((message) => message.subject));
    await misbehave(messages, unit);
    await unit.sql("insert into taken (subject) select unnest($1::text[])", [
      messages.map((message) => message.subject),
    ]);
  }
}

@Module({})
class TakeDownModule {}

function startInstance(settings: NodeJS.ProcessEnv = {}): Promise<RunningService> {
  const environment = messaging.environment("rails", database.urlOf("rails"));
  const config = readConfig(platformConfig, { ...environment, ...settings });
  const imports = [PlatformModule.forService({ service: "rails", config })];
  return startService({ module: TakeDownModule, imports, controllers: [TakeDown] }, config, "rails");
}

const [messaging, database] = await Promise.all([
  forThisFile(startMessaging()),
  forThisFile(createDatabase("rails")),
]);
const service = await forThisFile(startInstance());
await asAdmin(
  database.adminUrl,
  "create table rails.taken (subject text, constraint not_poison check (subject not like '%poison%'))",
  "grant insert, select on rails.taken to rails",
);
beforeEach(() => {
  misbehave = () => undefined;
  batches = [];
});

const book = bookIdOf(newId("ten"), "Test");
const otherBook = bookIdOf(newId("ten"), "Test");
/** Any command; tests identify it by its subject. */
const inquiryFor = (subject: string, of = book) =>
  createMessage(InquireInstruction, { book: of, subject, data: { orderId: newId("po") } });
const inquire = "cmd.rails.inquire-instruction.v1.p00";

const sql = <R extends object>(text: string, params: unknown[] = []) =>
  service.app.get(Database).sql<R>(text, params);

/** How often messages with this prefix were handled, once that is at least `times`. */
async function taken(prefix: string, atLeast: number): Promise<string[]> {
  let subjects: string[] = [];
  await until(async () => {
    const rows = await sql<{ subject: string }>(
      "select subject from taken where subject like $1 || '%' order by subject",
      [prefix],
    );
    subjects = rows.map((row) => row.subject);
    return subjects.length >= atLeast;
  });
  return subjects;
}

/** How many of its letters the stream has taken, and not dropped as repeats. */
async function storedLetters(): Promise<number> {
  const { state } = await messaging.manager.streams.info("DLQ", { subjects_filter: "dlq.rails.cmd" });
  return state.subjects?.["dlq.rails.cmd"] ?? 0;
}

describe("a consumer", () => {
  it("passes messages on in stream order, and acknowledges them", async () => {
    const messages = ["order-1", "order-2", "order-3"].map((subject) => inquiryFor(subject));
    await messaging.publish(inquire, { messages: messages.slice(0, 2) });
    await messaging.publish(inquire, { messages: messages.slice(2) });
    expect(await taken("order-", 3)).toEqual(["order-1", "order-2", "order-3"]);
    expect(batches.flat()).toEqual(["order-1", "order-2", "order-3"]);
    await until(async () => (await messaging.manager.consumers.info("CMD", "rails")).num_ack_pending === 0);
    // Interest retention: the stream deletes a message once all consumers acknowledged it.
    expect((await messaging.manager.streams.info("CMD")).state.messages).toBe(0);
  });

  it("drops repeats within an envelope", async () => {
    const one = inquiryFor("again-1");
    await messaging.publish(inquire, { messages: [one, inquiryFor("again-2"), one] });
    await messaging.publish(inquire, { messages: [inquiryFor("again-3")] });
    expect(await taken("again-3", 1)).toHaveLength(1);
    expect(await taken("again-", 3)).toEqual(["again-1", "again-2", "again-3"]);
  });

  it("dead-letters a message that fits no schema, with the reason, and handles the others", async () => {
    const bad = { ...inquiryFor("fits-not"), data: { orderId: "po_nonsense" } };
    await messaging.publish(inquire, { messages: [inquiryFor("fits-1"), bad, inquiryFor("fits-2")] });
    await messaging.publish(inquire, "no envelope");
    await messaging.publish(inquire, { messages: [inquiryFor("fits-3")] });
    expect(await taken("fits-", 3)).toEqual(["fits-1", "fits-2", "fits-3"]);
    await until(() => messaging.deadLetters.length === 2);
    expect(messaging.deadLetters).toMatchObject([
      { subject: inquire, reason: "orderId: must be an id that begins with po_", message: bad },
      { subject: inquire, reason: "the message is not JSON", message: "no envelope" },
    ]);
  });

  it("dead-letters a message once, also if its envelope comes again", async () => {
    let once = true;
    misbehave = async (_messages, { sql: own }) => {
      if (once) await own("select pg_terminate_backend(pg_backend_pid())").finally(() => (once = false));
    };
    const [published, stored] = [messaging.deadLetters.length, await storedLetters()];
    await messaging.publish(inquire, {
      messages: [{ ...inquiryFor("no"), data: {} }, inquiryFor("beside-1")],
    });
    expect(await taken("beside-", 1)).toEqual(["beside-1"]);
    await until(() => messaging.deadLetters.length >= published + 2);
    expect(await storedLetters()).toBe(stored + 1);
  });

  it("dead-letters a message although another service has used the ids that it can guess", async () => {
    const stored = await storedLetters();
    const { last_seq: last } = (await messaging.manager.streams.info("CMD")).state;
    const message = inquiryFor("suppressed");
    const webhooks = jetstream(await messaging.connectAs("webhooks"));
    for (const part of ["0", message.id])
      await webhooks.publish("dlq.webhooks.ntf", "{}", { msgID: `CMD/${String(last + 1)}/${part}` });
    await messaging.publish(inquire, { messages: [{ ...message, data: {} }] });
    await messaging.publish(inquire, { messages: [inquiryFor("after-1")] });
    expect(await taken("after-", 1)).toEqual(["after-1"]);
    expect(await storedLetters()).toBe(stored + 1);
  });

  it("truncates a dead letter that would be too long to send", async () => {
    const before = messaging.deadLetters.length;
    await messaging.publish(inquire, '"'.repeat(1_000_000));
    await messaging.publish(inquire, { messages: [inquiryFor("long-1")] });
    expect(await taken("long-", 1)).toEqual(["long-1"]);
    await until(() => messaging.deadLetters.length > before);
    expect(messaging.deadLetters.at(-1)).toMatchObject({ message: expect.stringMatching(/truncated\)$/) });
  });

  it("bisects down to the failing message: the others commit, and it alone is dead-lettered after five failures", async () => {
    const before = messaging.deadLetters.length;
    const poison = inquiryFor("poison");
    await messaging.publish(inquire, {
      messages: [
        inquiryFor("flow-1"),
        inquiryFor("flow-2"),
        poison,
        inquiryFor("flow-3"),
        inquiryFor("flow-4"),
      ],
    });
    expect(await taken("flow-", 4)).toEqual(["flow-1", "flow-2", "flow-3", "flow-4"]);
    expect(messaging.deadLetters).toHaveLength(before);
    await messaging.publish(inquire, { messages: [inquiryFor("flow-5")] });
    expect(await taken("flow-5", 1)).toEqual(["flow-5"]);
    await until(() => messaging.deadLetters.length > before);
    expect(messaging.deadLetters.slice(before)).toEqual([
      expect.objectContaining({ reason: expect.stringMatching(/^23514: .*not_poison/), message: poison }),
    ]);
    const failed = await until(async () => {
      const rows = await sql<{ failures: number; dead: boolean }>(
        "select failures, dead_lettered_at is not null as dead from failed_message where message_id = $1",
        [poison.id],
      );
      return rows[0]?.dead === true && rows;
    });
    expect(failed).toEqual([{ failures: 5, dead: true }]);
    // The others were not applied again with any of its deliveries, and its envelope is done with.
    expect(await taken("flow-", 5)).toHaveLength(5);
    await until(async () => (await messaging.manager.consumers.info("CMD", "rails")).num_ack_pending === 0);
  });

  it("dead-letters a message at once after a PermanentError, and does not count it as a bad deploy", async () => {
    const before = messaging.deadLetters.length;
    const permanent = Array.from({ length: 10 }, (_, i) => inquiryFor(`permanent-${String(i)}`));
    misbehave = (messages) => {
      if (messages.some(({ subject }) => subject.startsWith("permanent"))) {
        throw Object.assign(new Error("its sender's mistake"), { permanent: true });
      }
    };
    await messaging.publish(inquire, { messages: [...permanent, inquiryFor("passing-1")] });
    expect(await taken("passing-", 1)).toEqual(["passing-1"]);
    await until(() => messaging.deadLetters.length === before + 10);
    expect(messaging.deadLetters.slice(before).map(({ reason, message }) => [reason, message])).toEqual(
      permanent.map((message) => ["Error: its sender's mistake", message]),
    );
  });

  it("dead-letters a message at once whose value Postgres refuses, and never halts: 22003", async () => {
    const before = messaging.deadLetters.length;
    const tooLarge = Array.from({ length: 10 }, (_, i) => inquiryFor(`too-large-${String(i)}`));
    misbehave = async (messages, { sql: own }) => {
      if (messages.some(({ subject }) => subject.startsWith("too-large"))) {
        await own("select 9223372036854775807::bigint + 1");
      }
    };
    await messaging.publish(inquire, { messages: [...tooLarge, inquiryFor("in-range-1")] });
    expect(await taken("in-range-", 1)).toEqual(["in-range-1"]);
    await until(() => messaging.deadLetters.length === before + 10);
    expect(messaging.deadLetters.slice(before).map(({ reason }) => reason)).toEqual(
      tooLarge.map(() => "22003: bigint out of range"),
    );
  });

  it("counts a lost database connection against no message: the batch is redelivered and succeeds", async () => {
    let once = true;
    misbehave = async (_messages, { sql: own }) => {
      if (once) await own("select pg_terminate_backend(pg_backend_pid())").finally(() => (once = false));
    };
    await messaging.publish(inquire, { messages: [inquiryFor("broke-1"), inquiryFor("broke-2")] });
    expect(await taken("broke-", 2)).toEqual(["broke-1", "broke-2"]);
    expect(batches).toEqual([
      ["broke-1", "broke-2"],
      ["broke-1", "broke-2"],
    ]);
    expect(await sql("select 1 from failed_message where last_error like '57P01%'")).toEqual([]);
  });

  it("handles a good message among many that fail alike", async () => {
    const crowd = Array.from({ length: 12 }, (_, index) => inquiryFor(`crowd-poison-${String(index)}`));
    await messaging.publish(inquire, { messages: [...crowd, inquiryFor("crowd-good")] });
    expect(await taken("crowd-good", 1)).toEqual(["crowd-good"]);
    // The next test must not see the failing messages.
    await messaging.manager.streams.purge("CMD");
  });

  it("can be stopped while it is still starting", async () => {
    const second = await startInstance();
    await expect(second.stop()).resolves.toBeUndefined();
  });
});

// The last test, because it leaves the consumer halted.
describe("messages of several books that fail one after the other with the same code", () => {
  it("halt the consumer, because they look like a bad deploy, and nothing is dead-lettered", async () => {
    const before = messaging.deadLetters.length;
    misbehave = () => Promise.reject(new RangeError("a bug that came with the deploy"));
    await messaging.publish(inquire, {
      messages: Array.from({ length: 12 }, (_, i) =>
        inquiryFor(`deploy-${String(i)}`, i % 2 === 0 ? book : otherBook),
      ),
    });
    const halted = service.app.get(Metrics).gauge<"stream">("consumer_halted", "");
    await until(async () => (await halted.get()).values.some(({ value }) => value === 1));
    const rows = await sql<{ failures: number; dead: number }>(
      `select max(failures) as failures, count(dead_lettered_at)::int as dead
       from failed_message where last_error like 'RangeError%'`,
    );
    expect(rows).toEqual([{ failures: 1, dead: 0 }]);
    expect(messaging.deadLetters).toHaveLength(before);
    expect((await messaging.manager.streams.info("CMD")).state.messages).toBe(1);
  });
});
