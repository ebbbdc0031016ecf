import { jetstream } from "@nats-io/jetstream";
import pg from "pg";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { bookIdOf, newId } from "../../contracts/ids/ids.ts";
import { InquireInstruction } from "../../contracts/messages/rails.ts";
import { createMessage } from "../../services/platform/messages/message.ts";
import { forThisFile } from "../../test/stack/for-this-file.ts";
import { createDatabase } from "../../test/stack/servers/database.ts";
import { startMessaging } from "../../test/stack/servers/messaging.ts";
import { runCommandLine } from "./command-line/command-line.ts";
import { dlq } from "./dlq.ts";

const [messaging, database] = await Promise.all([
  forThisFile(startMessaging()),
  forThisFile(createDatabase("rails")),
]);
const client = await forThisFile(new pg.Client(database.adminUrl));
await client.connect();
const { NATS_URL, NATS_PASSWORD } = messaging.environment("rails", database.adminUrl);
for (const [name, value] of Object.entries({ NATS_URL, NATS_PASSWORD, DATABASE_URL: database.adminUrl }))
  vi.stubEnv(name, value);
beforeEach(() => messaging.manager.streams.purge("DLQ"));
afterAll(() => vi.unstubAllEnvs());

const book = bookIdOf(newId("ten"), "Test");
const subject = "cmd.rails.inquire-instruction.v1.p00";
const inquiry = () =>
  createMessage(InquireInstruction, { book, subject: "order", data: { orderId: newId("po") } });

/** Writes a letter with the service's own credentials, and returns its number. */
async function letter(from: "rails" | "webhooks", stream: string, body: object | string): Promise<string> {
  const text = typeof body === "string" ? body : JSON.stringify({ at: "2026-11-22T10:00:00Z", ...body });
  const { seq } = await jetstream(await messaging.connectAs(from)).publish(`dlq.${from}.${stream}`, text);
  return String(seq);
}

async function run(...args: string[]): Promise<{ code: number; out: string[]; error: string }> {
  const [out, error]: [string[], string[]] = [[], []];
  const streams = { out: (line: string) => out.push(line), error: (line: string) => error.push(line) };
  const code = await runCommandLine(dlq, args, streams);
  return { code, out, error: error.at(-1) ?? "" };
}
const lettersLeft = async () => (await messaging.manager.streams.info("DLQ")).state.messages;

it("redrive sends a message again to its consumer, which forgets that it handled it", async () => {
  const message = inquiry();
  await client.query("insert into rails.inbox (message_id) values ($1)", [message.id]);
  const number = await letter("rails", "cmd", { subject, reason: "a bug", message });
  expect(await run("redrive", number, "--by", "ada")).toMatchObject({
    code: 0,
    out: [`sent again on ${subject}`],
  });
  const stored = await messaging.manager.streams.getMessage("CMD", { last_by_subj: subject });
  expect(stored?.json()).toEqual({ messages: [message] });
  expect((await client.query("select 1 from rails.inbox where message_id = $1", [message.id])).rowCount).toBe(
    0,
  );
  expect(await lettersLeft()).toBe(0);
});

it("redrive refuses a letter by which webhooks would command another service, and keeps it", async () => {
  await messaging.manager.streams.purge("CMD");
  const number = await letter("webhooks", "ntf", { subject, reason: "forged", message: inquiry() });
  expect(await run("redrive", number, "--by", "ada")).toMatchObject({
    code: 1,
    error: `webhooks does not consume ${subject} from ntf: drop this dead letter`,
  });
  expect((await messaging.manager.streams.info("CMD")).state.messages).toBe(0);
  expect(await lettersLeft()).toBe(1);
});

it("a letter that is no JSON is listed, shown and dropped, and control characters are shown as code points", async () => {
  const number = await letter("webhooks", "ntf", "\u001b[2Jnot\nJSON");
  expect((await run("list")).out).toEqual([
    String.raw`${number}  dlq.webhooks.ntf  no letter: \u{1b}[2Jnot\u{a}JSON`,
  ]);
  expect((await run("show", number)).out).toEqual([String.raw`\u{1b}[2Jnot`, "JSON"]);
  expect(await run("redrive", number, "--by", "ada")).toMatchObject({ code: 1 });
  expect(await run("drop", number, "--by", "ada")).toMatchObject({ code: 0, out: ["dropped"] });
  expect(await lettersLeft()).toBe(0);
});

it("list asks only for letters that are there, after a consumer wrote too many as well", async () => {
  const kept = [await letter("rails", "cmd", { subject, reason: "before", message: 1 })];
  for (let flood = 0; flood < 40; flood += 1) await letter("webhooks", "ntf", "flood");
  kept.push(await letter("rails", "cmd", { subject, reason: "after", message: 2 }));
  await messaging.manager.streams.purge("DLQ", { filter: "dlq.webhooks.ntf" });
  let asked = 0;
  const watching = await messaging.connectAs("operator");
  watching.subscribe("$JS.API.STREAM.MSG.GET.DLQ", { callback: () => void (asked += 1) });
  await watching.flush();
  expect((await run("list")).out.map((line) => line.split(" ", 1)[0])).toEqual(kept);
  await watching.flush();
  expect(asked).toBe(3);
});

it("a letter whose message is of no type that we know is listed too", async () => {
  const number = await letter("webhooks", "ntf", {
    subject: "evt",
    reason: "why",
    message: { type: { toString: 1 } },
  });
  expect((await run("list")).out).toEqual([
    `${number}  2026-11-22T10:00:00Z  dlq.webhooks.ntf  {"toString":1}   why`,
  ]);
});

it("a reason can't add a line to the list that looks like another letter", async () => {
  await letter("webhooks", "ntf", { subject: "evt", reason: "a\n9  2026-11-22  dlq.ledger.cmd", message: 7 });
  expect((await run("list")).out).toHaveLength(1);
});
