/** `npm run prove`: proves books from the database, exports one, or verifies an export. Exits with 1 if one fails. */
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { type BookId, isId, uuidOf } from "../../contracts/ids/ids.ts";
import { exportBook } from "../../services/ledger/export/export-book.ts";
import { gzipWithDigest } from "../../services/ledger/export/gzip-with-digest.ts";
import { readAccountsHead } from "../../services/ledger/audit/store/account-chain.ts";
import { type Proof, proveEachBook } from "../../services/ledger/audit/verify-book.ts";
import { verifyExport } from "../../services/ledger/export/verify-export.ts";
import { setTypeParsers, type Sql } from "../../services/platform/persistence/sql.ts";
import { runTool } from "./command-line/command-line.ts";
import { operatorDatabase } from "./command-line/connections.ts";
import { type Given, Misuse } from "./command-line/given.ts";
import { type HeadsOfBook, readHeads, writeHeads } from "./proof/heads-file.ts";
import { requireReadable, requireWritable } from "./command-line/paths.ts";
import { booksKnownToOrders, violationsAgainstOrders, violationsOfHeads } from "./proof/prove-elsewhere.ts";
import type { Tool } from "./command-line/tool.ts";

/** Runs `work` in one transaction on the ledger's schema, as the owner of the database. */
async function inLedger(work: (sql: Sql) => Promise<void>): Promise<void> {
  const client = await operatorDatabase();
  setTypeParsers(client);
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

/** Proves all books, or one: each from its own rows, then compared with orders and, with `file`, with its heads. */
async function proveAll(
  sql: Sql,
  only: BookId | undefined,
  file: string | undefined,
  given: Given,
): Promise<void> {
  const known = new Map(
    (file === undefined ? [] : await readHeads(file)).map((heads) => [heads.book, heads]),
  );
  const found = new Set<BookId>();
  const heads: HeadsOfBook[] = [];
  for await (const proof of proveEachBook(sql, only)) {
    const { book, journals, head } = proof;
    found.add(book);
    const earlier = known.get(book);
    const violations = [
      ...proof.violations,
      ...(await violationsAgainstOrders(sql, proof)),
      ...(earlier === undefined ? [] : await violationsOfHeads(sql, book, [earlier], "the file has")),
    ];
    const accounts = await readAccountsHead(sql, uuidOf(book));
    if (journals > 0 && accounts !== null) heads.push({ book, journals, head, ...accounts });
    printProof({ ...proof, violations }, given);
  }
  await reportRemoved(sql, only, found, [...known.keys()], given);
  if (file === undefined || given.hasFailed || found.size === 0) return;
  await writeHeads(file, heads);
  const compared = heads.filter(({ book }) => known.has(book)).length;
  given.note(
    `${file}: compared ${String(compared)} books, added ${String(heads.length - compared)}, wrote the heads of all`,
  );
}

function printProof({ book, journals, head, violations }: Proof, given: Given): void {
  const proven = violations.length === 0;
  if (!proven) given.hasFailed = true;
  given.print(
    { book, proven, journals, head, violations },
    `${proven ? "proven" : "BROKEN"}  ${book}  ${String(journals)} journals  head ${head.slice(0, 16)}`,
    ...violations.map(({ check, detail }) => `        ${check}: ${detail}`),
  );
}

/** A book that orders or the file knows, and the ledger no longer does. */
async function reportRemoved(
  sql: Sql,
  only: BookId | undefined,
  found: ReadonlySet<BookId>,
  inFile: readonly BookId[],
  given: Given,
): Promise<void> {
  const known = new Set([...(await booksKnownToOrders(sql)), ...inFile]);
  const removed = [...known].filter((book) => !found.has(book) && (only ?? book) === book);
  for (const book of removed) {
    const lost = { check: "no known head is lost", detail: "the ledger has no journal of this book" };
    printProof({ book, journals: 0, head: "", violations: [lost] }, given);
  }
  if (found.size + removed.length > 0) return;
  if (only !== undefined) throw new Error(`there is no book ${only}`);
  // Without a book, nothing is proven: in the wrong database, that must not look like success.
  if (!given.has("allow-empty"))
    throw new Error(
      "nothing was proven: the database has no book. Check DATABASE_URL. If the database should have no book, add --allow-empty",
    );
  given.note("no books");
}

/** Writes to a temporary name first, so that `file` is never incomplete. Only its owner can read it. */
async function exportTo(sql: Sql, file: string, book: BookId, given: Given): Promise<void> {
  const unfinished = `${file}.unfinished`;
  const startedAt = performance.now();
  let lines = 0;
  const counted = async function* () {
    for await (const text of exportBook(sql, book)) {
      lines += 1;
      yield text;
    }
  };
  await rm(unfinished, { force: true }); // one that a crash left may have other rights
  const out = createWriteStream(unfinished, { mode: 0o600, flags: "wx" });
  try {
    await pipeline(file.endsWith(".gz") ? gzipWithDigest(counted()) : counted(), out);
    if (lines === 0) throw new Error(`there is no book ${book}`);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  given.print(
    { book, exportedTo: file, lines },
    `exported  ${book}  to ${file}  in ${secondsSince(startedAt)} s`,
  );
}

async function verify(file: string, given: Given): Promise<void> {
  const startedAt = performance.now();
  const result = await verifyExport(file);
  if ("violation" in result) {
    const { line, check, detail } = result.violation;
    given.print(
      { file, proven: false, line, check, detail },
      `BROKEN  ${file}  line ${String(line)}`,
      `        ${check}: ${detail}`,
    );
    given.hasFailed = true;
    return;
  }
  const { book, journals, entries, head, exportedAt } = result.proven;
  given.print(
    { file, proven: true, book, journals, entries, head, exportedAt },
    `proven  ${book}  ${String(journals)} journals  ${String(entries)} entries  head ${head.slice(0, 16)}  as of ${exportedAt}  in ${secondsSince(startedAt)} s`,
  );
}

function secondsSince(startedAt: number): string {
  return ((performance.now() - startedAt) / 1_000).toFixed(1);
}

async function prove(given: Given): Promise<void> {
  const [named] = given.arguments;
  const [file, target, heads] = [given.option("file"), given.option("export"), given.option("heads")];
  const ofBook = given.option("book");
  const book = ofBook ?? named;
  // Only an export needs --book beside it.
  const modes = {
    "a book id": named,
    "--book": target === undefined ? ofBook : undefined,
    "--file": file,
    "--export": target,
    "--heads": heads,
  };
  const chosen = Object.entries(modes).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (chosen.length > 1) throw new Misuse(`${chosen.join(" and ")} exclude each other`);
  if (book !== undefined && !isId("book", book)) throw new Misuse(`${book} is not a book's id, book_…`);
  if (file !== undefined) {
    await requireReadable("file", file);
    await verify(file, given);
  } else if (target === undefined) {
    if (heads !== undefined) await requireWritable("heads", heads);
    await inLedger((sql) => proveAll(sql, book, heads, given));
  } else {
    if (book === undefined) throw new Misuse("missing: --book");
    await requireWritable("export", target);
    await inLedger((sql) => exportTo(sql, target, book, given));
  }
}

export const proveTool: Tool = {
  name: "prove",
  commands: {
    "": {
      about: `Proves every book, or one, from the database: its own rows, and what orders knows of it.
With --heads, compares all books with the heads in the file, if it exists, and then
writes today's heads to it, unless a proof failed: keep it where nobody else writes.
A database without books fails, unless --allow-empty is given.
With --export, writes a book to a file; a name that ends in .gz is compressed.
With --file, verifies such a file, without a database.`,
      takes: ["[book id]"],
      options: {
        export: { value: "<file> --book <book id>" },
        book: { value: "<book id>" },
        file: { value: "<file>" },
        heads: { value: "<file>" },
        "allow-empty": {},
      },
      run: prove,
    },
  },
};

if (import.meta.main) await runTool(proveTool);
