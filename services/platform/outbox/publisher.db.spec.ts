import pino from "pino";
import { describe, expect, it } from "vitest";
import { bookIdOf, newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { Metrics } from "../observability/metrics.ts";
import { Publisher } from "./publisher.ts";

// On a real nats-server. Nobody reads the messages.
const messaging = await forThisFile(startMessaging());
const nats = await messaging.connectAs("orders");
const book = uuidOf(bookIdOf(newId("ten"), "Test"));

/** Publishes the row of each of 40 commits. Returns how many messages the stream stored. */
async function messagesOf(stream: string, subject: string): Promise<number> {
  const publisher = new Publisher(nats, new Metrics("orders"), pino({ level: "silent" }));
  const lastSequence = async () => (await messaging.manager.streams.info(stream)).state.last_seq;
  const before = await lastSequence();
  const rows = Array.from({ length: 40 }, () => {
    return { day: "2026-01-01", messageId: newUuid(), book, subject, messages: "{}", count: 1 };
  });
  const published = [];
  for (const row of rows) {
    published.push(publisher.publishCommitted([row]));
    await new Promise(setImmediate);
  }
  expect((await Promise.all(published)).flat()).toEqual(rows);
  return (await lastSequence()) - before;
}

describe("the rows of commits that follow one another", () => {
  it("share messages if they are notifications, but those of the first four commits do not wait", async () => {
    const messages = await messagesOf("NTF", "ntf.orders.order-status-changed.v1.p00");
    expect(messages).toBeGreaterThan(4);
    expect(messages).toBeLessThan(20);
  });

  it("are messages of their own if money waits for them", async () => {
    expect(await messagesOf("CMD", "cmd.rails.inquire-instruction.v1.p00")).toBe(40);
  });
});
