import { describe, expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { postingOf } from "../../../test/ledger/commands.ts";
import { forged, movedBetween } from "../../../test/ledger/rows/forged.ts";
import { Depositor } from "../../../test/ledger/inbound.ts";
import { paid } from "../../../test/ledger/requests.ts";
import { openLedgerOfFile, sqlOn } from "../../../test/ledger/world.ts";
import { withGuardsOff } from "../../../test/stack/database/guards-off.ts";
import { arrayLiteral } from "../../platform/persistence/array-literal.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { digestOf } from "../book/canonical.ts";
import { appendJournals } from "../../../test/ledger/rows/append-journals.ts";

// The rows that say when and why money moved, and whose it is, changed with the guards off: the proof finds it.
const world = await openLedgerOfFile();
const admin = sqlOn(world.superuser);
const depositor = await Depositor.of(world);
const { tenant } = depositor;
await tenant.creates("Payroll");
const metadata = { team: "ops", batch: "7", "1": "first" };
const created = await tenant.moves(paid("Deposits", "Payroll", 900), { externalId: "inv-1", metadata });
await tenant.reverses(created.id, "Wrong account");
const { accountNumber } = await depositor.aNumber();
await depositor.receives(depositor.sent(accountNumber, "W1"));
const ofBook = `where book_id = '${uuidOf(tenant.book)}'`;

/** What a proof of the tenant's book finds after a change that is undone again. */
async function foundAfter(...changes: string[]): Promise<string[]> {
  await withGuardsOff(admin, "ledger", async () => {
    for (const change of changes) await admin(change);
  });
  const found = (await world.faults(tenant.book)).map(({ check }) => check);
  return [...new Set(found)];
}
/** The rows are put back as they were, also if the change fails. */
async function foundWhile(table: string, change: string): Promise<string[]> {
  await admin(`create temp table kept as select * from ${table} ${ofBook}`);
  try {
    return await foundAfter(change);
  } finally {
    const repair = [`delete from ${table} ${ofBook}`, `insert into ${table} select * from kept`];
    const left = await foundAfter(...repair, "drop table kept");
    expect(left, "after the repair").toEqual([]);
  }
}
const digest = "every digest covers its journal";
const account = "every account is as it was made";
const owner = "the book has the tenant and mode of its id";

describe("a sound book with a described transaction, a reversal and an inbound payment", () => {
  it("is proven", async () => {
    expect(await world.faults(tenant.book)).toEqual([]);
    const versions = await admin(`select distinct digest_version as version from journal ${ofBook}`);
    expect(versions).toEqual([{ version: 2 }]);
  });
});

describe("the proof finds", () => {
  it.each([
    [
      "another record time",
      "journal",
      `update journal set recorded_at = recorded_at + interval '1 microsecond'
      ${ofBook} and seq = 3`,
      digest,
    ],
    [
      "a digest of the first version",
      "journal",
      `update journal set digest_version = 1 ${ofBook} and seq = 1`,
      digest,
    ],
    [
      "another description",
      "transaction_detail",
      `update transaction_detail set description = 'Rent' ${ofBook}`,
      digest,
    ],
    ["another basis", "transaction_detail", `update transaction_detail set basis = 'Demo' ${ofBook}`, digest],
    [
      "another externalId",
      "transaction_detail",
      `update transaction_detail set external_id = null ${ofBook}`,
      digest,
    ],
    [
      "another maker",
      "transaction_detail",
      `update transaction_detail set created_by = 'mallory' ${ofBook}`,
      digest,
    ],
    [
      "other metadata",
      "transaction_detail",
      `update transaction_detail set metadata = metadata - 'batch' ${ofBook}`,
      digest,
    ],
    ["lost details", "transaction_detail", `delete from transaction_detail ${ofBook}`, digest],
    ["another note", "journal_note", `update journal_note set description = 'Right' ${ofBook}`, digest],
    ["a lost note", "journal_note", `delete from journal_note ${ofBook}`, digest],
    [
      "another originator",
      "inbound_payment",
      `update inbound_payment set originator_name = 'Red' ${ofBook}`,
      digest,
    ],
    [
      "another bank reference",
      "inbound_payment",
      `update inbound_payment set bank_reference = 'W2' ${ofBook}`,
      digest,
    ],
    [
      "another order whose wire was sent back",
      "inbound_payment",
      `update inbound_payment set virtual_account_id = null, returns_order_id = gen_random_uuid() ${ofBook}`,
      digest,
    ],
    ["a lost inbound payment", "inbound_payment", `delete from inbound_payment ${ofBook}`, digest],
    [
      "another name of an account",
      "account",
      `update account set name = 'Mine' ${ofBook} and name = 'Payroll'`,
      account,
    ],
    [
      "another normal balance of an account",
      "account",
      `update account set normal_balance = 'Debit' ${ofBook} and name = 'Payroll'`,
      account,
    ],
    ["another tenant", "book", `update book set tenant_id = gen_random_uuid() ${ofBook}`, owner],
    ["another mode", "book", `update book set mode = 'Live' ${ofBook}`, owner],
    [
      "an account that is not in the chain",
      "account_chain",
      `delete from account_chain ${ofBook} and position = 2`,
      account,
    ],
    [
      "another head of the accounts",
      "account_chain",
      `update account_chain set head_hash = sha256(head_hash) ${ofBook} and position = 7`,
      account,
    ],
  ])("%s", async (_what, table, change, check) => {
    expect(await foundWhile(table, change)).toContain(check);
  });

  it("another amount of an inbound payment, also by the rows alone", async () => {
    const raised = `update inbound_payment set amount_cents = amount_cents + 1 ${ofBook}`;
    expect(await foundWhile("inbound_payment", raised)).toEqual([
      "every inbound payment is what its journal booked",
      digest,
    ]);
  });
});

describe("journals of a ledger of the previous version", () => {
  /** The insert of that version: it names no version, and its digest covers no record time. */
  async function appendsAsBefore(sql: Sql, journal: Awaited<ReturnType<typeof forged>>): Promise<void> {
    const old = digestOf(journal, { digestVersion: 1, recordedAt: "" });
    const into: Sql = (text, params = []) =>
      text.includes("content_digest")
        ? sql(
            text
              .replace(
                "sha256(decode(u.content_digest, 'hex') || timestamptz_send(t.recorded_at)), 2",
                "decode(u.content_digest, 'hex')",
              )
              .replace("digest, digest_version,", "digest,"),
            params.with(10, arrayLiteral([old])),
          )
        : sql(text, params);
    await appendJournals(into, [journal]);
  }

  it("verify as before, beside journals of version 2", async () => {
    const [one, other] = [await world.opens(), await world.opens()];
    await world.writes(postingOf([one, "Debit", 3], [other, "Credit", 3]));
    const journal = await forged(admin, "Post", movedBetween(one, other));
    await admin("begin");
    await appendsAsBefore(admin, journal);
    await admin(`insert into command (book_id, command_id, request_hash, transaction_id, seq)
      values ('${uuidOf(journal.book)}', '${journal.commandId}', sha256(''), '${uuidOf(journal.transactionId)}', 2)`);
    await admin("commit");
    await world.writes(postingOf([other, "Debit", 3], [one, "Credit", 3]));
    const versions = await admin(
      `select digest_version as version from journal where book_id = '${uuidOf(journal.book)}' order by seq`,
    );
    expect(versions).toEqual([{ version: 2 }, { version: 1 }, { version: 2 }]);
    expect(await world.faults()).toEqual([]);
  });
});

// docs/operate/proving.md lists what no proof finds.
describe("the proof does not find", () => {
  it.each([
    [
      "another time of the book's clock",
      "book_clock",
      `insert into book_clock (book_id, sequence, mode, lead_ms)
       values ('${uuidOf(tenant.book)}', 1, 'Real', 86400000)`,
    ],
    [
      "a forged part of a statement that has not come whole",
      "statement_part",
      `insert into statement_part (book_id, statement_id, part, parts, content)
       values ('${uuidOf(tenant.book)}', gen_random_uuid(), 1, 2, '{}')`,
    ],
  ])("%s", async (_what, table, change) => {
    expect(await foundWhile(table, change)).toEqual([]);
  });
});
