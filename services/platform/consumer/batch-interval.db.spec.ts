import { expect, it } from "vitest";
import { newBook, poisonableConsumerOfFile } from "../../../test/stack/messages/poisonable-consumer.ts";
import { until } from "../../../test/stack/until.ts";

const intervalMs = 1_000;
const consumer = await poisonableConsumerOfFile({ BATCH_INTERVAL_MS: String(intervalMs) });

it("a consumer begins four batches at once, and the fifth an interval after the first", {
  retry: 2,
}, async () => {
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
  expect((begun[3] ?? 0) - (begun[0] ?? 0)).toBeLessThan(intervalMs);
});

it("a consumer begins a batch of 32 messages at once", { retry: 2 }, async () => {
  const [book, batches] = [newBook(), 20];
  const subjects = Array.from({ length: 32 }, (_, index) => `message ${String(index)}`);
  const startedAt = performance.now();
  for (let sent = 1; sent <= batches; sent += 1) {
    await consumer.send(book, subjects);
    await until(async () => (await consumer.taken(book)).length === sent * subjects.length);
  }
  // A few may begin at once in any case.
  expect(performance.now() - startedAt).toBeLessThan((batches - 5) * intervalMs);
});
