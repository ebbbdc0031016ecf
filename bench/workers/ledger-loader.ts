/**
 * Fills a book through the ledger's writer and every trigger, so that the data is what the service would write.
 * Journals have ten lines, which makes loading cheaper: ten entries share the cost of one journal.
 */
import { newId, newUuid } from "../../contracts/ids/ids.ts";
import type { LedgerCommand } from "../../services/ledger/book/commands.ts";
import { postJournals } from "../../services/ledger/posting/post-journals.ts";
import type { Database } from "../../services/platform/persistence/database.ts";
import { serveParent } from "../worker.ts";
import { openLedgerDatabase } from "./ledger-database.ts";
import type { Book } from "./publisher.ts";

export interface ToLoader {
  readonly kind: "load";
  readonly url: string;
  readonly book: Book;
  readonly entries: number;
}

export interface FromLoader {
  readonly kind: "loaded";
  readonly failure: string | undefined;
}

const linesOfJournal = 10;
const journalsOfBatch = 200;

type Post = Extract<LedgerCommand, { kind: "Post" }>;

function payroll({ accountIds }: Book): LedgerCommand {
  const amountCents = 1_000;
  const line = (ledgerAccountId: string, direction: "Debit" | "Credit", cents: number) =>
    ({ ledgerAccountId, direction, amountCents: cents, currency: "USD" }) as Post["lines"][number];
  const from = Math.floor(Math.random() * accountIds.length);
  const at = (index: number) => accountIds[(from + index * 997) % accountIds.length] ?? "";
  const credits = Array.from({ length: linesOfJournal - 1 }, (_, index) =>
    line(at(index + 1), "Credit", amountCents),
  );
  return {
    kind: "Post",
    commandId: newUuid(),
    transactionId: newId("lt"),
    lines: [line(at(0), "Debit", amountCents * credits.length), ...credits],
    basis: "Actual",
    effectiveAt: null,
  };
}

let database: Database | undefined;

async function load({ url, book, entries }: ToLoader): Promise<void> {
  database ??= await openLedgerDatabase(url, 1);
  for (let left = Math.ceil(entries / linesOfJournal); left > 0; left -= journalsOfBatch) {
    const commands = Array.from({ length: Math.min(left, journalsOfBatch) }, () => ({
      book: book.book,
      command: payroll(book),
    }));
    await database.transaction(({ sql }) => postJournals(sql, commands));
  }
}

serveParent<ToLoader, FromLoader>((message, reply) => {
  load(message).then(
    () => reply({ kind: "loaded", failure: undefined }),
    (error: unknown) => reply({ kind: "loaded", failure: String(error) }),
  );
});
