import { describe, expect, it, onTestFinished } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { type LedgerWorld, openLedger, sqlOn } from "../../../test/ledger/world.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { holdOf, postingOf, sampleBook, settlementOf } from "../../../test/ledger/commands.ts";
import { postJournals } from "../posting/post-journals.ts";

// Removes a guard and does the damage that it prevents. The damage succeeds, so the guard is what prevents it; and the
// proof finds it. Here are only guards whose damage a proof can find: docs/operate/proving.md lists what none finds.
// guards.db.spec.ts removes every guard.
const payroll = newId("la");
const savings = newId("la");
const order = newId("po");
const book = uuidOf(sampleBook);

interface Mutation {
  readonly guard: string;
  readonly without: string;
  readonly damage: string | ((sql: Sql) => Promise<unknown>);
  readonly finds: string;
}

const rawHeader = (
  seq: number,
) => `insert into journal (book_id, seq, transaction_id, command_id, effective_at,
  recorded_at, kind, line_count, digest) values ('${book}', ${seq}, gen_random_uuid(), gen_random_uuid(), now(),
  clock_timestamp() + interval '1 hour', 'Post', 2, sha256(''))`;

const mutations: Mutation[] = [
  {
    guard: "entries are append-only",
    without: "alter table entry disable trigger append_only",
    damage: `update entry set amount_cents = amount_cents + 1 where book_id = '${book}' and seq = 1`,
    finds: "running totals are the sums of an account's entries",
  },
  {
    guard: "entries can't be removed",
    without: "alter table entry disable trigger append_only",
    damage: `delete from entry where book_id = '${book}' and seq = 1 and line = 1`,
    finds: "every journal balances, with all its lines",
  },
  {
    guard: "headers are append-only",
    without: "alter table journal disable trigger append_only",
    damage: `update journal set effective_at = effective_at - interval '1 day' where book_id = '${book}' and seq = 1`,
    finds: "every digest covers its journal",
  },
  {
    guard: "outcomes are append-only",
    without: "alter table command disable trigger append_only",
    damage: `delete from command where book_id = '${book}'`,
    finds: "every journal has its command, and every posted command its journal",
  },
  {
    guard: "checkpoints are append-only",
    without: "alter table checkpoint disable trigger append_only",
    damage: `delete from checkpoint where book_id = '${book}' and last_seq = 1`,
    finds: "checkpoints cover the sequence",
  },
  {
    guard: "the totals of checkpoints never change",
    without: "alter table checkpoint disable trigger user",
    damage: `update checkpoint
      set posted_debit = posted_debit + 1, posted_credit = posted_credit + 1
      where book_id = '${book}' and last_seq = 1`,
    finds: "checkpoints hold the totals of their time",
  },
  {
    guard: "the pending totals of checkpoints never change",
    without: "alter table checkpoint disable trigger user",
    damage: `update checkpoint
      set pending_debit = pending_debit - 1, pending_credit = pending_credit - 1
      where book_id = '${book}' and last_seq > 1`,
    finds: "checkpoints hold the totals of their time",
  },
  {
    guard: "the class totals of checkpoints never change",
    without: "alter table checkpoint disable trigger user",
    damage: `update checkpoint set class_totals[1].posted_debit = class_totals[1].posted_debit + 1 where book_id = '${book}' and last_seq > 1`,
    finds: "checkpoints hold the class totals of their time",
  },
  {
    guard: "a checkpoint keeps every class",
    without: "alter table checkpoint disable trigger user",
    damage: `update checkpoint set class_totals = class_totals[1:1] where book_id = '${book}' and last_seq > 1`,
    finds: "checkpoints hold the class totals of their time",
  },
  {
    guard: "days hold what takes effect on another day",
    without: "alter table journal disable trigger journals_move_days",
    damage: async (sql) => {
      await sql("begin");
      await postJournals(sql, [{ book: sampleBook, command: holdOf(newId("po"), payroll, 5) }]);
      await sql("commit");
    },
    finds: "days hold what takes effect on another day",
  },
  {
    guard: "days of accounts are moved by triggers only",
    without: "alter table account_day disable trigger derived_by_trigger_only",
    damage: `update account_day set posted_credit = posted_credit + 1 where account_id = '${uuidOf(payroll)}'`,
    finds: "days hold what takes effect on another day",
  },
  {
    guard: "days of accounts are never removed",
    without: "alter table account_day disable trigger never_deleted",
    damage: `delete from account_day where account_id = '${uuidOf(payroll)}'`,
    finds: "days hold what takes effect on another day",
  },
  {
    guard: "days of classes are moved by triggers only",
    without: "alter table class_day disable trigger derived_by_trigger_only",
    damage: `update class_day set posted_credit = posted_credit + 1 where class = 'Tenant'`,
    finds: "days of a class are the sums of its accounts' days",
  },
  {
    guard: "the list of other days' entries is written by triggers only",
    without: "alter table dated_entry disable trigger derived_by_trigger_only",
    damage: `update dated_entry set effective_on = effective_on + 1 where account_id = '${uuidOf(payroll)}'`,
    finds: "every entry of another day is listed",
  },
  {
    guard: "the layer of other days' entries is written by triggers only",
    without: "alter table dated_entry disable trigger derived_by_trigger_only",
    damage: `update dated_entry
      set layer = case layer when 'Posted' then 'Pending' else 'Posted' end::layer
      where account_id = '${uuidOf(payroll)}'`,
    finds: "every entry of another day is listed",
  },
  {
    guard: "listed entries of other days are never removed",
    without: "alter table dated_entry disable trigger never_deleted",
    damage: `delete from dated_entry where account_id = '${uuidOf(payroll)}'`,
    finds: "every entry of another day is listed",
  },
  {
    guard: "nothing else is listed among entries of other days",
    without: "alter table dated_entry disable trigger derived_by_trigger_only",
    damage: `insert into dated_entry
      select book_id, account_id, effective_on, account_version + 99, layer
      from dated_entry where account_id = '${uuidOf(payroll)}'`,
    finds: "every entry of another day is listed",
  },
  {
    guard: "a stored refusal stays one",
    without: "alter table command disable trigger append_only",
    damage: `update command
      set seq = null, refusal_code = 'insufficient_funds', refusal_detail = 'made up'
      where book_id = '${book}' and seq = 2`,
    finds: "a refused command has no journal",
  },
  {
    guard: "a refusal does not become a posting",
    without: "alter table command disable trigger append_only",
    damage: `insert into command (book_id, command_id, request_hash, transaction_id, seq)
      values ('${book}', gen_random_uuid(), sha256(''), gen_random_uuid(), 9)`,
    finds: "every journal has its command, and every posted command its journal",
  },
  {
    guard: "entries move balances",
    without: "alter table entry disable trigger entries_move_balances",
    damage: (sql) => postJournals(sql, [{ book: sampleBook, command: holdOf(newId("po"), payroll, 5) }]),
    finds: "every balance is its last entry's running totals",
  },
  {
    guard: "headers close the batch",
    without: "alter table journal disable trigger headers_close_batch",
    damage: rawHeader(9),
    finds: "the sequence has no gap",
  },
  {
    guard: "balances are moved by triggers only",
    without: "alter table account_balance disable trigger derived_by_trigger_only",
    damage: `update account_balance set posted_credit = posted_credit + 1 where account_id = '${uuidOf(payroll)}'`,
    finds: "every balance is its last entry's running totals",
  },
  {
    guard: "class totals are moved by triggers only",
    without: "alter table class_total disable trigger derived_by_trigger_only",
    damage: `update class_total set posted_credit = posted_credit + 1 where book_id = '${book}' and class = 'Tenant'`,
    finds: "money held is money owed",
  },
  {
    guard: "heads are moved by triggers only",
    without: "alter table book_head disable trigger derived_by_trigger_only",
    damage: `update book_head set head_hash = sha256(head_hash) where book_id = '${book}'`,
    finds: "the chain verifies",
  },
  {
    guard: "a hold is resolved once",
    without: "drop index journal_one_resolution; alter table journal disable trigger headers_close_batch",
    damage: `insert into journal select book_id, 9, transaction_id, order_id, gen_random_uuid(), resolves_seq, null,
      effective_at, recorded_at + interval '1 hour', kind, line_count, digest
      from journal where book_id = '${book}' and kind = 'Settle'`,
    finds: "a hold ends at most once, a posting is reversed at most once, a transaction opens once",
  },
  {
    guard: "accounts are never removed",
    without: "alter table account_balance disable trigger never_deleted",
    damage: `delete from account_balance where account_id = '${uuidOf(payroll)}'`,
    finds: "class totals are the sums of their accounts",
  },
  {
    guard: "class totals are never removed",
    without: "alter table class_total disable trigger never_deleted",
    damage: `delete from class_total where book_id = '${book}' and class = 'Tenant'`,
    finds: "class totals are the sums of their accounts",
  },
];

/** A book with a posting, a hold and its settlement, in a database that nobody else uses. */
async function openBook(): Promise<LedgerWorld> {
  const world = await openLedger();
  onTestFinished(() => world.close());
  for (const id of [payroll, savings]) await world.opens({ id });
  await world.writes(postingOf([payroll, "Debit", 9], [savings, "Credit", 9]));
  await world.writes(holdOf(order, payroll, 5), settlementOf(order));
  return world;
}

describe("without the guard that", () => {
  it.each(mutations)("$guard, damage is done and the proof finds it", async ({ without, damage, finds }) => {
    const world = await openBook();
    const sql = sqlOn(world.superuser);
    expect(await world.faults()).toEqual([]);
    await sql(without);
    await (typeof damage === "string" ? sql(damage) : damage(sql));
    expect((await world.faults()).map(({ check }) => check)).toContain(finds);
  });
});
