import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { newId, uuidOf } from "../../../contracts/ids/ids.ts";
import { holdOf, postingOf, sampleBook, settlementOf } from "../../../test/ledger/commands.ts";
import { openLedgerOfFile, refusalOf, sqlOn } from "../../../test/ledger/world.ts";
import { withGuardsOff } from "../../../test/stack/database/guards-off.ts";

// How an operator repairs a frozen book (docs/operate/frozen-books.md). The triggers refuse a superuser too. When only
// those are off that the table there names, the repair succeeds and the proof finds nothing.
const world = await openLedgerOfFile();
const sql = sqlOn(world.superuser);
const ofBook = `where book_id = '${uuidOf(sampleBook)}'`;
const [payroll, savings, order] = [await world.opens(), await world.opens(), newId("po")];
await world.writes(postingOf([payroll, "Debit", 9], [savings, "Credit", 9]));
await world.writes(holdOf(order, payroll, 5), settlementOf(order));
await sql(`insert into freeze_event (book_id, number, state, reason, actor)
  values ('${uuidOf(sampleBook)}', 1, 'Frozen', 'its proof failed', 'test')`);

interface Repair {
  readonly table: string;
  readonly damage: string;
  readonly repair: string;
  readonly disabled: readonly string[];
}

const posted = (table: string, row: string, disabled: readonly string[]): Repair => ({
  table,
  damage: `update ${table} set posted_credit = posted_credit + 1 ${ofBook} and ${row}`,
  repair: `update ${table} set posted_credit = posted_credit - 1 ${ofBook} and ${row}`,
  disabled,
});
/** The row is kept in a table of the session, which stands for the backup. */
const lost = (table: string, row: string, disabled: readonly string[]): Repair => ({
  table,
  damage: `create temp table backup_${table} as select * from ${table} ${ofBook} and ${row};
    delete from ${table} ${ofBook} and ${row}`,
  repair: `insert into ${table} select * from backup_${table}`,
  disabled,
});
const ofPayroll = `account_id = '${uuidOf(payroll)}'`;
const derived = "derived_by_trigger_only";

it.each<Repair>([
  {
    table: "entry",
    damage: `update entry set amount_cents = amount_cents + 1 ${ofBook} and seq = 1 and line = 1`,
    repair: `update entry set amount_cents = amount_cents - 1 ${ofBook} and seq = 1 and line = 1`,
    disabled: ["append_only"],
  },
  {
    table: "entry",
    damage: `insert into entry select book_id, account_id, 99, amount_cents, account_version + 90, held_debit,
      held_credit, released_debit, released_credit, posted_debit, posted_credit, layer, role, direction, line, currency
      from entry ${ofBook} and seq = 1`,
    repair: `delete from entry ${ofBook} and seq = 99`,
    disabled: ["append_only"],
  },
  {
    table: "journal",
    damage: `update journal set effective_at = effective_at - interval '1 second' ${ofBook} and seq = 1`,
    repair: `update journal set effective_at = effective_at + interval '1 second' ${ofBook} and seq = 1`,
    disabled: ["append_only"],
  },
  {
    table: "checkpoint",
    damage: `update checkpoint set posted_debit = posted_debit + 1, posted_credit = posted_credit + 1 ${ofBook}`,
    repair: `update checkpoint set posted_debit = posted_debit - 1, posted_credit = posted_credit - 1 ${ofBook}`,
    disabled: ["append_only", derived],
  },
  posted("account_balance", ofPayroll, [derived]),
  posted("class_total", "class = 'Tenant'", [derived]),
  posted("account_day", ofPayroll, [derived]),
  posted("class_day", "class = 'Tenant'", [derived]),
  {
    table: "account_day",
    damage: `insert into account_day select book_id, account_id, day + 1, 1, 0, 0, 0, 0, 0 from account_day
      ${ofBook} and ${ofPayroll} order by day desc limit 1`,
    repair: `delete from account_day ${ofBook} and ${ofPayroll} and held_debit = 1`,
    disabled: ["never_deleted"],
  },
  {
    table: "book_head",
    damage: `update book_head set last_seq = last_seq + 1 ${ofBook}`,
    repair: `update book_head set last_seq = last_seq - 1 ${ofBook}`,
    disabled: [derived, "book_is_frozen"],
  },
  lost("command", "seq = 2", []),
  lost("entry", "seq = 2 and line = 1", ["entries_move_balances"]),
  lost("journal", "seq = 2", ["headers_close_batch", "journals_move_days"]),
  lost("checkpoint", "first_seq = 1", [derived, "checkpoint_copies_class_totals"]),
  lost("account_balance", ofPayroll, [derived]),
  lost("class_total", "class = 'Tenant'", [derived]),
  lost("account_day", ofPayroll, [derived]),
  lost("class_day", "class = 'Tenant'", [derived]),
])("$table: without $disabled, it is repaired by: $repair", async ({ table, damage, repair, disabled }) => {
  await withGuardsOff(sql, "ledger", () => world.superuser.query(damage));
  expect(await world.faults()).not.toEqual([]);
  for (const left of disabled.filter((name) => !repairsWrongly.has(name))) {
    const others = disabled.filter((name) => name !== left);
    expect(await refusalOf(world.superuser, without(table, others, repair)), left).toMatch(/^LG/);
  }
  expect(await refusalOf(world.superuser, without(table, disabled, repair))).toBe("nobody refused it");
  expect(await world.faults()).toEqual([]);
  expect(await sql("select tgname from pg_trigger where not tgisinternal and tgenabled <> 'A'")).toEqual([]);
});

it("ends by itself if the operator's terminal is lost, by the limits that the runbook sets", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/operate/frozen-books.md"), "utf8");
  const limits = page.match(/^set local .*;$/gm) ?? [];
  const names = ["lock_timeout", "transaction_timeout", "idle_in_transaction_session_timeout"];
  await sql("begin");
  for (const limit of limits) await sql(limit);
  const set = await sql<{ setting: string }>(
    "select name || ' ' || setting || ' ' || unit as setting from pg_settings where name = any($1) order by 1",
    [names],
  );
  await sql("rollback");
  expect(set.map(({ setting }) => setting)).toEqual([
    "idle_in_transaction_session_timeout 10000 ms",
    "lock_timeout 5000 ms",
    "transaction_timeout 30000 ms",
  ]);
});

/** These refuse nothing: they would count the days, or copy the class totals, of today. */
const repairsWrongly = new Set(["journals_move_days", "checkpoint_copies_class_totals"]);

/** The repair as the operator commits it: triggers are disabled by name, in its own transaction. */
function without(table: string, triggers: readonly string[], repair: string): string {
  return [
    ...triggers.map((name) => `alter table ${table} disable trigger ${name}`),
    repair,
    "set constraints all immediate",
    ...triggers.map((name) => `alter table ${table} enable always trigger ${name}`),
  ].join("; ");
}
