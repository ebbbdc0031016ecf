import { expect, it } from "vitest";
import { newBook, poisonableConsumerOfFile } from "../../../test/stack/poisonable-consumer.ts";
import { until } from "../../../test/stack/until.ts";

const consumer = await poisonableConsumerOfFile({ BATCH_INTERVAL_MS: "1000" });

it("a consumer begins the first batch at once, and collects what arrives until the next may begin", async () => {
  const book = newBook();
  const batches: string[][] = [];
  const { promise: firstBegan, resolve: begin } = Promise.withResolvers<undefined>();
  consumer.misbehaves((messages) => {
    batches.push(messages.map(({ subject }) => subject));
    begin(undefined);
  });
  await consumer.send(book, ["first"]);
  await firstBegan;
  for (const subject of ["second", "third", "fourth"]) await consumer.send(book, [subject]);
  await until(async () => (await consumer.taken(book)).length === 4);
  expect(batches).toEqual([["first"], ["second", "third", "fourth"]]);
});
