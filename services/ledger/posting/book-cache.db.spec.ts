import { beforeEach, expect, it, vi } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { sqlOn, openLedgerOfFile } from "../../../test/ledger/world.ts";
import type { LedgerCommand } from "../book/commands.ts";
import { holdOf, postingOf, releaseOf, sampleBook, settlementOf } from "../../../test/ledger/commands.ts";
import { lockHeads } from "./store/lock-books.ts";
import { BookCache } from "./store/book-cache.ts";
import { InvalidCommand, postJournals } from "./post-journals.ts";

// A writer that caches accounts and open holds, and others that write or change something between two of its batches.
let cache: BookCache;
let reads: number;
let holdReads: number;
const world = await openLedgerOfFile();
beforeEach(() => {
  cache = new BookCache();
  reads = 0;
  holdReads = 0;
});

async function remembering(...commands: LedgerCommand[]) {
  return world.units.units.run((unit) => {
    const sql: typeof unit.sql = (text, params) => {
      if (/\baccount_balance\b/.test(text)) reads += 1;
      if (/\bread_transactions\b/.test(text)) holdReads += 1;
      return unit.sql(text, params);
    };
    return postJournals(
      sql,
      commands.map((command) => ({ book: sampleBook, command })),
      { cache, afterCommit: unit.afterCommit },
    );
  });
}

it("reads an account once, and continues from its own last state", async () => {
  const [payroll, savings] = [await world.opens(), await world.opens()];
  const pay = () => remembering(postingOf([payroll, "Debit", 100], [savings, "Credit", 100]));
  for (let batch = 0; batch < 3; batch += 1) await pay();
  expect(reads).toBe(1);
  expect(await world.faults()).toEqual([]);
});

it("reads accounts again after another writer's batch", async () => {
  const [payroll, savings] = [await world.opens(), await world.opens()];
  const pay = () => postingOf([payroll, "Debit", 100], [savings, "Credit", 100]);
  await remembering(pay());
  await world.writes(pay());
  const [outcome] = await remembering(pay());
  expect([outcome?.result, reads]).toEqual(["Appended", 2]);
  expect(await world.faults()).toEqual([]);
});

it("notices that an account was closed, though that appends no journal", async () => {
  const [payroll, savings] = [await world.opens(), await world.opens()];
  await remembering(
    postingOf([payroll, "Debit", 100], [savings, "Credit", 100]),
    postingOf([savings, "Debit", 100], [payroll, "Credit", 100]),
  );
  // Empty by the counters that close_account reads: nothing open, and as much posted on either side.
  await sqlOn(world.superuser)("select close_account($1, $2)", [uuidOf(sampleBook), uuidOf(savings)]);
  const [outcome] = await remembering(postingOf([payroll, "Debit", 100], [savings, "Credit", 100]));
  expect(outcome).toMatchObject({ result: "Refused", code: "ledger_account_closed" });
});

it("caches nothing of a batch that was rolled back", async () => {
  const [payroll, savings] = [await world.opens(), await world.opens()];
  const pay = () => postingOf([payroll, "Debit", 100], [savings, "Credit", 100]);
  await remembering(pay());
  await expect(remembering(pay(), { ...pay(), transactionId: "lt_" } as LedgerCommand)).rejects.toThrow();
  const [outcome] = await remembering(pay());
  expect(outcome?.result).toBe("Appended");
  expect(await world.faults()).toEqual([]);
});

it("settles a hold of its own without reading it", async () => {
  const payroll = await world.opens();
  const orderId = newId("po");
  await remembering(holdOf(orderId, payroll, 100));
  const [outcome] = await remembering(settlementOf(orderId));
  expect([outcome?.result, holdReads]).toEqual(["Appended", 0]);
  expect(await world.faults()).toEqual([]);
});

it("reads a hold again that another writer may have ended", async () => {
  const payroll = await world.opens();
  const orderId = newId("po");
  await remembering(holdOf(orderId, payroll, 100));
  await world.writes(releaseOf(orderId));
  await expect(remembering(settlementOf(orderId))).rejects.toThrow(InvalidCommand);
  expect(holdReads).toBe(1);
  expect(await world.faults()).toEqual([]);
});

it("posts nothing when it remembers a hold that has ended: Postgres refuses", async () => {
  const payroll = await world.opens();
  const orderId = newId("po");
  await remembering(holdOf(orderId, payroll, 100));
  const openHolds = new Map(cache.guess(sampleBook)?.openHolds);
  await remembering(releaseOf(orderId));
  const wrong = { accounts: new Map(), openHolds };
  vi.spyOn(cache, "get").mockReturnValue(wrong);
  vi.spyOn(cache, "guess").mockReturnValue(wrong);
  await expect(remembering(settlementOf(orderId))).rejects.toThrow("account_balance_released_is_held");
  expect(await world.faults()).toEqual([]);
});

// Of 200 journals and more, the entries are on their way before the rest of the batch is prepared.
it.each([1, 200])(
  "posts nothing of %i holds when it remembers wrong totals: Postgres refuses",
  async (count) => {
    const payroll = await world.opens();
    const holds = () => Array.from({ length: count }, () => holdOf(newId("po"), payroll, 100));
    await remembering(...holds());
    const { accounts, openHolds } = cache.guess(sampleBook)!;
    const known = accounts.get(payroll)!;
    const counters = { ...known.counters, heldDebit: known.counters.heldDebit + 1n };
    const wrong = { accounts: new Map(accounts).set(payroll, { ...known, counters }), openHolds };
    vi.spyOn(cache, "get").mockReturnValue(wrong);
    const refused = holds();
    await expect(remembering(...refused)).rejects.toMatchObject({ constraint: "entry_running_totals" });
    const stored = await world.units.database.sql("select from command where command_id = any ($1::uuid[])", [
      refused.map(({ commandId }) => commandId),
    ]);
    expect(stored).toEqual([]);
    expect(await world.faults()).toEqual([]);
  },
);

it("counts a change of an account on the book's head", async () => {
  const account = await world.opens();
  const changes = async () =>
    (await world.units.units.run(({ sql }) => lockHeads(sql, [sampleBook])))[0]?.accountChanges ?? 0;
  const before = await changes();
  await sqlOn(world.superuser)("select close_account($1, $2)", [uuidOf(sampleBook), uuidOf(account)]);
  expect(await changes()).toBe(before + 1);
});
