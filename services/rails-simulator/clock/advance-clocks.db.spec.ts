/** Advances of several books, with stand-ins for the other services, which have nothing to do. */
import { describe, expect, it } from "vitest";
import { type BookId, bookIdOf, newId, newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import { connectTo } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";
import { until } from "../../../test/stack/until.ts";
import { saveClock } from "../../platform/clock/book-clocks.ts";
import { createLogger } from "../../platform/observability/logger.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { AdvanceClocks } from "./advance-clocks.worker.ts";
import { leastOf } from "../../../test/stack/least-of.ts";
import { claimAdvance, insertAdvance, readAdvance, updateAdvance } from "./store/clock-advances.ts";

const bank = await forThisFile(openFreshUnits("rails"));
const session = await forThisFile(connectTo(bank.adminUrl));
const { sql } = bank.database;
const from = new Date("2038-02-12T17:00:00.000Z");
const to = new Date("2038-02-13T17:00:00.000Z");

const metrics = new Metrics("rails");
const idle = { value: { handled: [], unconfirmed: [], nextDueAt: null } };
const worker = new AdvanceClocks(
  bank.database,
  bank.units,
  { request: () => Promise.resolve(idle) } as never,
  { apply: () => Promise.resolve([]) } as never,
  { wake: () => undefined } as never,
  { clockMoved: () => undefined } as never,
  { wake: () => undefined } as never,
  metrics,
  createLogger("rails", "silent"),
);
const tick = () => worker.tick(new AbortController().signal);

async function advanceOf(name: string) {
  const tenant = newId("ten");
  const book = bookIdOf(tenant, "Test");
  await saveClock(sql, book, { mode: "Manual", leadMs: 0, standsAt: from, sequence: 1 });
  const { id } = await insertAdvance(sql, {
    id: newId("adv"),
    book,
    tenant,
    requestedBy: name,
    from,
    to,
  });
  const status = async () => (await readAdvance(sql, book, id))?.status;
  return {
    id,
    book,
    status,
    isDone: () => until(name, async () => (await status()) === "Done" || undefined),
  };
}
async function failures(): Promise<number> {
  const counted = await metrics.registry.getSingleMetric("quittance_worker_failed_ticks_total")?.get();
  return counted?.values.find(({ labels }) => labels["worker"] === "advance-clocks")?.value ?? 0;
}
const oneMoreThan = (before: number) =>
  until("the failure is counted", async () => (await failures()) === before + 1 || undefined);

describe("a book whose advance fails", () => {
  it.each([
    ["can't be claimed", "rails.clock_advance"],
    ["can't move its clock", "rails.book_clock"],
  ])("because it %s stops no other advance", async (_what, table) => {
    const bad = await advanceOf("bad");
    const sound = await advanceOf("sound");
    const before = await failures();
    const cure = await poisonBook(bank.adminUrl, table, bad.book);
    await tick();
    await sound.isDone();
    await oneMoreThan(before);
    expect(await bad.status()).toBe("Running");
    await cure();
    await remove(bad.book);
  });

  it("because another session has locked its clock gives its connection back after half a second", async () => {
    expect(await leastOf(2_500, tickMsBesideLockedClock)).toBeLessThan(2_500);
  });
});

describe("an advance that another instance has taken over", () => {
  it("is not changed by the instance whose lease has ended", async () => {
    const { id, book } = await advanceOf("taken over");
    const [first, second] = [newUuid(), newUuid()];
    const endedLeaseMs = -1;
    expect(await claimAdvance(sql, book, first, endedLeaseMs)).toMatchObject({ id });
    expect(await claimAdvance(sql, book, second, 60_000)).toMatchObject({ id });
    const before = await session.query("select * from rails.clock_advance where book_id = $1", [
      uuidOf(book),
    ]);
    const state = { status: "Done", steps: 7, waitingFor: null } as const;
    expect(await updateAdvance(sql, { id, book }, first, state, 60_000)).toBe(false);
    const after = await session.query("select * from rails.clock_advance where book_id = $1", [uuidOf(book)]);
    expect(after.rows).toEqual(before.rows);
    expect(await updateAdvance(sql, { id, book }, second, state, 60_000)).toBe(true);
    expect(await readAdvance(sql, book, id)).toMatchObject({ status: "Done", steps: 7 });
  });
});

/** How long a tick takes until the advance of another book is done, and the failure of the locked one is counted. */
async function tickMsBesideLockedClock(): Promise<number> {
  const locked = await advanceOf("locked");
  const sound = await advanceOf("sound");
  const before = await failures();
  await session.query("begin");
  try {
    await session.query("select 1 from rails.book_clock where book_id = $1 for update", [
      uuidOf(locked.book),
    ]);
    const startedAt = performance.now();
    await tick();
    await sound.isDone();
    await oneMoreThan(before);
    const tookMs = performance.now() - startedAt;
    expect(await locked.status()).toBe("Running");
    return tookMs;
  } finally {
    await session.query("rollback");
    await remove(locked.book);
  }
}

/** So that the next case finds only its own. */
const remove = (book: BookId) =>
  session.query("update rails.clock_advance set status = 'Done', ended_at = now() where book_id = $1", [
    uuidOf(book),
  ]);
