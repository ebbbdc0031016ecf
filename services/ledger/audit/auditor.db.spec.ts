import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bookIdOf, type BookId, type LedgerAccountId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { type LedgerWorld, openLedger } from "../../../test/ledger/world.ts";
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
} from "../../../test/ledger/commands.ts";
import { createBooks } from "../posting/store/lock-books.ts";
import { postJournals } from "../posting/post-journals.ts";

// The auditor finds changes that were made with the triggers off, and freezes only that book.
let world: LedgerWorld;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;
const book = uuidOf(sampleBook);
const otherTenant = newId("ten");
const otherBook = bookIdOf(otherTenant, "Test");

beforeEach(async () => {
  world = await openLedger();
  [payroll, savings] = [await world.opens(), await world.opens()];
});
afterEach(() => world.close());

/** An auditor without pauses; `passHours` 0 repeats the full scan again and again. */
function anAuditor(passHours = 24): Auditor {
  const config = { AUDIT_SHARE: 1, AUDIT_PASS_HOURS: passHours };
  const { units, database } = world.units;
  return new Auditor(units, database, new Metrics("test"), config, pino({ level: "silent" }));
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

interface Damage {
  readonly what: string;
  readonly by: string;
  readonly finds: string;
}
const where = `where book_id = '${book}'`;
/** Changes with all triggers off, as the owner of the database can make them. */
const damages: Damage[] = [
  {
    what: "an amount was raised",
    by: `update entry set amount_cents = amount_cents + 1 ${where} and seq = 1`,
    finds: "every digest covers its journal",
  },
  {
    what: "a line was deleted",
    by: `delete from entry ${where} and seq = 3 and line = 2`,
    finds: "every digest covers its journal",
  },
  {
    what: "only running totals were changed",
    by: `update entry set posted_debit = posted_debit + 1 ${where} and seq = 1 and line = 1`,
    finds: "running totals are the sums of an account's entries",
  },
  {
    what: "a journal was backdated",
    by: `update journal set effective_at = effective_at - interval '1 day' ${where} and seq = 2`,
    finds: "every digest covers its journal",
  },
  {
    what: "a journal was recorded before its predecessor",
    by: `update journal set recorded_at = recorded_at - interval '1 day' ${where} and seq = 2`,
    finds: "record time rises with the sequence",
  },
  {
    what: "a journal was deleted",
    by: `delete from journal ${where} and seq = 2`,
    finds: "the sequence has no gap",
  },
  {
    what: "the last journal was deleted",
    by: `delete from journal ${where} and seq = 10`,
    finds: "the sequence has no gap",
  },
  {
    what: "a header has another line count",
    by: `update journal set line_count = 3 ${where} and seq = 1`,
    finds: "every journal balances, with all its lines",
  },
  {
    what: "a digest was changed",
    by: `update journal set digest = sha256('x') ${where} and seq = 1`,
    finds: "every digest covers its journal",
  },
  {
    what: "a checkpoint was deleted",
    by: `delete from checkpoint ${where} and last_seq = 2`,
    finds: "checkpoints cover the sequence",
  },
  {
    what: "a checkpoint has other totals",
    by: `update checkpoint set posted_debit = posted_debit + 1, posted_credit = posted_credit + 1 ${where} and last_seq = 2`,
    finds: "checkpoints hold the totals of their time",
  },
  {
    what: "a checkpoint has other class totals",
    by: `update checkpoint set class_totals[1].posted_debit = class_totals[1].posted_debit + 1 ${where} and last_seq = 2`,
    finds: "checkpoints hold the class totals of their time",
  },
  {
    what: "a checkpoint has another head",
    by: `update checkpoint set head_hash = sha256(head_hash) ${where} and last_seq = 2`,
    finds: "the chain verifies",
  },
  {
    what: "the head was changed",
    by: `update book_head set head_hash = sha256(head_hash) ${where}`,
    finds: "the chain verifies",
  },
  {
    what: "a balance was changed",
    by: `update account_balance set posted_credit = posted_credit + 1 ${where} and version > 0`,
    finds: "every balance is its last entry's running totals",
  },
  {
    what: "a balance was deleted",
    by: `delete from account_balance ${where} and version > 0`,
    finds: "every balance is its last entry's running totals",
  },
  {
    what: "a class total was changed",
    by: `update class_total set posted_credit = posted_credit + 1 ${where} and class = 'Tenant'`,
    finds: "class totals are the sums of their accounts",
  },
  {
    what: "a day of a class was changed",
    by: `update class_day set posted_credit = posted_credit + 1 ${where} and class = 'Tenant'`,
    finds: "days of a class are the sums of its accounts' days",
  },
  {
    what: "an outcome was deleted",
    by: `delete from command ${where} and seq = 1`,
    finds: "every journal has its command, and every posted command its journal",
  },
  {
    what: "an outcome was invented",
    by: `insert into command (book_id, command_id, request_hash, transaction_id, seq)
         values ('${book}', gen_random_uuid(), sha256(''), gen_random_uuid(), 77)`,
    finds: "every journal has its command, and every posted command its journal",
  },
  {
    what: "a posting became a refusal",
    by: `update command set seq = null, refusal_code = 'not_found', refusal_detail = 'made up' ${where} and seq = 1`,
    finds: "every journal has its command, and every posted command its journal",
  },
  {
    what: "an obligation was invented",
    by: `insert into obligation (book_id, obligation_id, type, status, reference, lines, fixed_cents, event_count, created_by,
           created_at, updated_at)
         values ('${book}', gen_random_uuid(), 'Other', 'Fixed', 'made up', '[]', 5, 0, 'nobody', now(), now())`,
    finds: "an obligation is what its journals made of it",
  },
  {
    what: "entries were inserted after the head",
    by: `insert into entry select book_id, account_id, 99, amount_cents, account_version + 100, held_debit, held_credit,
           released_debit, released_credit, posted_debit, posted_credit, layer, role, direction, line, currency
         from entry ${where} and seq = 1`,
    finds: "every entry has its header",
  },
];

async function damage(by: string): Promise<void> {
  // No trigger and no foreign key applies to this change.
  await world.superuser.query("set session_replication_role = replica");
  await world.superuser.query(by);
  await world.superuser.query("set session_replication_role = default");
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
    await damage(damages[0]!.by);
    await goesAround(anAuditor(24));
    expect((await stateOf()).state).toBe("Open");
    await goesAround(anAuditor(0));
    expect((await stateOf()).state).toBe("Frozen");
  });

  it("a violation remains is frozen once, and publishes it once", async () => {
    await aLife();
    await damage(damages[0]!.by);
    await world.units.takeMessages();
    await Promise.all([goesAround(anAuditor(0)), goesAround(anAuditor(0))]);
    expect((await world.units.takeMessages()).map(({ type }) => type)).toEqual(["ledger.book-frozen.v1"]);
  });
});
