import pino from "pino";
import { describe, expect, it } from "vitest";
import { type BookId, bookIdOf, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import { submissionOf, testEncryptionKeys } from "../../../test/stack/services/rails.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { RunDueSteps } from "./run-due-steps.worker.ts";
import { noFaultRules } from "./fault-rules.ts";
import type { Submission } from "./rail-adapter.ts";
import { SimulatedRail } from "./simulated-rail.ts";

const silent = pino({ level: "silent" });
const cipher = new SecretCipher(testEncryptionKeys);
const rail = new SimulatedRail(cipher, noFaultRules);
const start = new Date("2026-07-01T12:00:00.000Z");
const later = (ms: number) => new Date(start.getTime() + ms);
const bank = await forThisFile(openFreshUnits("rails"));
const handOff = (...submissions: Submission[]) =>
  bank.units.run((unit) => rail.take({ submissions, inquiries: [] }, unit, start));
const aBook = () => bookIdOf(newId("ten"), "Test");

it("pauses for 250 ms while no step is due, and for 100 ms from 250 ms before one is", async () => {
  const worker = new RunDueSteps(bank.database, bank.units, cipher, new Metrics("rails"), silent);
  const pauseAt = async (ms: number) => {
    await worker.tick(later(ms));
    return worker.pauseMs;
  };
  expect(await pauseAt(0)).toBe(250);
  const submission = submissionOf(aBook(), { rail: "Ach" });
  await bank.units.run((unit) => rail.take({ submissions: [submission], inquiries: [] }, unit, start));
  // It settles after 300 ms.
  expect(await pauseAt(49)).toBe(250);
  expect(await pauseAt(50)).toBe(100);
  expect(await pauseAt(300)).toBe(100);
  expect(await pauseAt(400)).toBe(250);
  await bank.takeMessages();
});

describe("a book whose rows can't be updated", () => {
  it("does not stop the steps of other books, and goes on once the cause is gone", async () => {
    const [bad, sound] = [aBook(), aBook()];
    const metrics = new Metrics("rails");
    const worker = new RunDueSteps(bank.database, bank.units, cipher, metrics, silent);
    const submit = (at: Date) =>
      bank.units.run((unit) =>
        rail.take(
          {
            submissions: [submissionOf(bad, { rail: "Ach" }), submissionOf(sound, { rail: "Ach" })],
            inquiries: [],
          },
          unit,
          at,
        ),
      );
    const settled = async () =>
      (await bank.takeMessages()).filter(({ type }) => type.includes("settled")).map(({ book }) => book);

    const cure = await poisonBook(bank.adminUrl, "rails.instruction", bad);
    await submit(start);
    await worker.tick(later(1_000));
    expect(await settled()).toEqual([sound]);

    // The next batches leave the bad book out.
    await submit(later(1_000));
    await worker.tick(later(2_000));
    expect(await settled()).toEqual([sound]);
    const failed = await metrics.registry.getSingleMetric("quittance_worker_failed_ticks_total")?.get();
    expect(failed?.values).toMatchObject([{ value: 1, labels: { worker: "run-due-steps" } }]);

    await cure();
    await worker.tick(later(6_000));
    expect(await settled()).toEqual([bad, bad]);
    await submit(later(6_000));
    await worker.tick(later(7_000));
    expect((await settled()).sort()).toEqual([bad, sound].sort());
  });
});

describe("a book with a clock in which thousands of payments are due", () => {
  it("does not keep the worker from other books, nor from going on at once", async () => {
    const [busy, other] = [aBook(), aBook()].toSorted((a, b) => (uuidOf(a) < uuidOf(b) ? -1 : 1)) as [
      BookId,
      BookId,
    ];
    for (const book of [busy, other]) {
      await saveClock(bank.database.sql, book, { mode: "Manual", leadMs: 0, standsAt: start, sequence: 1 });
    }
    await handOff(...Array.from({ length: 1_200 }, () => submissionOf(busy, { rail: "Ach" })));
    await handOff(submissionOf(other, { rail: "Ach" }));
    await bank.takeMessages();
    const friday = new Date("2026-07-10T12:00:00.000Z");
    for (const book of [busy, other]) {
      await saveClock(bank.database.sql, book, { mode: "Manual", leadMs: 0, standsAt: friday, sequence: 2 });
    }
    const worker = new RunDueSteps(bank.database, bank.units, cipher, new Metrics("rails"), silent);
    expect(await worker.tick(start)).toBeGreaterThan(0);
    expect(new Set((await bank.takeMessages()).map(({ book }) => book))).toEqual(new Set([busy, other]));
    let settled = 0;
    while ((await worker.tick(start)) > 0) settled += (await bank.takeMessages()).length;
    settled += (await bank.takeMessages()).length;
    expect(settled).toBe(1_150);
  });

  it("lets the claims go round, each from the book where the last one ended", async () => {
    const books = Array.from({ length: 12 }, aBook).toSorted((a, b) => (uuidOf(a) < uuidOf(b) ? -1 : 1));
    for (const book of books) {
      await saveClock(bank.database.sql, book, { mode: "Manual", leadMs: 0, standsAt: start, sequence: 1 });
      await handOff(...Array.from({ length: 60 }, () => submissionOf(book, { rail: "Ach" })));
      const friday = new Date("2026-07-10T12:00:00.000Z");
      await saveClock(bank.database.sql, book, { mode: "Manual", leadMs: 0, standsAt: friday, sequence: 2 });
    }
    await bank.takeMessages();
    const worker = new RunDueSteps(bank.database, bank.units, cipher, new Metrics("rails"), silent);
    const booksOfTick = async () => {
      await worker.tick(start);
      return new Set((await bank.takeMessages()).map(({ book }) => book));
    };
    expect(await booksOfTick()).toEqual(new Set(books.slice(0, 10)));
    expect(await booksOfTick()).toEqual(new Set(books.slice(10)));
    expect(await booksOfTick()).toEqual(new Set(books));
    expect(await worker.tick(start)).toBe(0);
  });
});
