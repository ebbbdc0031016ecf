import { type BookId, idOf } from "../../../contracts/ids/ids.ts";
import { realTime } from "../../platform/clock/real-time.ts";
import type { Sql } from "../../platform/persistence/sql.ts";
import { exportFormat, type ExportRecord } from "./domain/export-format.ts";
import { LineChecksum } from "./line-checksum.ts";
import { textsOf, toRecord } from "../audit/domain/journal-json.ts";
import { storedClassTotals } from "../audit/store/page-checks.ts";
import { balancePages, modeOfBook } from "./store/exports.ts";
import { readAccountsHead } from "../audit/store/account-chain.ts";
import { firstAccountsHead } from "../book/canonical.ts";
import { type ChainHead, eachHead, JournalReader } from "../audit/store/read-journals.ts";

const journalBatchSize = 1_000;

/**
 * Everything that proves a book, as whole lines of text (domain/export-format.ts), for `npm run prove -- --file`. Call
 * it in a transaction of its own, which becomes one read-only snapshot that stays open until the export ends. Memory:
 * two pages of journals. Yields nothing if the book does not exist.
 */
export async function* exportBook(sql: Sql, book: BookId, now = realTime()): AsyncGenerator<string> {
  await sql("set transaction isolation level repeatable read, read only");
  for await (const head of eachHead(sql, book)) {
    const sum = new LineChecksum();
    let lines = 1;
    for await (const records of recordsOf(sql, head, now)) {
      lines += records.length;
      yield records.map((record) => sum.lineOf(record)).join("");
    }
    yield sum.lineOf({ record: "end", lines });
  }
}

/** All records except the end, in order, a page at a time. */
async function* recordsOf(sql: Sql, head: ChainHead, now: Date): AsyncGenerator<ExportRecord[]> {
  const { book, uuid, lastSequence, head: headHash } = head;
  const mode = await modeOfBook(sql, book);
  const exportedAt = now.toISOString();
  const accountsHead = (await readAccountsHead(sql, uuid))?.accountsHead ?? firstAccountsHead(uuid);
  const record = "book";
  yield [
    { record, format: exportFormat, book, uuid, mode, exportedAt, lastSequence, headHash, accountsHead },
  ];
  for await (const rows of balancePages(sql, book)) {
    yield rows.map(({ account_id, normal_balance: normalBalance, ...row }) => {
      const ledgerAccountId = idOf("la", account_id);
      const { name, class: accountClass, currency } = row;
      const position = row.position ?? 0;
      return {
        record: "account",
        ledgerAccountId,
        name,
        class: accountClass,
        normalBalance,
        currency,
        position,
      };
    });
  }
  yield* journalsOf(sql, head);
  for await (const rows of balancePages(sql, book)) {
    yield rows.map(({ account_id, version, last_seq, counters }) => ({
      record: "balance",
      ledgerAccountId: idOf("la", account_id),
      version: Number(version),
      lastSequence: Number(last_seq),
      totals: textsOf(counters),
    }));
  }
  const totals = await storedClassTotals(sql, book);
  yield totals.map(({ counters, ...of }) => ({ record: "classTotal", ...of, totals: textsOf(counters) }));
}

async function* journalsOf(sql: Sql, { book, lastSequence }: ChainHead): AsyncGenerator<ExportRecord[]> {
  const reader = new JournalReader(sql, book);
  const pageAfter = (sequence: number) =>
    sequence < lastSequence ? reader.page(sequence, journalBatchSize) : Promise.resolve([]);
  let next = pageAfter(0);
  for (let sequence = 0; sequence < lastSequence; sequence += journalBatchSize) {
    const page = await next;
    // Fetch the next page while this one is written.
    next = pageAfter(sequence + journalBatchSize);
    yield page.map((stored) => ({ record: "journal", ...toRecord(stored) }));
  }
}
