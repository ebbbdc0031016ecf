import pino from "pino";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { bookIdOf, newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { Metrics } from "../observability/metrics.ts";
import { Publisher } from "./publisher.ts";

// On a real nats-server. Nobody reads the messages.
const messaging = await forThisFile(startMessaging());
const nats = await messaging.connectAs("orders");
const book = uuidOf(bookIdOf(newId("ten"), "Test"));
const notification = "ntf.orders.order-status-changed.v1.p00";

const openPublisher = () => new Publisher(nats, new Metrics("orders"), pino({ level: "silent" }));
const rowsOf = (subject: string, count: number) =>
  Array.from({ length: count }, () => {
    return { day: "2026-01-01", messageId: newUuid(), book, subject, messages: "{}", count: 1 };
  });
const storedMessages = async () => (await messaging.manager.streams.info("NTF")).state.last_seq;

describe("the notifications of commits that follow one another", () => {
  // The client of NATS has timers of its own, which a test may only move forward.
  beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "performance"] }));
  afterEach(() => vi.useRealTimers());

  it("share a message after 60 ms, but those of the first four commits leave at once", async () => {
    const publisher = openPublisher();
    const before = await storedMessages();
    const [first, later] = [rowsOf(notification, 4), rowsOf(notification, 36)];
    for (const row of first) expect(await publisher.publishTogether([row])).toEqual([row]);
    expect((await storedMessages()) - before).toBe(4);

    const together = later.map((row) => publisher.publishTogether([row]));
    await new Promise(setImmediate);
    vi.advanceTimersByTime(60);
    expect((await Promise.all(together)).flat()).toEqual(later);
    expect((await storedMessages()) - before).toBe(5);
  });

  it("are each reported as published only if the stream has taken them", async () => {
    const publisher = openPublisher();
    const good = rowsOf(notification, 1);
    const refused = good.map((row) => ({ ...row, messages: "x".repeat(2 ** 20) })); // larger than NATS takes
    const published = await Promise.all([
      publisher.publishTogether(good),
      publisher.publishTogether(refused),
    ]);
    expect(published).toEqual([good, []]);
  });
});
