import { beforeEach, describe, expect, it } from "vitest";
import { type LedgerAccountId, newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { ledgerJournalPage, ledgerProof } from "../../../contracts/http/ledger/ledger-proof.ts";
import { type LedgerWorld, openLedger, sqlOn } from "../../../test/ledger/world.ts";
import { type Reads, readsOf, readsOfKeptPlan } from "../../../test/stack/database/plans.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { freeze } from "./freeze-book.handler.ts";
import { QueryProof } from "./query-proof.handler.ts";
import { holdOf, postingOf, sampleBook, sampleTenant, settlementOf } from "../../../test/ledger/commands.ts";
import { headsToAudit } from "./store/audit-progress.ts";
import { readProof } from "./store/proofs.ts";
import { JournalReader } from "./store/read-journals.ts";
import { requestBy } from "../../../test/ledger/requests.ts";
import { withGuardsOff } from "../../../test/stack/database/guards-off.ts";

// A tenant reads the stored proof of its own book only.
let world: LedgerWorld;
let payroll: LedgerAccountId;
let savings: LedgerAccountId;
let proofs: QueryProof;

beforeEach(async () => {
  world = await openLedger();
  [payroll, savings] = [await world.opens(), await world.opens()];
  proofs = new QueryProof(world.units.database);
  return () => world.close();
});

const contextOf = (tenant = sampleTenant) => requestBy(tenant);
const page = { limit: 25, afterSequence: 0 };

async function aLife(): Promise<void> {
  const [settled, held] = [newId("po"), newId("po")];
  await world.writes(postingOf([payroll, "Debit", 900], [savings, "Credit", 900]));
  await world.writes(holdOf(settled, payroll, 500), settlementOf(settled), holdOf(held, savings, 200));
}

describe("the proof of a book", () => {
  it("has the stored head, checkpoint, trial balance and both sides of the accounting equation", async () => {
    await aLife();
    const [head] = await world.units.database.sql<{ head: string }>(
      "select encode(head_hash, 'hex') as head from book_head",
    );
    const proof = ledgerProof.parse(await proofs.proof({}, contextOf()));
    expect(proof).toMatchObject({
      status: "Pending",
      lastSequence: 4,
      headHash: head!.head,
      trialBalance: [
        { layer: "Pending", currency: "USD", debitCents: 1_200, creditCents: 1_200, differenceCents: 0 },
        { layer: "Posted", currency: "USD", debitCents: 1_400, creditCents: 1_400, differenceCents: 0 },
      ],
      equation: { heldCents: -500, owedCents: -500, differenceCents: 0 },
      lastSeal: { firstSequence: 2, lastSequence: 4, headHash: head!.head },
      audit: { auditedSequence: 0, auditedAt: null, passedAt: null },
      frozenAt: null,
      faults: [],
    });
  });

  it("is Frozen with its violations until the book is open again", async () => {
    const faults = [{ check: "the chain verifies", detail: "journal 1" }];
    await world.units.units.run((unit) =>
      freeze(unit, sampleBook, { reason: "found", actor: "auditor", violations: faults }),
    );
    expect(await proofs.proof({}, contextOf())).toMatchObject({
      status: "Frozen",
      frozenAt: expect.stringMatching(/Z$/),
      faults,
    });
  });

  it("is empty for a book that does not exist yet", async () => {
    expect(ledgerProof.parse(await proofs.proof({}, contextOf(newId("ten"))))).toMatchObject({
      status: "Pending",
      lastSequence: 0,
      headHash: null,
      trialBalance: [],
      equation: { heldCents: 0, owedCents: 0, differenceCents: 0 },
      lastSeal: null,
    });
  });
});

describe("the journals of a book", () => {
  it("come oldest first, with everything that their digests cover", async () => {
    await aLife();
    const { data, hasMore } = ledgerJournalPage.parse(await proofs.journals(page, contextOf()));
    expect(data.map(({ sequence, kind, seal }) => [sequence, kind, seal !== null])).toEqual([
      [1, "Post", true],
      [2, "Hold", false],
      [3, "Settle", false],
      [4, "Hold", true],
    ]);
    expect(hasMore).toBe(false);
    expect(data[2]).toMatchObject({ resolvesSequence: 2, reversesSequence: null });
    expect(data[2]!.entries.map(({ layer, role, direction }) => `${layer} ${role} ${direction}`)).toEqual([
      "Pending Discharge Credit",
      "Pending Discharge Debit",
      "Posted Normal Debit",
      "Posted Normal Credit",
    ]);
    expect(data[2]!.entries[2]).toMatchObject({
      ledgerAccountId: payroll,
      amountCents: 500,
      version: 4,
      runningTotals: ["500", "0", "500", "0", "1400", "0"],
    });
  });

  it("continue after a page, or after a given sequence", async () => {
    await aLife();
    const first = await proofs.journals({ limit: 3, afterSequence: 0 }, contextOf());
    expect(first).toMatchObject({ hasMore: true });
    const next = await proofs.journals(
      { limit: 3, afterSequence: 0, cursor: first.nextCursor! },
      contextOf(),
    );
    expect(next.data.map(({ sequence }) => sequence)).toEqual([4]);
    expect((await proofs.journals({ limit: 3, afterSequence: 3 }, contextOf())).data).toEqual(next.data);
    expect((await proofs.journals({ limit: 3, afterSequence: 99 }, contextOf())).data).toEqual([]);
    await expect(
      proofs.journals({ limit: 3, afterSequence: 1, cursor: first.nextCursor! }, contextOf()),
    ).rejects.toMatchObject({ code: "cursor_filter_mismatch" });
  });

  it("are only those of the caller's own book", async () => {
    await aLife();
    expect((await proofs.journals(page, contextOf(newId("ten")))).data).toEqual([]);
  });
});

/** 20,000 journals in one book beside 2,000 others. */
async function aBigBook(): Promise<void> {
  const run = sqlOn(world.superuser);
  await withGuardsOff(run, "ledger", () => insertBigBook(run));
  await run("vacuum analyze");
}

async function insertBigBook(run: Sql): Promise<void> {
  await run(`insert into book (book_id, tenant_id, mode)
    select gen_random_uuid(), gen_random_uuid(), 'Test' from generate_series(1, 2000)`);
  await run(`insert into book_head (book_id, head_hash)
    select book_id, sha256('') from book where book_id not in (select book_id from book_head)`);
  await run("insert into audit (book_id) select book_id from book on conflict do nothing");
  const book = `'${uuidOf(sampleBook)}'::uuid`;
  await run(`insert into journal (book_id, seq, transaction_id, command_id, effective_at, recorded_at, kind,
      line_count, digest)
    select ${book}, n, gen_random_uuid(), gen_random_uuid(), now(), now(), 'Post', 2, sha256('')
    from generate_series(1, 20000) n`);
  await run(`insert into entry (book_id, account_id, seq, amount_cents, account_version, held_debit,
      held_credit, released_debit, released_credit, posted_debit, posted_credit, layer, role, direction, line, currency)
    select ${book}, '${uuidOf(payroll)}', n, 5, n * 2 + l, 0, 0, 0, 0, 0, 0, 'Posted', 'Normal', 'Debit', l, 'USD'
    from generate_series(1, 20000) n, generate_series(1, 2) l`);
  await run(`insert into checkpoint (book_id, first_seq, last_seq, head_hash, recorded_at, posted_debit,
      posted_credit, pending_debit, pending_credit, class_totals)
    select ${book}, n, n, sha256(''), now(), 0, 0, 0, 0, '{}' from generate_series(1, 20000) n`);
}

/**
 * The rows that all statements of a reader read, with a custom plan and with the generic plan of a connection. Runs one
 * statement at a time, because two at once would prepare a plan on the same connection.
 */
async function reads(read: (sql: Sql) => Promise<unknown>): Promise<Reads[]> {
  const { sql } = world.units.database;
  const counted: Reads[] = [];
  let previous: Promise<unknown> = Promise.resolve();
  const measured: Sql = (text, params = []) => {
    const result = previous.then(async () => {
      counted.push(await readsOf(sql, text, params));
      counted.push(await readsOfKeptPlan(world.service, text, params));
      return sql(text, params) as never;
    });
    previous = result;
    return result;
  };
  await read(measured);
  return counted;
}

describe("the rows that a proof reads", () => {
  it("are bounded, however long the book is and however many books there are", async () => {
    await aBigBook();
    const due = { scannedBefore: new Date(), publishedBefore: new Date() };
    const all = [
      ...(await reads((sql) => readProof(sql, sampleBook))),
      ...(await reads((sql) => new JournalReader(sql, sampleBook).page(5_000, 101))),
      ...(await reads((sql) => headsToAudit(sql, "00000000-0000-0000-0000-000000000000", 100, due))),
    ];
    expect(all).toHaveLength(8);
    for (const { sequentialScans, rows } of all) {
      expect(sequentialScans).toEqual([]);
      expect(rows).toBeLessThanOrEqual(303);
    }
  });
});
