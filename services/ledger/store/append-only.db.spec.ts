import { describe, expect, it } from "vitest";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { forged, line } from "../../../test/ledger/rows/forged.ts";
import { refusalOf, sqlOn, openLedgerOfFile } from "../../../test/ledger/world.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { postingOf, sampleBook } from "../../../test/ledger/commands.ts";
import { appendJournals } from "../../../test/ledger/rows/append-journals.ts";

// Postgres refuses these statements by name, from the service's own role and from a superuser with psql.
const book = uuidOf(sampleBook);
const byService = (act: Parameters<typeof refusalOf>[1]) => refusalOf(world.service, act);
const bySuperuser = (act: Parameters<typeof refusalOf>[1]) => refusalOf(world.superuser, act);

const world = await openLedgerOfFile();
const [payroll, savings] = [await world.opens(), await world.opens()];
await world.writes(postingOf([payroll, "Debit", 1_000], [savings, "Credit", 1_000]));

describe("an append-only table", () => {
  const permissionDenied = "42501";
  it.each([
    "journal",
    "entry",
    "command",
    "checkpoint",
    "book",
    "account_balance",
    "class_total",
    "book_head",
    "account_day",
    "class_day",
    "dated_entry",
  ])("%s: no update, no delete, no truncate", async (table) => {
    for (const attack of [
      `update ${table} set book_id = book_id`,
      `delete from ${table}`,
      `truncate ${table} cascade`,
    ]) {
      expect(await byService(attack), attack).toBe(permissionDenied);
      expect(await bySuperuser(attack), attack).toMatch(/^LG001 (append_only|derived_by_trigger_only)$/);
    }
  });

  it("account: no delete, no truncate, and no other name or currency", async () => {
    for (const attack of ["delete from account", "truncate account cascade"]) {
      expect(await byService(attack), attack).toBe(permissionDenied);
      expect(await bySuperuser(attack), attack).toBe("LG001 append_only");
    }
    for (const change of [
      "name = 'Mine'",
      "currency = 'EUR'",
      "normal_balance = 'Debit'",
      "class = 'Suspense'",
    ]) {
      const attack = `update account set ${change} where account_id = '${uuidOf(payroll)}'`;
      expect(await byService(attack), attack).toBe(permissionDenied);
      expect(await bySuperuser(attack), attack).toBe("LG001 account_identity");
    }
  });

  it("partitions: as their parents", async () => {
    for (const attack of ["update entry_0 set line = 1", "delete from journal_3", "truncate entry_5"]) {
      expect(await byService(attack), attack).toBe(permissionDenied);
    }
    const { rows } = await world.superuser.query(
      "select tableoid::regclass::text as entry from entry where book_id = $1 limit 1",
      [book],
    );
    const partition = (rows[0] as { entry: string }).entry.replace(/^ledger\./, "");
    for (const attack of [
      `update ${partition} set line = 1`,
      `delete from ${partition}`,
      `truncate ${partition}`,
    ]) {
      expect(await bySuperuser(attack), attack).toBe("LG001 append_only");
    }
  });

  it("balances, totals, heads and checkpoints: no insert by hand", async () => {
    for (const table of [
      "account_balance",
      "class_total",
      "book_head",
      "checkpoint",
      "account_day",
      "class_day",
      "dated_entry",
    ]) {
      const attack = `insert into ${table} select * from ${table} limit 1`;
      expect(await byService(attack), attack).toBe(permissionDenied);
      expect(await bySuperuser(attack), attack).toBe("LG001 derived_by_trigger_only");
    }
  });
});

it("a superuser who inserts straight into a partition meets the same rules", async () => {
  const journal = await forged(sqlOn(world.superuser), "Post", [
    line(payroll, "Debit", 5),
    line(savings, "Credit", 4),
  ]);
  const { rows } = await world.superuser.query(
    "select distinct tableoid::regclass::text as t from entry where book_id = $1",
    [book],
  );
  const number = /\d$/.exec((rows[0] as { t: string }).t)![0];
  const straight = async (sql: Sql) => {
    const into: Sql = (text, params) =>
      sql(
        text
          .replace("insert into entry ", `insert into entry_${number} `)
          .replace("insert into journal ", `insert into journal_${number} `),
        params,
      );
    await appendJournals(into, [journal]);
  };
  expect(await bySuperuser(straight)).toBe("LG005 journal_balances");
  expect(await byService(straight)).toBe("42501");
});

it("the book is still proven after all of these", async () => {
  expect(await world.faults()).toEqual([]);
});
