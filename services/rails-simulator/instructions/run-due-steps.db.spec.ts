import pino from "pino";
import { describe, expect, it } from "vitest";
import { bookIdOf, newId } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { poisonBook } from "../../../test/stack/poisoned-book.ts";
import { submissionOf, testEncryptionKeys } from "../../../test/stack/rails.ts";
import { openFreshUnits } from "../../../test/stack/units.ts";
import { SecretCipher } from "../../platform/encryption/secret-cipher.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { RunDueSteps } from "./run-due-steps.worker.ts";
import { noFaultRules } from "./fault-rules.ts";
import { SimulatedRail } from "./simulated-rail.ts";

const silent = pino({ level: "silent" });
const cipher = new SecretCipher(testEncryptionKeys);
const rail = new SimulatedRail(cipher, noFaultRules);
const start = new Date("2026-07-01T12:00:00.000Z");
const later = (ms: number) => new Date(start.getTime() + ms);
const bank = await forThisFile(openFreshUnits("rails"));
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
