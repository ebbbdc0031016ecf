import type { BookId, LedgerAccountId } from "../../../../contracts/ids/ids.ts";
import type { Account } from "../../book/account.ts";
import type { Book } from "../../book/book-state.ts";
import type { LockedHead } from "./lock-books.ts";

interface CachedBook {
  readonly head: LockedHead;
  readonly accounts: Map<LedgerAccountId, Account>;
}

/** Some 25 MiB. Beyond it the books that were written to longest ago are forgotten. */
const maxAccounts = 50_000;

/**
 * Accounts as this process left them with its last commit, so that the next batch need not read them: reading was an
 * eighth of a transfer. They stand as long as the book's head does: whatever moves a balance moves `lastSequence`, what
 * else changes an account moves `accountChanges` (0020), and both are read under the lock. A writer beside us, or an
 * account that closes, only has a book read anew. Postgres still checks every total against its own.
 */
export class AccountCache {
  /** By book, the longest untouched first. */
  readonly #books = new Map<BookId, CachedBook>();
  #count = 0;

  /** What is known of a book whose locked head is `head`; nothing when it has moved on without us. */
  get(book: BookId, head: LockedHead): ReadonlyMap<LedgerAccountId, Account> {
    const known = this.#books.get(book);
    return known !== undefined && isSame(known.head, head) ? known.accounts : new Map();
  }

  /** Keeps the accounts of books that a commit has brought from `heads` to where they stand. */
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

  /** After a failure: if what is known had a part in it, the next try reads anew. */
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
