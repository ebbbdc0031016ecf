/** `npm run prove [-- <book id>]`: proves every book, or one, and ends with 1 where one is not proven. */
import { isId } from "../../contracts/ids.ts";
import { proveEachBook } from "../../services/ledger/prove-books.ts";
import { parseExactly, type Sql } from "../../services/platform/persistence/sql.ts";
import { operatorDatabase, runTool } from "./connections.ts";

await runTool(async () => {
  const [only] = process.argv.slice(2);
  if (only !== undefined && !isId("book", only)) throw new Error("usage: npm run prove [-- <book id>]");
  const client = await operatorDatabase();
  parseExactly(client);
  const sql: Sql = async (text, params = []) => (await client.query(text, [...params])).rows as never;
  try {
    await sql("set search_path = ledger");
    await sql("begin");
    let books = 0;
    for await (const { book, journals, head, faults } of proveEachBook(sql, only)) {
      books += 1;
      if (faults.length > 0) process.exitCode = 1;
      console.log(
        `${faults.length === 0 ? "proven" : "BROKEN"}  ${book}  ${String(journals)} journals  head ${head.slice(0, 16)}`,
      );
      for (const { check, detail } of faults) console.log(`        ${check}: ${detail}`);
    }
    await sql("commit");
    if (books === 0) console.log("no books");
  } finally {
    await client.end();
  }
});
