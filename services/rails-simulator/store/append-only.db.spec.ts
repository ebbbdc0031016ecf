import { beforeAll, describe, expect, it } from "vitest";
import { forThisFile } from "../../../test/stack/for-this-file.ts";
import { asAdmin } from "../../../test/stack/servers/database.ts";
import { openFreshUnits } from "../../../test/stack/database/units.ts";

const bank = await forThisFile(openFreshUnits("rails"));
const id = "gen_random_uuid()";

// One row of each table: a trigger for each row fires only if there is one.
beforeAll(() =>
  asAdmin(
    bank.adminUrl,
    `insert into rails.bank_movement (order_id, number, book_id, kind, side, amount_cents, reference, occurred_at)
     values (${id}, 1, ${id}, 'Settlement', 'Out', 1, 'REF', now())`,
    `insert into rails.inbound_transfer (book_id, bank_reference, rail, direction, amount_cents, originator_name,
       account_key_id, account_ciphertext, occurred_at)
     values (${id}, 'REF', 'Ach', 'Credit', 1, 'Payer', 'k1', 'none', now())`,
    `with statement as (
       insert into rails.bank_statement (book_id, number, statement_id, banking_date, ends_at, opening_cents,
         closing_cents, line_count, hash)
       values (${id}, 1, ${id}, '2026-03-02', now(), 0, 1, 1, repeat('0', 64))
       returning book_id, number
     )
     insert into rails.bank_statement_line (book_id, number, line, account, side, amount_cents, reference, kind,
       occurred_at)
     select book_id, number, 1, 'SettlementCash', 'In', 1, 'REF', 'Inbound', now()
     from statement`,
    `insert into rails.simulation_log (book_id, entry_id, kind, details, book_time)
     values (${id}, ${id}, 'ClockSet', '{}', now())`,
  ),
);

describe.each([
  "bank_movement",
  "inbound_transfer",
  "bank_statement",
  "bank_statement_line",
  "simulation_log",
])("the bank's record %s", (table) => {
  it.each([
    ["update", `update rails.${table} set book_id = book_id`],
    ["delete", `delete from rails.${table}`],
    ["truncate", `truncate rails.${table} cascade`],
  ])("refuses the database owner's %s, and says which table is append-only", async (operation, attack) => {
    await expect(asAdmin(bank.adminUrl, attack)).rejects.toMatchObject({
      code: "23001",
      table,
      constraint: `${table}_append_only`,
      message: `the bank's book is append-only: ${operation} refused`,
    });
  });

  it.each(["update", "delete", "truncate"])("is not the service's own role's to %s", async (operation) => {
    const granted = await bank.database.sql<{ granted: boolean }>(
      "select has_table_privilege(current_user, $1, $2) as granted",
      [table, operation],
    );
    expect(granted).toEqual([{ granted: false }]);
  });
});
