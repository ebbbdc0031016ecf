import { expect, it } from "vitest";
import type { BookId } from "../../../contracts/ids/ids.ts";
import {
  named,
  newBook,
  poisonableConsumerOfFile,
} from "../../../test/stack/messages/poisonable-consumer.ts";
import { wayTo } from "../../../test/stack/servers/way-to-server.ts";
import { patienceMs, until } from "../../../test/stack/until.ts";

const consumer = await poisonableConsumerOfFile();

it("an instance that alone can't reach Postgres leaves the messages to the others", async () => {
  const way = await wayTo(consumer.serviceUrl);
  const cutOff = await consumer.startInstance({ DATABASE_URL: way.url });
  try {
    way.cut();
    const book = newBook();
    const subjects = await sendOneByOne(book);
    await taken(book, subjects.length);
    expect((await consumer.taken(book)).toSorted()).toEqual(subjects);
    expect((await fetch(`${cutOff.url}/readyz`)).status).toBe(503);
    await consumer.nothingPending();
  } finally {
    await cutOff.stop();
    way.close();
  }
});

it("an instance whose Postgres is gone without a sign keeps only the batch that it has begun", async () => {
  const way = await wayTo(consumer.serviceUrl);
  const cutOff = await consumer.startInstance({ DATABASE_URL: way.url });
  try {
    let isGone = false;
    consumer.misbehaves(async (_, { sql }) => {
      const [session] = await sql<{ port: number }>("select inet_client_port() as port");
      if (!way.carries(session!.port)) return;
      way.mute();
      isGone = true;
    });
    const before = newBook();
    await until("a batch of the instance", async () => {
      await consumer.send(before, ["begun"]);
      return isGone;
    });
    const book = newBook();
    const subjects = await sendOneByOne(book);
    // The driver gives up after 70 seconds.
    await taken(book, subjects.length, 60_000);
    expect((await consumer.taken(book)).toSorted()).toEqual(subjects);
  } finally {
    consumer.behaves();
    way.cut();
    await cutOff.stop();
    way.close();
  }
});

async function sendOneByOne(book: BookId): Promise<string[]> {
  const subjects = named("message", 60);
  for (const subject of subjects) await consumer.send(book, [subject]);
  return subjects;
}

function taken(book: BookId, atLeast: number, withinMs = patienceMs): Promise<boolean> {
  return until(
    `${String(atLeast)} messages`,
    async () => (await consumer.taken(book)).length >= atLeast,
    withinMs,
  );
}
