import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { bookIdOf, type BookId, type LedgerAccountId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { type LedgerWorld, openLedger, sqlOn } from "../../../test/ledger/world.ts";
import { Metrics } from "../../platform/observability/metrics.ts";
import { Auditor } from "./auditor.worker.ts";
import {
  holdOf,
  lateReturnOf,
  postingOf,
  releaseOf,
  reversalOf,
  sampleBook,
  settlementOf,
  tenantBeforeSample,
} from "../../../test/ledger/commands.ts";
import { createBooks } from "../posting/store/lock-books.ts";
import { postJournals } from "../posting/post-journals.ts";
import { poisonBook } from "../../../test/stack/messages/poisoned-book.ts";
import { withGuardsOff } from "../../../test/stack/database/guards-off.ts";

// The auditor finds changes that were made with the triggers off, and freezes only that book.
let world: LedgerWorld;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;
const book = uuidOf(sampleBook);
const otherTenant = tenantBeforeSample();
const otherBook = bookIdOf(otherTenant, "Test");

beforeEach(async () => {
  world = await openLedger();
  [payroll, savings] = [await world.opens(), await world.opens()];
  return () => world.close();
});

/** An auditor without pauses; `passHours` 0 repeats the full scan again and again. */
function anAuditor(passHours = 24, metrics = new Metrics("test")): Auditor {
  const config = { AUDIT_SHARE: 1, AUDIT_PASS_HOURS: passHours, CHECKPOINT_MINUTES: 15 };
  const { units, database } = world.units;
  return new Auditor(units, database, metrics, config, pino({ level: "silent" }));
}

async function goesAround(auditor: Auditor, ticks = 6): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) await auditor.tick();
}

async function stateOf(id: BookId = sampleBook) {
  const [row] = await world.units.database.sql<{ state: string; last_seq: bigint; audited_seq: bigint }>(
    `select h.state, h.last_seq, a.audited_seq
     from book_head h left join audit a using (book_id) where book_id = $1`,
    [uuidOf(id)],
  );
  return { state: row!.state, unaudited: Number(row!.last_seq - (row!.audited_seq ?? 0n)) };
}

/** Writes a posting, its reversal, and an order with every ending. */
async function aLife(): Promise<void> {
  const posting = postingOf([payroll, "Debit", 9], [savings, "Credit", 9]);
  const [settled, released, returned] = [newId("po"), newId("po"), newId("po")];
  await world.writes(posting, reversalOf(posting));
  await world.writes(holdOf(settled, payroll, 5), settlementOf(settled), holdOf(released, payroll, 6));
  await world.writes(releaseOf(released), holdOf(returned, savings, 7), settlementOf(returned));
  await world.writes(lateReturnOf(returned), postingOf([payroll, "Debit", 1], [savings, "Credit", 1]));
}

async function otherBookWrites(): Promise<void> {
  await world.units.units.run(({ sql }) =>
    createBooks(sql, [{ book: otherBook, tenantId: otherTenant, mode: "Test" }]),
  );
  const [one, two] = [await world.opens({ book: otherBook }), await world.opens({ book: otherBook })];
  const command = postingOf([one, "Debit", 3], [two, "Credit", 3]);
  await world.units.units.run(({ sql }) => postJournals(sql, [{ book: otherBook, command }]));
}

describe("a sound book", () => {
  it("is verified up to its head, and again when it grows", async () => {
    await aLife();
    const auditor = anAuditor();
    await goesAround(auditor);
    expect(await stateOf()).toEqual({ state: "Open", unaudited: 0 });
    await aLife();
    expect((await stateOf()).unaudited).toBe(10);
    await goesAround(auditor);
    expect(await stateOf()).toEqual({ state: "Open", unaudited: 0 });
  });

  it("is not due once everything is verified and the daily scan is done", async () => {
    await aLife();
    const auditor = anAuditor();
    await goesAround(auditor);
    expect(await auditor.tick()).toBe(0);
    const [row] = await world.units.database.sql(
      "select scan, scanned_at from audit where scanned_at is not null",
    );
    expect(row).toMatchObject({ scan: null });
  });

  it("is verified by two instances at once without a false violation", async () => {
    await aLife();
    const both = [anAuditor(0), anAuditor(0)];
    for (let round = 0; round < 8; round += 1) {
      await aLife();
      await Promise.all(both.map((auditor) => auditor.tick()));
    }
    await goesAround(both[0]!);
    expect(await stateOf()).toEqual({ state: "Open", unaudited: 0 });
  });

  it("is verified while it is written to, batch by batch", async () => {
    const auditor = anAuditor(0);
    let writing = true;
    const writer = (async () => {
      for (let round = 0; round < 15; round += 1) await aLife();
      writing = false;
    })();
    while (writing) await auditor.tick();
    await writer;
    await goesAround(auditor);
    expect(await stateOf()).toEqual({ state: "Open", unaudited: 0 });
  });
});

