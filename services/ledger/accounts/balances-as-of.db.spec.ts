import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import {
  dayOf,
  entriesOf,
  folded,
  type PastEntry,
  worldOf,
  writeAt,
} from "../../../test/ledger/rows/past.ts";
import { deriveClassTotals, deriveDatedEntries, deriveDays } from "../../../test/ledger/rows/derived-rows.ts";
import { commandsOf, oracle, type SequenceWorld, step } from "../../../test/ledger/model/sequences.ts";
import { openLedgerOfFile, someCursor, sqlOn } from "../../../test/ledger/world.ts";
import type { LedgerCommand } from "../book/commands.ts";
import type { AsOf } from "../book/as-of.ts";
import { findAccountAsOf } from "./store/accounts.ts";
import { countersOf } from "../posting/store/accounts.ts";
import { QueryStatement } from "./query-statement.handler.ts";
import { requestBy } from "../../../test/ledger/requests.ts";
import { readBalances } from "./store/balances.ts";
import { prepare } from "../../../test/ledger/rows/written.ts";
import { guardsOff } from "../../../test/stack/database/guards-off.ts";

// Random histories over the two weekends on which New York changes its clocks, recorded in batches and effective on any
// day: a balance at a moment is the sum of the entries until then. A failure prints its seed.
const seed = Number(process.env["SEED"] ?? Date.now() % 2 ** 31);
const numRuns = Number(process.env["RUNS"] ?? 25);
const hourMs = 3_600_000;
const openedAt = "2026-03-01T00:00:00.000Z";
/** Friday noon before spring's and autumn's change, UTC. */
const begins = { spring: Date.parse("2026-03-06T12:00:00Z"), autumn: Date.parse("2026-10-30T12:00:00Z") };

const world = await openLedgerOfFile();

/** Hours before each batch, and hours from its record time to its effective time. */
const batch = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 8 }),
  after: fc.integer({ min: 0, max: 40 }),
  effective: fc.array(fc.constantFrom(0, 0, 0, -1, 1, -26, -49, -75, 30, -8_000), {
    minLength: 8,
    maxLength: 8,
  }),
});
type Batch = typeof batch extends fc.Arbitrary<infer T> ? T : never;

/** Writes the batches, each some hours after the one before. Returns the times at which they were recorded. */
async function live(past: SequenceWorld, batches: readonly Batch[], from: number): Promise<number[]> {
  const commands = commandsOf(
    past,
    batches.flatMap(({ steps }) => steps),
  );
  const effectiveAt = new Map<string, string>();
  const times: number[] = [];
  const dated: { at: number; commands: LedgerCommand[] }[] = [];
  let at = from;
  let done = 0;
  for (const { steps, after, effective } of batches) {
    at += after * hourMs + 1;
    // A step may make no command (nothing to repeat): what is left over goes with the last batch.
    const taken = commands.slice(done, done + steps.length);
    done += steps.length;
    for (const [index, { commandId }] of taken.entries()) {
      const hours = effective[index] ?? 0;
      if (!effectiveAt.has(commandId))
        effectiveAt.set(commandId, new Date(at + hours * hourMs).toISOString());
    }
    dated.push({
      at,
      commands: taken.map((one) => ({ ...one, effectiveAt: effectiveAt.get(one.commandId)! })),
    });
    times.push(at);
  }
  const possible = new Set(
    oracle(
      past,
      dated.flatMap((one) => one.commands),
    ).valid,
  );
  for (const { at: time, commands: taken } of dated) {
    const ours = taken.filter((command) => possible.has(command));
    if (ours.length > 0) await writeAt(world.units, past.book, new Date(time).toISOString(), ours);
  }
  return times;
}

const belongs = (moment: AsOf) => (entry: PastEntry) =>
  moment.kind === "Recorded" ? entry.checkpointMs <= moment.asOfMs : dayOf(entry.effectiveMs) <= moment.day;

async function expectMoment(past: SequenceWorld, entries: readonly PastEntry[], moment: AsOf) {
  const { sql } = world.units.database;
  const book = uuidOf(past.book);
  const inIt = entries.filter(belongs(moment));
  const label = `${JSON.stringify(moment)} of ${past.book}`;
  const page = await readBalances(sql, book, { after: null, limit: 100 }, moment);
  for (const { id } of past.accounts) {
    const own = folded(inIt.filter(({ accountId }) => accountId === uuidOf(id)));
    const row = await findAccountAsOf(sql, book, uuidOf(id), moment);
    expect(countersOf(row!), label).toEqual(own);
    // By effective date everything recorded until now counts.
    const known = moment.kind === "Recorded" ? inIt : entries;
    const touching = known.filter(({ accountId }) => accountId === uuidOf(id));
    expect(Number(row!.last_seq), label).toBe(touching.at(-1)?.sequence ?? 0);
    const listed = page.accounts.find(({ account_id }) => account_id === uuidOf(id));
    expect(countersOf(listed!), label).toEqual(own);
  }
  expect(page.accounts).toHaveLength(past.accounts.length);
  for (const total of page.totals) {
    const sides = new Map(past.accounts.map((account) => [uuidOf(account.id), account.normalBalance]));
    const own = inIt.filter(
      (entry) =>
        entry.class === total.class &&
        (total.class !== "Tenant" || sides.get(entry.accountId) === total.normalBalance),
    );
    expect(total.counters, `${label}, ${total.class}`).toEqual(folded(own));
  }
}

