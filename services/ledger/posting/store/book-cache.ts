import type { BookId, LedgerAccountId, LedgerTransactionId } from "../../../../contracts/ids/ids.ts";
import type { Account } from "../../book/account.ts";
import type { Book, Transaction } from "../../book/book-state.ts";
import type { LockedHead } from "./lock-books.ts";

/** What is cached of a book. */
export interface CachedBook {
  readonly accounts: ReadonlyMap<LedgerAccountId, Account>;
  /** Holds of orders that nothing has resolved. */
  readonly openHolds: ReadonlyMap<LedgerTransactionId, Transaction>;
}

interface Entry {
  readonly head: LockedHead;
  readonly accounts: Map<LedgerAccountId, Account>;
  /** Oldest first. */
  readonly openHolds: Map<LedgerTransactionId, Transaction>;
}

/** Accounts and holds together. Beyond it, the books written to longest ago are dropped. */
const maxEntries = 50_000;
/** Beyond it, a book's oldest holds are dropped. Ach holds stay open for days. */
const maxHoldsPerBook = 10_000;

/**
 * Accounts and open holds as this process's last commit left them, so that the next batch does not read them: reading
 * was an eighth of a transfer's cost. An entry is valid while the book's locked head is unchanged: a journal raises
 * `lastSequence`, any other change of an account raises `accountChanges`. So another writer, or a closed account, only
 * makes the next batch read the book again. Postgres still checks every running total against its own, and refuses to
 * release more than is held.
 */
export class BookCache {
  /** By book, least recently written first. */
  readonly #books = new Map<BookId, Entry>();
  #count = 0;

  /** What is cached of a book, if its locked head is still `head`. */
  get(book: BookId, head: LockedHead): CachedBook | undefined {
    return this.#at(book, head);
  }

  /** What is cached of a book, whatever its head is by now: good for a guess of what need not be read. */
  guess(book: BookId): CachedBook | undefined {
    return this.#books.get(book);
  }

  /** Stores the state of books after a commit; `heads` are the heads that it locked. */
  update(books: Iterable<Book>, heads: ReadonlyMap<BookId, LockedHead>): void {
    for (const { id, lastSequence, accounts, transactions } of books) {
      const head = heads.get(id);
      if (head === undefined) continue;
      const { accounts: known, openHolds } = this.#at(id, head) ?? {
        accounts: new Map<LedgerAccountId, Account>(),
        openHolds: new Map<LedgerTransactionId, Transaction>(),
      };
      this.#drop(id);
      for (const [account, state] of accounts) known.set(account, state);
      updateHolds(openHolds, transactions);
      this.#books.set(id, { head: { ...head, lastSequence }, accounts: known, openHolds });
      this.#count += known.size + openHolds.size;
    }
    for (const book of this.#books.keys()) {
      if (this.#count <= maxEntries) break;
      this.#drop(book);
    }
  }

  /** After a failure, so that the next try reads everything again in case the cache caused it. */
  clear(): void {
    this.#books.clear();
    this.#count = 0;
  }

  #at(book: BookId, head: LockedHead): Entry | undefined {
    const entry = this.#books.get(book);
    return entry !== undefined && isSame(entry.head, head) ? entry : undefined;
  }

  #drop(book: BookId): void {
    const cached = this.#books.get(book);
    if (cached === undefined) return;
    this.#count -= cached.accounts.size + cached.openHolds.size;
    this.#books.delete(book);
  }
}

function updateHolds(
  openHolds: Map<LedgerTransactionId, Transaction>,
  transactions: ReadonlyMap<LedgerTransactionId, Transaction>,
): void {
  for (const [id, transaction] of transactions) {
    if (isOpenHold(transaction)) openHolds.set(id, transaction);
    else openHolds.delete(id);
  }
  for (const oldest of openHolds.keys()) {
    if (openHolds.size <= maxHoldsPerBook) break;
    openHolds.delete(oldest);
  }
}

/** A tenant's own pending transaction is left out: the commands that continue it need its details, too. */
function isOpenHold({ opening, orderId, resolution }: Transaction): boolean {
  return opening.kind === "Hold" && orderId !== null && resolution === null;
}

function isSame(one: LockedHead, other: LockedHead): boolean {
  return one.lastSequence === other.lastSequence && one.accountChanges === other.accountChanges;
}
