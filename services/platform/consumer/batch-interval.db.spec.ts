import { expect, it } from "vitest";
import { newBook, poisonableConsumerOfFile } from "../../../test/stack/poisonable-consumer.ts";
import { until } from "../../../test/stack/until.ts";

const consumer = await poisonableConsumerOfFile({ BATCH_INTERVAL_MS: "1000" });

it("a consumer begins a few batches at once, and then one per interval: of five, the last begins an interval after the first", async () => {
  const book = newBook();
  const begun: number[] = [];
  consumer.misbehaves(() => {
    begun.push(performance.now());
  });
  const subjects = Array.from({ length: 8 }, (_, index) => `message ${String(index)}`);
  for (const [index, subject] of subjects.entries()) {
    await consumer.send(book, [subject]);
    await until(() => begun.length > index);
  }
  await until(async () => (await consumer.taken(book)).length === subjects.length);
  const waits = begun.slice(4).map((at, index) => at - (begun[index] ?? 0));
  // It is seen a moment after it begins, and a busy machine makes that moment longer.
  expect(Math.min(...waits)).toBeGreaterThan(500);
});