/** Each account's statement has exactly the posted entries of its days, and adds up. */
async function expectStatements(
  past: SequenceWorld,
  entries: readonly PastEntry[],
  from: string,
  to: string,
) {
  const reading = new QueryStatement(world.units.database, someCursor);
  for (const { id, normalBalance } of past.accounts) {
    const own = entries.filter((entry) => entry.accountId === uuidOf(id) && entry.layer === "Posted");
    const cents = (some: readonly PastEntry[]) =>
      some.reduce(
        (sum, { direction, amountCents }) =>
          sum + (direction === normalBalance ? 1 : -1) * Number(amountCents),
        0,
      );
    const inside = own.filter(({ effectiveMs }) => dayOf(effectiveMs) >= from && dayOf(effectiveMs) <= to);
    const lines = [];
    let cursor: string | undefined;
    do {
      const query = { from, to, limit: 3, cursor };
      const page = await reading.get({ ledgerAccountId: id, query }, requestBy(past.tenantId));
      expect(page.openingBalanceCents).toBe(
        cents(own.filter(({ effectiveMs }) => dayOf(effectiveMs) < from)),
      );
      expect(page.closingBalanceCents).toBe(page.openingBalanceCents + cents(inside));
      lines.push(...page.data);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(lines.at(-1)?.balanceCents ?? 0).toBe(
      inside.length === 0 ? 0 : cents(own.filter(({ effectiveMs }) => dayOf(effectiveMs) <= to)),
    );
    expect(lines.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual(
      inside.map(({ sequence }) => sequence).sort((a, b) => a - b),
    );
    expect(lines.map(({ effectiveDate }) => effectiveDate)).toEqual(
      inside.map(({ effectiveMs }) => dayOf(effectiveMs)).sort(),
    );
  }
}

describe(`a book with a past (SEED=${seed})`, () => {
  it("gives for any time and any day the sum of the entries until then", async () => {
    const property = fc.asyncProperty(
      fc.array(batch, { minLength: 1, maxLength: 6 }),
      fc.constantFrom("spring" as const, "autumn" as const),
      async (batches, season) => {
        const past = worldOf(openedAt);
        await prepare(world.units, past, openedAt);
        const times = await live(past, batches, begins[season]);
        const entries = await entriesOf(world.units.database.sql, past.book);
        for (const time of times) {
          for (const asOfMs of [time - 1, time, time + 1]) {
            await expectMoment(past, entries, { kind: "Recorded", asOfMs });
          }
        }
        const days = new Set(
          [...entries.map(({ effectiveMs }) => effectiveMs), ...times]
            .flatMap((ms) => [ms, ms - 24 * hourMs])
            .map(dayOf),
        );
        for (const day of days) await expectMoment(past, entries, { kind: "Effective", day });
        const sorted = [...days].sort();
        const middle = sorted[Math.floor(sorted.length / 2)];
        if (middle !== undefined) await expectStatements(past, entries, middle, sorted.at(-1)!);
        expect(await world.faults(past.book)).toEqual([]);
      },
    );
    await fc.assert(property, { seed, numRuns });
  }, 240_000);

  it("has the same derived rows as one pass over the journals computes", async () => {
    const sql = sqlOn(world.superuser);
    const derived = async () => ({
      // The order of a checkpoint's classes has no meaning.
      checkpoints: await sql(`select s.book_id, s.last_seq, to_jsonb(k) as class
        from checkpoint s cross join lateral unnest(s.class_totals) k
        order by s.book_id, s.last_seq, k.class, k.normal_balance`),
      accountDays: await sql("select * from account_day order by book_id, account_id, day"),
      classDays: await sql("select * from class_day order by book_id, class, normal_balance, day"),
      datedEntries: await sql("select * from dated_entry order by book_id, account_id, account_version"),
    });
    const kept = await derived();
    expect(Object.values(kept).map(({ length }) => length > 0)).toEqual([true, true, true, true]);
    await sql("begin");
    await sql(guardsOff("ledger"));
    await sql("alter table checkpoint alter column class_totals drop not null");
    await sql("update checkpoint set class_totals = null");
    await sql("delete from account_day");
    await sql("delete from class_day");
    await sql(deriveClassTotals);
    await sql("delete from dated_entry");
    await sql(deriveDays);
    await sql(deriveDatedEntries);
    const made = await derived();
    await sql("rollback");
    expect(made).toEqual(kept);
  });
});
