import type { BookId, LedgerAccountId } from "../../../../contracts/ids/ids.ts";
import type { Account } from "../../book/account.ts";
import type { Book } from "../../book/book-state.ts";
import type { LockedHead } from "./lock-books.ts";

interface CachedBook {
  readonly head: LockedHead;
  readonly accounts: Map<LedgerAccountId, Account>;
}

/** About 25 MiB. Beyond it, the books written to longest ago are dropped. */
const maxAccounts = 50_000;

/**
 * Accounts as this process's last commit left them, so that the next batch does not read them: reading was an eighth of
 * a transfer's cost. An entry is valid while the book's locked head is unchanged: a new balance raises `lastSequence`,
 * any other change of an account raises `accountChanges`. Another writer, or a closed account, therefore only makes the
 * next batch read the book again. Postgres still checks every running total against its own.
 */
export class AccountCache {
  /** By book, least recently written first. */
  readonly #books = new Map<BookId, CachedBook>();
  #count = 0;

  /** The cached accounts of a book, if its locked head is still `head`; otherwise none. */
  get(book: BookId, head: LockedHead): ReadonlyMap<LedgerAccountId, Account> {
    const known = this.#books.get(book);
    return known !== undefined && isSame(known.head, head) ? known.accounts : new Map();
  }

  /** Stores the accounts of books after a commit; `heads` are the heads that it locked. */
  update(books: Iterable<Book>, heads: ReadonlyMap<BookId, LockedHead>): void {
    for (const { id, lastSequence, accounts } of books) {
      const head = heads.get(id);
      if (head === undefined) continue;
      const before = this.#books.get(id);
      const known = before !== undefined && isSame(before.head, head) ? before.accounts : new Map();
      this.#drop(id);
      for (const [account, state] of accounts) known.set(account, state);
      this.#books.set(id, { head: { ...head, lastSequence }, accounts: known });
      this.#count += known.size;
    }
    for (const book of this.#books.keys()) {
      if (this.#count <= maxAccounts) break;
      this.#drop(book);
    }
  }

  /** After a failure, so that the next try reads everything again in case the cache caused it. */
  clear(): void {
    this.#books.clear();
    this.#count = 0;
  }

  #drop(book: BookId): void {
    this.#count -= this.#books.get(book)?.accounts.size ?? 0;
    this.#books.delete(book);
  }
}

function isSame(one: LockedHead, other: LockedHead): boolean {
  return one.lastSequence === other.lastSequence && one.accountChanges === other.accountChanges;
}
