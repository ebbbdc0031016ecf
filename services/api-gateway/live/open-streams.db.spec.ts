import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { Refusal } from "../../../contracts/errors.ts";
import { type BookId, newId } from "../../../contracts/ids/ids.ts";
import { OrderStatusChanged } from "../../../contracts/messages/orders.ts";
import { DeliveriesChanged } from "../../../contracts/messages/webhooks.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { startMessaging } from "../../../test/stack/servers/messaging.ts";
import { until } from "../../../test/stack/until.ts";
import { LiveEvents } from "./live-events.ts";
import { OpenStreams } from "./open-streams.ts";

const messaging = await forThisFile(startMessaging());
const nats = await messaging.connectAs("gateway");
const orders = await messaging.connectAs("orders");
const webhooks = await messaging.connectAs("webhooks");
const live = new LiveEvents(nats);
live.onModuleInit();
const streams = new OpenStreams(live);
const signedOut = new Set<string>();
const opened = new Set<string>();
const hasClosed = new Set<string>();

/** The caller names its person and book in the path: `/rosa/bk_…`. */
const server = createServer((request, response) => {
  const [, person = "", book = ""] = request.url?.split("/") ?? [];
  if (person === "large") return void response.end("x".repeat(20_000_000));
  const isStillSignedIn = () => Promise.resolve(!signedOut.has(person));
  try {
    streams.open({ person, book: book as BookId, isStillSignedIn }, response);
    opened.add(person);
    response.once("close", () => hasClosed.add(person));
  } catch (error) {
    response.writeHead(429).end((error as Refusal).code);
  }
});
server.listen(0, "127.0.0.1");
await once(server, "listening");
await forThisFile({ close: () => server.close() });
afterEach(() => {
  streams.endAll();
});

interface Reader {
  readonly status: number;
  text: string;
  hasEnded: boolean;
}

async function read(person: string, book: BookId): Promise<Reader> {
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${String(port)}/${person}/${book}`);
  const reader: Reader = { status: response.status, text: "", hasEnded: false };
  void (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) reader.text += chunk;
    reader.hasEnded = true;
  })();
  await until("the first event", () => reader.text);
  await nats.flush();
  return reader;
}

const subject = `${OrderStatusChanged.subject}.p00`;
let messageNumber = 0;
/** One envelope with the status changes of orders, as the orders service publishes it. */
async function publish(...changes: { book: BookId; order: string; sequence: number }[]): Promise<void> {
  const messages = changes.map(({ book, order, sequence }) => ({
    id: `00000000-0000-7000-8000-${String((messageNumber += 1)).padStart(12, "0")}`,
    type: OrderStatusChanged.type,
    time: "2026-11-23T12:00:00.000Z",
    book,
    subject: order,
    sequence,
    correlationid: "req_1",
    data: { amountCents: 4_200 },
  }));
  orders.publish(subject, JSON.stringify({ messages }));
  await orders.flush();
}

const resync = "event: resync\ndata: {}\n\n";
const changed = (id: string, sequence: number) =>
  `event: changed\ndata: {"type":"payment_order","id":"${id}","sequence":${String(sequence)}}\n\n`;

describe("an open stream", () => {
  it("names what changed in its own book, without its content", async () => {
    const [own, other] = [newId("book"), newId("book")];
    const rosa = await read("rosa", own);
    await publish(
      { book: other, order: "po_other", sequence: 1 },
      { book: own, order: "po_own", sequence: 2 },
    );
    await until("the change", () => rosa.text.includes("po_own"));
    expect(rosa.text).toBe(resync + changed("po_own", 2));
  });

  it("learns of deliveries by one message for many books, which no stream keeps", async () => {
    const [own, other] = [newId("book"), newId("book")];
    const rosa = await read("rosa", own);
    const messages = [own, other].map((book) => ({ book, subject: book }));
    webhooks.publish(DeliveriesChanged.subject, JSON.stringify({ messages }));
    await until("the change", () => rosa.text.includes("webhooks"));
    expect(rosa.text).toBe(
      `${resync}event: changed\ndata: {"type":"webhooks","id":"${own}","sequence":null}\n\n`,
    );
    const names = await messaging.manager.streams.names(DeliveriesChanged.subject).next();
    expect(names).toEqual([]);
  });

  it("goes on after an envelope that can't be read", async () => {
    const book = newId("book");
    const rosa = await read("rosa", book);
    orders.publish(subject, "no JSON");
    orders.publish(subject, JSON.stringify({ messages: [{ book }] }));
    await publish({ book, order: "po_a", sequence: 1 });
    await until("the change", () => rosa.text.includes("po_a"));
    expect(rosa.text).toBe(resync + changed("po_a", 1));
  });

  it("asks for a new reading after the connection to NATS was lost", async () => {
    const rosa = await read("rosa", newId("book"));
    await nats.reconnect();
    await until("the second resync", () => rosa.text !== resync);
    expect(rosa.text).toBe(resync + resync);
  });

  it("ends with its session, and only that one", async () => {
    const book = newId("book");
    const [rosa, sam] = await Promise.all([read("rosa", book), read("sam", book)]);
    signedOut.add("rosa");
    await streams.closeStreamsOfEndedSessions();
    await until("the end", () => rosa.hasEnded);
    await publish({ book, order: "po_a", sequence: 1 });
    await until("the change", () => sam.text.includes("po_a"));
    expect(sam.hasEnded).toBe(false);
    signedOut.clear();
  });

  it("that nobody reads takes nothing more after its end, and its connection is closed", async () => {
    const book = newId("book");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").pause();
    // The stream's answer waits behind the other one, which is not read.
    socket.write(`GET /large HTTP/1.1\r\nhost: a\r\n\r\nGET /slow/${book} HTTP/1.1\r\nhost: a\r\n\r\n`);
    await until("the stream", () => opened.has("slow"));
    await nats.flush();
    const sam = await read("sam", book);
    signedOut.add("slow");
    await streams.closeStreamsOfEndedSessions();
    for (const order of ["po_a", "po_b"]) {
      await publish({ book, order, sequence: 1 });
      await until("the change", () => sam.text.includes(order));
    }
    await until("the close", () => hasClosed.has("slow"));
    expect(sam.hasEnded).toBe(false);
    signedOut.clear();
    socket.destroy();
  });

  it("is refused as a person's sixth, until one of the five is closed", async () => {
    const book = newId("book");
    for (let number = 0; number < 5; number += 1) await read("rosa", book);
    expect(await read("rosa", book)).toMatchObject({ status: 429, text: "rate_limited" });
    expect((await read("sam", book)).status).toBe(200);
    streams.endAll();
    await until("a free place", async () => (await read("rosa", book)).status === 200);
  });
});