it("a book whose progress can't be saved is left out for a while, and other books are verified", async () => {
  await aLife();
  await otherBookWrites();
  const auditor = anAuditor();
  const start = Date.now();
  const rounds = async (afterMs: number) => {
    for (let tick = 0; tick < 6; tick += 1) await auditor.tick(undefined, new Date(start + afterMs));
  };
  const cure = await poisonBook(world.units.adminUrl, "ledger.audit", otherBook);
  await rounds(0);
  expect((await stateOf()).unaudited).toBe(0);
  expect((await stateOf(otherBook)).unaudited).toBe(1);
  // Nothing is due until its retry, so the auditor pauses.
  expect(await auditor.tick(undefined, new Date(start))).toBe(0);
  await cure();
  await rounds(5_000);
  expect((await stateOf(otherBook)).unaudited).toBe(0);
});

it("the unaudited journals are measured over all books, beyond the first page of them too", async () => {
  const owners = Array.from({ length: 501 }, () => {
    const tenantId = newId("ten");
    return { book: bookIdOf(tenantId, "Test"), tenantId, mode: "Test" as const };
  });
  await world.units.units.run(({ sql }) => createBooks(sql, owners));
  const last = owners
    .map(({ book }) => book)
    .sort((a, b) => (uuidOf(a) < uuidOf(b) ? -1 : 1))
    .at(-1)!;
  const [one, two] = [await world.opens({ book: last }), await world.opens({ book: last })];
  const posting = () => ({ book: last, command: postingOf([one, "Debit", 3], [two, "Credit", 3]) });
  await world.units.units.run(({ sql }) => postJournals(sql, [posting(), posting(), posting()]));
  const metrics = new Metrics("test");
  const auditor = anAuditor(24, metrics);
  // A stopping auditor still measures, and verifies no page.
  for (let page = 0; page < 2; page += 1) await auditor.tick(AbortSignal.abort());
  const { values } = await metrics.gauge("ledger_audit_behind_journals", "").get();
  expect(values.map(({ value }) => value)).toEqual([3]);
});

