import type { BookId } from "../../../contracts/ids/ids.ts";

interface FailedMessage {
  readonly id: string;
  readonly book: BookId;
}

interface AlikeFailures {
  readonly code: string;
  /** Ids of the messages that failed, each with its book. */
  readonly messages: Map<string, BookId>;
}

interface BookFailures extends AlikeFailures {
  /** Another book's message has succeeded since: the code is sound, so these failures say nothing about it. */
  othersSucceeded: boolean;
}

/**
 * Tells bad messages, a bad book and a bad deploy apart. Messages that fail alone, one after the other, with the same
 * error code and no success in between, are counted twice: over all books, and per book.
 * - At the limit, from several books: the code is at fault. The breaker is open: the consumer halts, and no message is
 *   dead-lettered.
 * - At the limit, from one book alone: that book is failing, and is set aside. Other books continue.
 *
 * Once a message of another book has succeeded, a book's failures count for that book only: two bad books are no bad
 * deploy.
 */
export class Breaker {
  readonly #limit: number;
  #all: AlikeFailures | undefined;
  readonly #ofBook = new Map<BookId, BookFailures>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True when `limit` messages, of several books, have failed alike: the code must be at fault. */
  get isOpen(): boolean {
    if (this.#all === undefined || this.#all.messages.size < this.#limit) return false;
    return new Set(this.#all.messages.values()).size > 1;
  }

  /** True when `limit` messages of the book have failed alike and none has succeeded: the book must be at fault. */
  isFailing(book: BookId): boolean {
    return (this.#ofBook.get(book)?.messages.size ?? 0) >= this.#limit;
  }

  /** The books that are failing, with the error code. */
  failingBooks(): { readonly book: BookId; readonly code: string }[] {
    return [...this.#ofBook]
      .filter(([book]) => this.isFailing(book))
      .map(([book, { code }]) => ({ book, code }));
  }

  /** True for a book whose message has failed since the last success. */
  hasFailed(book: BookId): boolean {
    return this.#ofBook.has(book);
  }

  succeeded(messages: readonly FailedMessage[]): void {
    this.#all = undefined;
    if (this.#ofBook.size === 0) return;
    for (const { book } of messages) this.#ofBook.delete(book);
    for (const failures of this.#ofBook.values()) failures.othersSucceeded = true;
  }

  failedAlone({ id, book }: FailedMessage, code: string): void {
    const before = this.#ofBook.get(book);
    const own = before?.code === code ? before : { code, messages: new Map(), othersSucceeded: false };
    own.messages.set(id, book);
    this.#ofBook.set(book, own);
    if (own.othersSucceeded) return;
    if (this.#all?.code !== code) this.#all = { code, messages: new Map() };
    this.#all.messages.set(id, book);
  }

  /** The book was set aside: its failures say nothing about the others. */
  forget(book: BookId): void {
    this.#ofBook.delete(book);
    for (const [id, of] of this.#all?.messages ?? []) if (of === book) this.#all?.messages.delete(id);
  }
}
