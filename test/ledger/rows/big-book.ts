/** A book with many rows, and the rows that the service's statements read in it. */
import { afterAll, expect } from "vitest";
import { type BookId, uuidOf } from "../../../contracts/ids/ids.ts";
import { readTenantSnapshot } from "../../../services/ledger/posting/store/tenant-snapshot.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import { type Reads, readsOf, readsOfKeptPlan } from "../../stack/database/plans.ts";
import { openFreshUnits } from "../../stack/database/units.ts";
import { connected } from "../world.ts";
import { guardsOff } from "../../stack/database/guards-off.ts";

/** The nth id, for the test and for SQL. */
export const uuid = (n: number) => `019c0000-0000-7000-8000-${String(n).padStart(12, "0")}`;
export const numbered = (n: string) => `('019c0000-0000-7000-8000-' || lpad((${n})::text, 12, '0'))::uuid`;

/**
 * Loads rows as they would be, without the triggers that check each of them; `:book` stands for the book. It is closed
 * after the file's last test.
 */
export async function openBigBook(book: BookId, loads: readonly string[]) {
  const units = await openFreshUnits("ledger");
  const { sql } = units.database;
  const admin = await connected(units.adminUrl);
  await admin.query(guardsOff("ledger"));
  for (const statement of loads) await admin.query(statement.replaceAll(":book", `'${uuidOf(book)}'::uuid`));
  await admin.query("vacuum analyze");
  await admin.end();
  const client = await connected(units.url);
  afterAll(async () => {
    await client.end();
    await units.close();
  });

  /** What a statement reads, with a custom plan and with a generic plan, as the service or as the tenants' reader. */
  async function bothPlans(text: string, params: readonly unknown[], who: "service" | "tenant") {
    const texts = params.map((value) => (typeof value === "bigint" ? String(value) : value));
    await client.query("begin");
    try {
      if (who === "service")
        return [await readsOf(sql, text, params), await readsOfKeptPlan(client, text, texts)];
      await client.query(`set local role ledger_reader; set local ledger.book = '${uuidOf(book)}'`);
      return [
        await readTenantSnapshot(units.database, book, (own) => readsOf(own, text, params)),
        await readsOfKeptPlan(client, text, texts),
      ];
    } finally {
      await client.query("rollback; reset plan_cache_mode");
    }
  }

  return {
    sql,
    database: units.database,
    /** What each statement of a read reads, with both plans. */
    async readsOf(
      read: (sql: Sql) => Promise<unknown>,
      who: "service" | "tenant" = "tenant",
    ): Promise<Reads[]> {
      const statements: [string, readonly unknown[]][] = [];
      await read((text, params = []) => {
        statements.push([text, params]);
        return sql(text, params);
      });
      expect(statements).not.toEqual([]);
      const all: Reads[] = [];
      for (const [text, params] of statements) all.push(...(await bothPlans(text, params, who)));
      return all;
    },
  };
}
