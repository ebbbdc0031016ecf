/**
 * `npm run prove [-- <book id>]`: proves every book, or one, from the database.
 * `npm run prove -- --export <file> --book <book id>`: exports a book; a name that ends in .gz is compressed.
 * `npm run prove -- --file <file>`: verifies an export, without a database.
 * Exits with 1 if a proof fails.
 */
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { type BookId, isId } from "../../contracts/ids/ids.ts";
import { exportBook } from "../../services/ledger/export/export-book.ts";
import { gzipWithDigest } from "../../services/ledger/export/gzip-with-digest.ts";
import { proveEachBook } from "../../services/ledger/audit/verify-book.ts";
import { verifyExport } from "../../services/ledger/export/verify-export.ts";
import { parseExactly, type Sql } from "../../services/platform/persistence/sql.ts";
import { operatorDatabase, runTool } from "./connections.ts";

const usage = `usage: npm run prove [-- <book id>]
       npm run prove -- --export <file> --book <book id>
       npm run prove -- --file <file>`;

/** Runs `work` in one transaction on the ledger's schema, as the owner of the database. */
async function inLedger(work: (sql: Sql) => Promise<void>): Promise<void> {
  const client = await operatorDatabase();
  parseExactly(client);
  const sql: Sql = async (text, params = []) => (await client.query(text, [...params])).rows as never;
  try {
    await sql("set search_path = ledger");
    await sql("begin");
    await work(sql);
    await sql("commit");
  } finally {
    await client.end();
  }
}

async function proveAll(sql: Sql, only: BookId | undefined): Promise<void> {
  let books = 0;
  for await (const { book, journals, head, violations } of proveEachBook(sql, only)) {
    books += 1;
    if (violations.length > 0) process.exitCode = 1;
    console.log(
      `${violations.length === 0 ? "proven" : "BROKEN"}  ${book}  ${String(journals)} journals  head ${head.slice(0, 16)}`,
    );
    for (const { check, detail } of violations) console.log(`        ${check}: ${detail}`);
  }
  if (books === 0) console.log("no books");
}

/** Writes to a temporary name first, so that `file` is never incomplete. */
async function exportTo(sql: Sql, file: string, book: BookId): Promise<void> {
  const unfinished = `${file}.unfinished`;
  const startedAt = performance.now();
  let lines = 0;
  const counted = async function* () {
    for await (const text of exportBook(sql, book)) {
      lines += 1;
      yield text;
    }
  };
  const out = createWriteStream(unfinished);
  try {
    await pipeline(file.endsWith(".gz") ? gzipWithDigest(counted()) : counted(), out);
    if (lines === 0) throw new Error(`there is no book ${book}`);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  console.log(`exported  ${book}  to ${file}  in ${secondsSince(startedAt)} s`);
}

async function verify(file: string): Promise<void> {
  const startedAt = performance.now();
  const result = await verifyExport(file);
  if ("violation" in result) {
    const { line, check, detail } = result.violation;
    console.log(`BROKEN  ${file}  line ${String(line)}\n        ${check}: ${detail}`);
    process.exitCode = 1;
    return;
  }
  const { book, journals, entries, head, exportedAt } = result.proven;
  console.log(
    `proven  ${book}  ${String(journals)} journals  ${String(entries)} entries  head ${head.slice(0, 16)}  as of ${exportedAt}  in ${secondsSince(startedAt)} s`,
  );
}

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(1);
}

await runTool(async () => {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    options: { export: text, book: text, file: text },
    allowPositionals: true,
  });
  const [named] = positionals;
  const book = values.book ?? named;
  const { file, export: target } = values;
  const modes = [file, target, named].filter((each) => each !== undefined);
  if (modes.length > 1 || positionals.length > 1) throw new Error(usage);
  if (book !== undefined && !isId("book", book)) throw new Error(usage);
  if (file !== undefined) await verify(file);
  else if (target === undefined) await inLedger((sql) => proveAll(sql, book));
  else if (book === undefined) throw new Error(usage);
  else await inLedger((sql) => exportTo(sql, target, book));
});
