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
import { arrayLiteral } from "../../../platform/persistence/array-literal.ts";

export interface BookOwner {
  readonly book: BookId;
  readonly tenantId: TenantId;
  readonly mode: Mode;
}

/**
 * Open: journals are appended. Frozen: none are, and commands are deferred. Releasing: the book is being unfrozen, and
 * its deferred commands are replayed.
 */
export type BookState = "Open" | "Frozen" | "Releasing";

/** The version of a book: no account of it has changed while both numbers are the same. */
export interface LockedHead {
  readonly lastSequence: number;
  /** Counts changes of the book's accounts other than by a journal, such as closing one. */
  readonly accountChanges: number;
}

/** Locks books, and throws for those whose state it does not allow. */
export type LockBooks = (sql: Sql, books: readonly BookId[]) => Promise<Map<BookId, LockedHead>>;

/**
 * These books are frozen. A caller gets `service_unavailable`; a consumer defers their commands (defer-commands.ts). It
 * is thrown before any journal is written (new books may already exist), and the heads stay locked.
 */
export class BooksFrozen extends Refusal {
  readonly books: ReadonlySet<BookId>;

  constructor(books: readonly BookId[]) {
    super(
      "service_unavailable",
      "This book is frozen: it can be read, but accepts no writes for now. Send the request again later, with the same Idempotency-Key.",
      { context: { bookFrozen: true } },
    );
    this.books = new Set(books);
  }
}

/**
 * Locks the heads of those books that exist, in book order, until the end of the transaction, and returns them. Nobody
 * else can append to these books until then. Throws `BooksFrozen` unless all are open.
 */
export const lockBooks: LockBooks = async (sql, books) => {
  const heads = await lockHeads(sql, books);
  const frozen = heads.filter(({ state }) => state !== "Open").map(({ book }) => book);
  if (frozen.length > 0) throw new BooksFrozen(frozen);
  return new Map(heads.map((head) => [head.book, head]));
};

/** Locks the heads in the same way, in any state. */
export async function lockHeads(
  sql: Sql,
  books: readonly BookId[],
): Promise<(LockedHead & { readonly book: BookId; readonly state: BookState })[]> {
  const rows = await sql<{ book_id: string; last_seq: bigint; account_changes: bigint; state: BookState }>(
    `select book_id, last_seq, account_changes, state
     from lock_books($1::uuid[])`,
    [arrayLiteral(books.map(uuidOf))],
  );
  return rows.map(({ book_id, last_seq, account_changes, state }) => ({
    book: idOf("book", book_id),
    lastSequence: Number(last_seq),
    accountChanges: Number(account_changes),
    state,
  }));
}

/** The next books after `after`, by their stored ids. */
export async function booksAfter(sql: Sql, after: string, count: number): Promise<BookId[]> {
  const rows = await sql<{ book_id: string }>(
    "select book_id from book where book_id > $1 order by book_id limit $2",
    [after, count],
  );
  return rows.map(({ book_id }) => idOf("book", book_id));
}

/** Throws `BooksFrozen` for a frozen book: for writes that append no journal and lock no head. */
export async function refuseFrozen(sql: Sql, book: BookId): Promise<void> {
  const [frozen] = await sql("select from book_head where book_id = $1 and state <> 'Open'", [uuidOf(book)]);
  if (frozen !== undefined) throw new BooksFrozen([book]);
}

/**
 * Creates books with their charts of accounts; existing ones are left unchanged. Two transactions that create the same
 * book wait for each other on its row. Throws `TypeError` for a book id that is not its tenant's and mode's: a forgery.
 */
export async function createBooks(sql: Sql, owners: readonly BookOwner[]): Promise<void> {
  const inOrder = owners
    .filter(({ book }, index) => owners.findIndex((other) => other.book === book) === index)
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
      arrayLiteral(inOrder.map(({ book }) => uuidOf(book))),
      arrayLiteral(inOrder.map(({ tenantId }) => uuidOf(tenantId))),
      arrayLiteral(inOrder.map(({ mode }) => mode)),
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
      arrayLiteral(accounts.map(({ book }) => uuidOf(book))),
      arrayLiteral(accounts.map((account) => uuidOf(chartAccountId(account.book, account.class)))),
      accounts.map(({ name }) => name),
      arrayLiteral(accounts.map(({ normalBalance }) => normalBalance)),
      arrayLiteral(accounts.map((account) => account.class)),
      chartCurrency,
    ],
  );
}

/**
 * Creates those of the books that don't exist. Call it before any head is locked: creating a book may wait for another
 * transaction that creates it, and that one may wait for the head.
 */
export async function createMissingBooks(sql: Sql, owners: readonly BookOwner[]): Promise<void> {
  await createBooks(sql, await withoutBook(sql, owners));
}

/** Creates the missing books whose owner is named, then locks all. Missing books without an owner are left out. */
export async function lockOrCreateBooks(
  sql: Sql,
  named: readonly (BookOwner | { readonly book: BookId })[],
  lock: LockBooks,
): Promise<Map<BookId, LockedHead>> {
  await createMissingBooks(
    sql,
    named.filter((each) => "tenantId" in each),
  );
  return lock(sql, [...new Set(named.map(({ book }) => book))]);
}

async function withoutBook(sql: Sql, owners: readonly BookOwner[]): Promise<BookOwner[]> {
  if (owners.length === 0) return [];
  const ids = [...new Set(owners.map(({ book }) => uuidOf(book)))];
  const rows = await sql<{ book_id: string }>("select book_id from book where book_id = any($1::uuid[])", [
    arrayLiteral(ids),
  ]);
  const there = new Set(rows.map(({ book_id }) => book_id));
  return owners.filter(({ book }) => !there.has(uuidOf(book)));
}

export async function hasBook(sql: Sql, book: BookId): Promise<boolean> {
  const rows = await sql("select 1 from book where book_id = $1", [uuidOf(book)]);
  return rows.length > 0;
}
