/** Writes sequences of commands to a database in batches, and reads all rows of a book afterwards. */
import {
  type BookId,
  type LedgerAccountId,
  newId,
  type TenantId,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import type { Account } from "../../../services/ledger/book/account.ts";
import { digestOf, firstHead, headAfter } from "../../../services/ledger/book/canonical.ts";
import type { Journal } from "../../../services/ledger/book/journal.ts";
import type { Outcome } from "../../../services/ledger/book/book-state.ts";
import type { LedgerCommand } from "../../../services/ledger/book/commands.ts";
import { createBooks } from "../../../services/ledger/posting/store/lock-books.ts";
import { BookCache } from "../../../services/ledger/posting/store/book-cache.ts";
import type { BookCommand } from "../../../services/ledger/posting/store/load-book-state.ts";
import { postJournals } from "../../../services/ledger/posting/post-journals.ts";
import type { Sql } from "../../../services/platform/persistence/sql.ts";
import type { TestUnits } from "../../stack/database/units.ts";
import { kept, type SequenceWorld } from "../model/sequences.ts";

/** Creates a book that began long ago, so that its manual movements may be backdated. */
export async function beginBook(
  sql: Sql,
  { book, tenantId }: { readonly book: BookId; readonly tenantId: TenantId },
): Promise<void> {
  await sql("insert into book (book_id, tenant_id, mode, created_at) values ($1, $2, 'Test', '2000-01-01')", [
    uuidOf(book),
    uuidOf(tenantId),
  ]);
  await createBooks(sql, [{ book, tenantId, mode: "Test" }]);
}

export type AccountWish = Partial<Pick<Account, "id" | "name" | "normalBalance" | "class" | "overdraft">>;

/** Opens an account of any class, now or at a time of the past. */
export async function openAccount(
  sql: Sql,
  book: BookId,
  wish: AccountWish,
  openedAt = new Date().toISOString(),
): Promise<LedgerAccountId> {
  const { id = newId("la"), name = id, normalBalance = "Credit", overdraft = "Allowed" } = wish;
  await sql(
    `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft, created_at)
     values ($1, $2, $3, 'USD', $4, $5, $6, $7)`,
    [uuidOf(book), uuidOf(id), name, normalBalance, wish.class ?? "Tenant", overdraft, openedAt],
  );
  return id;
}

/** Creates the world's book and accounts. */
export async function prepare(store: TestUnits, world: SequenceWorld, openedAt?: string): Promise<void> {
  await store.units.run(async ({ sql }) => {
    await beginBook(sql, world);
    for (const account of world.accounts) await openAccount(sql, world.book, account, openedAt);
  });
}

/**
 * Writes batches of these sizes, in rotation, and returns the outcomes in order. `memory` caches accounts from batch to
 * batch, as the consumer does.
 */
export async function writeInBatches(
  store: TestUnits,
  commands: readonly BookCommand[],
  sizes: readonly number[],
  memory?: BookCache,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let done = 0, turn = 0; done < commands.length; turn += 1) {
    const batch = commands.slice(done, done + (sizes[turn % sizes.length] ?? 1));
    outcomes.push(
      ...(await store.units.run(({ sql, afterCommit }) =>
        postJournals(sql, batch, {
          cache: memory ?? new BookCache(),
          afterCommit,
        }),
      )),
    );
    done += batch.length;
  }
  return outcomes.map(kept);
}

export const ofBook = (book: BookId, commands: readonly LedgerCommand[]): BookCommand[] =>
  commands.map((command) => ({ book, command }));

/**
 * Everything that a command can change, except the record times, and the digests and heads that cover them:
 * `headOf` compares those.
 */
export async function stateOf({ database }: TestUnits, book: BookId) {
  const read = (text: string) => database.sql(text, [uuidOf(book)]);
  return {
    head: await read("select last_seq from book_head where book_id = $1"),
    balances: await read("select * from account_balance where book_id = $1 order by account_id"),
    journals: await read(
      `select seq, kind, transaction_id, order_id, command_id, resolves_seq, reverses_seq, effective_at, line_count,
         digest_version
       from journal where book_id = $1 order by seq`,
    ),
    entries: await read("select * from entry where book_id = $1 order by seq, line"),
    totals: await read("select * from class_total where book_id = $1 order by class, normal_balance"),
    outcomes: await read(
      `select command_id, request_hash, transaction_id, seq, refusal_code, refusal_detail
       from command where book_id = $1 order by command_id`,
    ),
  };
}

/** The stored head of a book, and the one that these journals have with the stored record times. */
export async function headOf({ database }: TestUnits, book: BookId, journals: readonly Journal[]) {
  const [stored] = await database.sql<{ head: string }>(
    "select encode(head_hash, 'hex') as head from book_head where book_id = $1",
    [uuidOf(book)],
  );
  const recorded = await database.sql<{ at: string }>(
    `select to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
     from journal where book_id = $1 order by seq`,
    [uuidOf(book)],
  );
  const computed = journals.reduce(
    (head, journal, index) =>
      headAfter(head, digestOf(journal, { digestVersion: 2, recordedAt: recorded[index]!.at })),
    firstHead(uuidOf(book)),
  );
  return { stored: stored?.head, computed };
}
