import pg from "pg";
import { proveEachBook } from "../../../services/ledger/audit/verify-book.ts";
import { setTypeParsers, type Sql } from "../../../services/platform/persistence/sql.ts";
import type { Stage } from "../../stage.ts";
import type { Book } from "../../workers/publisher.ts";

/**
 * Proves books as `npm run prove` does. Throws the violation if one fails, because the rate of a broken ledger means
 * nothing.
 */
export async function mustBeSound(stage: Stage, books: readonly Book[]): Promise<{ seconds: number }> {
  const client = new pg.Client(stage.adminUrl);
  setTypeParsers(client);
  await client.connect();
  const startedAt = performance.now();
  try {
    const sql: Sql = async (text, params = []) => (await client.query(text, [...params])).rows as never;
    for (const { book } of books) {
      await sql("set search_path = ledger");
      await sql("begin");
      for await (const { journals, violations } of proveEachBook(sql, book)) {
        if (journals === 0 || violations.length > 0)
          throw new Error(
            `${book} of ${String(journals)} journals is not proven: ${JSON.stringify(violations)}`,
          );
      }
      await sql("commit");
    }
    return { seconds: (performance.now() - startedAt) / 1_000 };
  } finally {
    await client.end();
  }
}
