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
    await taken(book, subjects);
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
    const statement = "select 'one batch'";
    way.muteAt(statement);
    consumer.misbehaves(async (_, { sql }) => void (await sql(statement)));
    const before = newBook();
    const begun: string[] = [];
    await until("a batch of the instance", async () => {
      begun.push(`begun-${String(begun.length)}`);
      await consumer.send(before, begun.slice(-1));
      return way.isMuted;
    });
    const book = newBook();
    const subjects = await sendOneByOne(book);
    // The driver gives up after 70 seconds.
    await taken(book, subjects, 60_000);
    way.cut();
    await taken(before, begun);
    await consumer.nothingPending();
    expect(new Set(await consumer.taken(book))).toEqual(new Set(subjects));
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

/** A message may be applied twice here: it comes again if the machine pauses before it is acknowledged. */
async function taken(book: BookId, subjects: readonly string[], withinMs = patienceMs): Promise<void> {
  const missing = async () => {
    const applied = new Set(await consumer.taken(book));
    return subjects.filter((subject) => !applied.has(subject));
  };
  await until(`${String(subjects.length)} messages`, async () => (await missing()).length === 0, withinMs);
}
