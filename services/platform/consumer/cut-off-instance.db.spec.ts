import { expect, it } from "vitest";
import {
  named,
  newBook,
  poisonableConsumerOfFile,
} from "../../../test/stack/messages/poisonable-consumer.ts";
import { wayTo } from "../../../test/stack/servers/way-to-server.ts";
import { until } from "../../../test/stack/until.ts";

const consumer = await poisonableConsumerOfFile();

it("an instance that alone can't reach Postgres leaves the messages to the others", async () => {
  const way = await wayTo(consumer.serviceUrl);
  const cutOff = await consumer.startInstance({ DATABASE_URL: way.url });
  try {
    way.cut();
    const book = newBook();
    const subjects = named("message", 60);
    for (const subject of subjects) await consumer.send(book, [subject]);
    await until("all messages", async () => (await consumer.taken(book)).length >= subjects.length);
    expect((await consumer.taken(book)).toSorted()).toEqual(subjects);
    expect((await fetch(`${cutOff.url}/readyz`)).status).toBe(503);
    await consumer.nothingPending();
  } finally {
    await cutOff.stop();
    way.close();
  }
});
