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

// The auditor finds what was done behind the triggers' backs, freezes that book, and lets the others go on.
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

/** An auditor that rests never; `passHours` 0 goes through all of it again and again. */
function anAuditor(passHours = 24): Auditor {
  const config = { AUDIT_SHARE: 1, AUDIT_PASS_HOURS: passHours };
  const { units, database } = world.units;
  return new Auditor(units, database, new Metrics("test"), config, pino({ level: "silent" }));
}

async function goesAround(auditor: Auditor, turns = 6): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await auditor.tick();
}

async function stateOf(id: BookId = sampleBook) {
  const [row] = await world.units.database.sql<{ state: string; last_seq: bigint; audited_seq: bigint }>(
    `select h.state, h.last_seq, a.audited_seq
     from book_head h left join audit a using (book_id) where book_id = $1`,
    [uuidOf(id)],
  );
  return { state: row!.state, behind: Number(row!.last_seq - (row!.audited_seq ?? 0n)) };
}

/** A posting, its reversal, and orders of every ending. */
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
  it("is gone through to its head, and again when it grows", async () => {
    await aLife();
    const auditor = anAuditor();
    await goesAround(auditor);
    expect(await stateOf()).toEqual({ state: "Open", behind: 0 });
    await aLife();
    expect((await stateOf()).behind).toBe(10);
    await goesAround(auditor);
    expect(await stateOf()).toEqual({ state: "Open", behind: 0 });
  });

  it("has nothing to do once all was seen, and the daily pass is over", async () => {
    await aLife();
    const auditor = anAuditor();
    await goesAround(auditor);
    expect(await auditor.tick()).toBe(0);
    const [row] = await world.units.database.sql(
      "select scan, scanned_at from audit where scanned_at is not null",
    );
    expect(row).toMatchObject({ scan: null });
  });

  it("is shared by two instances without either taking it for broken", async () => {
    await aLife();
    const both = [anAuditor(0), anAuditor(0)];
    for (let round = 0; round < 8; round += 1) {
      await aLife();
      await Promise.all(both.map((auditor) => auditor.tick()));
    }
    await goesAround(both[0]!);
    expect(await stateOf()).toEqual({ state: "Open", behind: 0 });
  });

  it("is gone through while it is written to, batch by batch", async () => {
    const auditor = anAuditor(0);
    let writing = true;
    const writer = (async () => {
      for (let round = 0; round < 15; round += 1) await aLife();
      writing = false;
    })();
    while (writing) await auditor.tick();
    await writer;
    await goesAround(auditor);
    expect(await stateOf()).toEqual({ state: "Open", behind: 0 });
  });
});