const where = `where book_id = '${book}'`;
/** By the check that finds it: changes with all triggers off, as the owner of the database can make them. */
const damagesByCheck: Record<string, Record<string, string>> = {
  "every digest covers its journal": {
    "an amount was raised": `update entry set amount_cents = amount_cents + 1 ${where} and seq = 1`,
    "a line was deleted": `delete from entry ${where} and seq = 3 and line = 2`,
    "a journal was backdated": `update journal set effective_at = effective_at - interval '1 day' ${where} and seq = 2`,
    "a digest was changed": `update journal set digest = sha256('x') ${where} and seq = 1`,
  },
  "running totals are the sums of an account's entries": {
    "only running totals were changed": `update entry set posted_debit = posted_debit + 1 ${where} and seq = 1 and line = 1`,
  },
  "record time rises with the sequence": {
    "a journal was recorded before its predecessor": `update journal set recorded_at = recorded_at - interval '1 day' ${where} and seq = 2`,
  },
  "the sequence has no gap": {
    "a journal was deleted": `delete from journal ${where} and seq = 2`,
    "the last journal was deleted": `delete from journal ${where} and seq = 10`,
  },
  "every journal balances, with all its lines": {
    "a header has another line count": `update journal set line_count = 3 ${where} and seq = 1`,
  },
  "checkpoints cover the sequence": {
    "a checkpoint was deleted": `delete from checkpoint ${where} and last_seq = 2`,
  },
  "checkpoints hold the totals of their time": {
    "a checkpoint has other totals": `update checkpoint set posted_debit = posted_debit + 1, posted_credit = posted_credit + 1 ${where} and last_seq = 2`,
  },
  "checkpoints hold the class totals of their time": {
    "a checkpoint has other class totals": `update checkpoint set class_totals[1].posted_debit = class_totals[1].posted_debit + 1 ${where} and last_seq = 2`,
  },
  "the chain verifies": {
    "a checkpoint has another head": `update checkpoint set head_hash = sha256(head_hash) ${where} and last_seq = 2`,
    "the head was changed": `update book_head set head_hash = sha256(head_hash) ${where}`,
  },
  "every balance is its last entry's running totals": {
    "a balance was changed": `update account_balance set posted_credit = posted_credit + 1 ${where} and version > 0`,
    "a balance was deleted": `delete from account_balance ${where} and version > 0`,
  },
  "class totals are the sums of their accounts": {
    "a class total was changed": `update class_total set posted_credit = posted_credit + 1 ${where} and class = 'Tenant'`,
  },
  "days of a class are the sums of its accounts' days": {
    "a day of a class was changed": `update class_day set posted_credit = posted_credit + 1 ${where} and class = 'Tenant'`,
  },
  "every journal has its command, and every posted command its journal": {
    "an outcome was deleted": `delete from command ${where} and seq = 1`,
    "an outcome was invented": `insert into command (book_id, command_id, request_hash, transaction_id, seq)
         values ('${book}', gen_random_uuid(), sha256(''), gen_random_uuid(), 77)`,
    "a posting became a refusal": `update command set seq = null, refusal_code = 'not_found', refusal_detail = 'made up' ${where} and seq = 1`,
  },
  "an obligation is what its journals made of it": {
    "an obligation was invented": `insert into obligation (book_id, obligation_id, type, status, reference, lines, fixed_cents, event_count, created_by,
           created_at, updated_at)
         values ('${book}', gen_random_uuid(), 'Other', 'Fixed', 'made up', '[]', 5, 0, 'nobody', now(), now())`,
  },
  "the book has the tenant and mode of its id": {
    "the tenant was changed": `update book set tenant_id = gen_random_uuid() ${where}`,
  },
  "every entry has its header": {
    "entries were inserted after the head": `insert into entry select book_id, account_id, 99, amount_cents, account_version + 100, held_debit, held_credit,
           released_debit, released_credit, posted_debit, posted_credit, layer, role, direction, line, currency
         from entry ${where} and seq = 1`,
  },
};
const damages = Object.entries(damagesByCheck).flatMap(([finds, ways]) =>
  Object.entries(ways).map(([what, by]) => ({ what, by, finds })),
);
const raised = damagesByCheck["every digest covers its journal"]!["an amount was raised"]!;

async function damage(by: string): Promise<void> {
  // No trigger and no foreign key applies to this change.
  const run = sqlOn(world.superuser);
  await withGuardsOff(run, "ledger", () => run(by));
}

describe("a book in which", () => {
  it.each(damages)("$what is frozen within one round, and another book continues", async ({ by, finds }) => {
    await aLife();
    await otherBookWrites();
    await damage(by);
    await goesAround(anAuditor(0));
    expect((await stateOf()).state).toBe("Frozen");
    const [event] = await world.units.database.sql<{ actor: string; faults: { check: string }[] }>(
      "select actor, violations as faults from freeze_event",
    );
    expect(event!.actor).toBe("auditor");
    expect(event!.faults.map(({ check }) => check)).toContain(finds);
    expect(await stateOf(otherBook)).toEqual({ state: "Open", unaudited: 0 });
    await otherBookWrites();
  });

  it("an old journal was changed is found by the daily scan from the first journal", async () => {
    await aLife();
    await goesAround(anAuditor(24));
    await damage(raised);
    await goesAround(anAuditor(24));
    expect((await stateOf()).state).toBe("Open");
    await goesAround(anAuditor(0));
    expect((await stateOf()).state).toBe("Frozen");
  });

  it("a violation remains is frozen once, and one BookFrozen is published", async () => {
    await aLife();
    await damage(raised);
    await world.units.takeMessages();
    await Promise.all([goesAround(anAuditor(0)), goesAround(anAuditor(0))]);
    expect((await world.units.takeMessages()).map(({ type }) => type)).toEqual(["ledger.book-frozen.v1"]);
  });
});
