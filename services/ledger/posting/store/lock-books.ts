import { Refusal } from "../../../../contracts/errors.ts";
import {
  type BookId,
  bookIdOf,
  idOf,
  type Mode,
  type TenantId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { chartAccountId, chartCurrency, chartOfAccounts } from "../../book/chart-of-accounts.ts";
import { column } from "../../../platform/persistence/pg-array.ts";

export interface BookOwner {
  readonly book: BookId;
  readonly tenantId: TenantId;
  readonly mode: Mode;
}

/** Open: journals are appended. Frozen: nothing is, and commands wait. Releasing: those that waited are run. */
export type BookState = "Open" | "Frozen" | "Releasing";

/** Where a book stands: nothing of its accounts has changed while both are the same. */
export interface LockedHead {
  readonly lastSequence: number;
  /** How often an account of the book was changed by anything but a journal: closed, for one. */
  readonly accountChanges: number;
}

/** How a book is locked, and which states are let through. */
export type LockBooks = (sql: Sql, books: readonly BookId[]) => Promise<Map<BookId, LockedHead>>;

/**
 * These books are being examined. To a caller it is `service_unavailable`; a consumer keeps their commands
 * (hold-commands.ts). Nothing was written by then but books that were not there, and the heads stay locked.
 */
export class BooksFrozen extends Refusal {
  readonly books: ReadonlySet<BookId>;

  constructor(books: readonly BookId[]) {
    super(
      "service_unavailable",
      "This book is being examined and takes no writes meanwhile; what it holds can be read. Send the request again later, with the same Idempotency-Key.",
    );
    this.books = new Set(books);
  }
}

/**
 * Locks the heads of those books that exist, in book order, until the end of the transaction, and gives their last
 * sequences. Whatever is read after it can't change under the holder. Throws `BooksFrozen` unless all are open.
 */
export const lockBooks: LockBooks = async (sql, books) => {
  const heads = await lockHeads(sql, books);
  const frozen = heads.filter(({ state }) => state !== "Open").map(({ book }) => book);
  if (frozen.length > 0) throw new BooksFrozen(frozen);
  return new Map(heads.map((head) => [head.book, head]));
};

/** The same, whatever state they are in. */
export async function lockHeads(
  sql: Sql,
  books: readonly BookId[],
): Promise<(LockedHead & { readonly book: BookId; readonly state: BookState })[]> {
  const rows = await sql<{ book_id: string; last_seq: bigint; account_changes: bigint; state: BookState }>(
    `select book_id, last_seq, account_changes, state
     from lock_books($1::uuid[])`,
    [column(books.map(uuidOf))],
  );
  return rows.map(({ book_id, last_seq, account_changes, state }) => ({
    book: idOf("book", book_id),
    lastSequence: Number(last_seq),
    accountChanges: Number(account_changes),
    state,
  }));
}

/** The next books behind `after`, by their stored ids. */
export async function booksAfter(sql: Sql, after: string, count: number): Promise<BookId[]> {
  const rows = await sql<{ book_id: string }>(
    "select book_id from book where book_id > $1 order by book_id limit $2",
    [after, count],
  );
  return rows.map(({ book_id }) => idOf("book", book_id));
}

/** For a write that appends nothing and locks no head. Throws `BooksFrozen`. */
export async function refuseFrozen(sql: Sql, book: BookId): Promise<void> {
  const [frozen] = await sql("select from book_head where book_id = $1 and state <> 'Open'", [uuidOf(book)]);
  if (frozen !== undefined) throw new BooksFrozen([book]);
}

/**
 * Makes books with their charts; those that exist are left alone, and two makers of one book meet in its row.
 * Throws `TypeError` where a book is not that of its tenant and mode: somebody forged it.
 */
export async function createBooks(sql: Sql, owners: readonly BookOwner[]): Promise<void> {
  const inOrder = owners
    .filter(({ book }, place) => owners.findIndex((other) => other.book === book) === place)
    .sort((a, b) => (uuidOf(a.book) < uuidOf(b.book) ? -1 : 1));
  for (const { book, tenantId, mode } of inOrder) {
    if (bookIdOf(tenantId, mode) !== book)
      throw new TypeError(`${book} is not the ${mode} book of ${tenantId}`);
  }
  if (inOrder.length === 0) return;
  await sql(
    `insert into book (book_id, tenant_id, mode)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[])
     on conflict do nothing`,
    [
      column(inOrder.map(({ book }) => uuidOf(book))),
      column(inOrder.map(({ tenantId }) => uuidOf(tenantId))),
      column(inOrder.map(({ mode }) => mode)),
    ],
  );
  const accounts = inOrder.flatMap(({ book }) => chartOfAccounts.map((account) => ({ book, ...account })));
  await sql(
    `insert into account (book_id, account_id, name, currency, normal_balance, class, overdraft)
     select book_id, account_id, name, $6, normal_balance, class, 'Allowed'
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::side[], $5::account_class[])
       as u (book_id, account_id, name, normal_balance, class)
     on conflict do nothing`,
    [
      column(accounts.map(({ book }) => uuidOf(book))),
      column(accounts.map((account) => uuidOf(chartAccountId(account.book, account.class)))),
      accounts.map(({ name }) => name),
      column(accounts.map(({ normalBalance }) => normalBalance)),
      column(accounts.map((account) => account.class)),
      chartCurrency,
    ],
  );
}

/**
 * Makes the books that do not exist but whose owner somebody names, then locks all as `lock` does. In this order:
 * making a book waits for whoever is just making the same one, and with heads locked by then the two could wait for
 * each other. Books that do not exist and that have no owner here are left out.
 */
export async function lockOrCreateBooks(
  sql: Sql,
  named: readonly (BookOwner | { readonly book: BookId })[],
  lock: LockBooks,
): Promise<Map<BookId, LockedHead>> {
  const owners = named.filter((each) => "tenantId" in each);
  await createBooks(sql, await withoutBook(sql, owners));
  return lock(sql, [...new Set(named.map(({ book }) => book))]);
}

async function withoutBook(sql: Sql, owners: readonly BookOwner[]): Promise<BookOwner[]> {
  if (owners.length === 0) return [];
  const ids = [...new Set(owners.map(({ book }) => uuidOf(book)))];
  const rows = await sql<{ book_id: string }>("select book_id from book where book_id = any($1::uuid[])", [
    column(ids),
  ]);
  const there = new Set(rows.map(({ book_id }) => book_id));
  return owners.filter(({ book }) => !there.has(uuidOf(book)));
}

export async function hasBook(sql: Sql, book: BookId): Promise<boolean> {
  const rows = await sql("select 1 from book where book_id = $1", [uuidOf(book)]);
  return rows.length > 0;
}