interface Damage {
  readonly what: string;
  readonly by: string;
  readonly finds: string;
}
const where = `where book_id = '${book}'`;
/** With no trigger at work, as by somebody who owns the database. */
const damages: Damage[] = [
  {
    what: "an amount was raised",
    by: `update entry set amount_cents = amount_cents + 1 ${where} and seq = 1`,
    finds: "every digest covers its journal",
  },
  {
    what: "a line is gone",
    by: `delete from entry ${where} and seq = 3 and line = 2`,
    finds: "every digest covers its journal",
  },
  {
    what: "running totals were moved, alone",
    by: `update entry set posted_debit = posted_debit + 1 ${where} and seq = 1 and line = 1`,
    finds: "running totals are the sums of an account's entries",
  },
  {
    what: "a journal was dated back",
    by: `update journal set effective_at = effective_at - interval '1 day' ${where} and seq = 2`,
    finds: "every digest covers its journal",
  },
  {
    what: "a journal was recorded before the one before",
    by: `update journal set recorded_at = recorded_at - interval '1 day' ${where} and seq = 2`,
    finds: "record time rises with the sequence",
  },
  {
    what: "a journal is gone",
    by: `delete from journal ${where} and seq = 2`,
    finds: "the sequence has no gap",
  },
  {
    what: "the last journal is gone",
    by: `delete from journal ${where} and seq = 10`,
    finds: "the sequence has no gap",
  },
  {
    what: "a header counts other lines",
    by: `update journal set line_count = 3 ${where} and seq = 1`,
    finds: "every journal balances, with all its lines",
  },
  {
    what: "a digest is another",
    by: `update journal set digest = sha256('x') ${where} and seq = 1`,
    finds: "every digest covers its journal",
  },
  {
    what: "a seal is gone",
    by: `delete from checkpoint ${where} and last_seq = 2`,
    finds: "checkpoints cover the sequence",
  },
  {
    what: "a seal says other totals",
    by: `update checkpoint set posted_debit = posted_debit + 1, posted_credit = posted_credit + 1 ${where} and last_seq = 2`,
    finds: "checkpoints hold the totals of their time",
  },
  {
    what: "a seal says other class totals",
    by: `update checkpoint set class_totals[1].posted_debit = class_totals[1].posted_debit + 1 ${where} and last_seq = 2`,
    finds: "checkpoints hold the class totals of their time",
  },
  {
    what: "a seal has another head",
    by: `update checkpoint set head_hash = sha256(head_hash) ${where} and last_seq = 2`,
    finds: "the chain verifies",
  },
  {
    what: "the head is another",
    by: `update book_head set head_hash = sha256(head_hash) ${where}`,
    finds: "the chain verifies",
  },
  {
    what: "a balance was moved",
    by: `update account_balance set posted_credit = posted_credit + 1 ${where} and version > 0`,
    finds: "every balance is its last entry's running totals",
  },
  {
    what: "a balance is gone",
    by: `delete from account_balance ${where} and version > 0`,
    finds: "every balance is its last entry's running totals",
  },
  {
    what: "a class total was moved",
    by: `update class_total set posted_credit = posted_credit + 1 ${where} and class = 'Tenant'`,
    finds: "class totals are the sums of their accounts",
  },
  {
    what: "a class's day was moved",
    by: `update class_day set posted_credit = posted_credit + 1 ${where} and class = 'Tenant'`,
    finds: "days of a class are the sums of its accounts' days",
  },
  {
    what: "an outcome is gone",
    by: `delete from command ${where} and seq = 1`,
    finds: "every journal has its command, and every posted command its journal",
  },
  {
    what: "an outcome was made up",
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
    what: "an obligation was made up",
    by: `insert into obligation (book_id, obligation_id, type, status, reference, lines, fixed_cents, event_count, created_by,
           created_at, updated_at)
         values ('${book}', gen_random_uuid(), 'Other', 'Fixed', 'made up', '[]', 5, 0, 'nobody', now(), now())`,
    finds: "an obligation is what its journals made of it",
  },
  {
    what: "entries wait behind the head",
    by: `insert into entry select book_id, account_id, 99, amount_cents, account_version + 100, held_debit, held_credit,
           released_debit, released_credit, posted_debit, posted_credit, layer, role, direction, line, currency
         from entry ${where} and seq = 1`,
    finds: "every entry has its header",
  },
];

async function damage(by: string): Promise<void> {
  // No trigger and no foreign key is checked for it.
  await world.superuser.query("set session_replication_role = replica");
  await world.superuser.query(by);
  await world.superuser.query("set session_replication_role = default");
}

describe("a book in which", () => {
  it.each(damages)("$what is frozen within a round, and another goes on", async ({ by, finds }) => {
    await aLife();
    await otherBookWrites();
    await damage(by);
    await goesAround(anAuditor(0));
    expect((await stateOf()).state).toBe("Frozen");
    const [word] = await world.units.database.sql<{ actor: string; faults: { check: string }[] }>(
      "select actor, violations as faults from freeze_event",
    );
    expect(word!.actor).toBe("auditor");
    expect(word!.faults.map(({ check }) => check)).toContain(finds);
    expect(await stateOf(otherBook)).toEqual({ state: "Open", behind: 0 });
    await otherBookWrites();
  });

  it("something old was changed is found by the pass from the first journal, which comes once a day", async () => {
    await aLife();
    await goesAround(anAuditor(24));
    await damage(damages[0]!.by);
    await goesAround(anAuditor(24));
    expect((await stateOf()).state).toBe("Open");
    await goesAround(anAuditor(0));
    expect((await stateOf()).state).toBe("Frozen");
  });

  it("a fault stands is frozen once, and tells it once", async () => {
    await aLife();
    await damage(damages[0]!.by);
    await world.units.takeMessages();
    await Promise.all([goesAround(anAuditor(0)), goesAround(anAuditor(0))]);
    expect((await world.units.takeMessages()).map(({ type }) => type)).toEqual(["ledger.book-frozen.v1"]);
  });
});
