import type { BookId } from "../../../contracts/ids/ids.ts";
import type { AnyMessage, MessageType } from "../../../contracts/message.ts";
import { backOffMs, FailingBooks } from "../failing-books.ts";
import { parseMessage, withoutPartition } from "../messages/message.ts";
import { failedTicksOf } from "../observability/failed-ticks.ts";
import { isInfrastructureFault, mayConcernOneBook } from "../persistence/infrastructure-fault.ts";
import { limitToOneBook } from "../persistence/session-limits.ts";
import { PollingWorker } from "../runtime/polling-worker.ts";
import type { EnvelopeOfMessage, InFlight } from "./batch.ts";
import type { ConsumerParts } from "./consumer-parts.ts";
import { type BookToSetAside, type Failures, reasonOf } from "./failures.ts";
import { isPermanent } from "./permanent-error.ts";
import {
  endRelease,
  oldestMessages,
  type PlacedMessage,
  readSetAsideBooks,
  removeMessages,
  setBookAside,
  type SetAsideState,
  stopRelease,
  storeMessages,
  type StoredMessage,
} from "./set-aside-store.ts";

const pollIntervalMs = 1_000;
const messagesPerStep = 200;
const maxReasonChars = 2_000;
/** How long messages of one book are applied one by one, while the other books wait. */
const maxOneByOneMs = 5_000;

/** Another instance is applying the same messages. */
class Superseded extends Error {}

/**
 * The books that one consumer has set aside: their messages are stored instead of being applied, until an operator
 * releases them (`npm run books -- release`). Then they are applied in the order of the stream, each in the commit that
 * removes it, while new ones are still stored behind them.
 *
 * Instances share a cached list that is read once a second, so a batch pays no statement for it. A stale list loses and
 * doubles nothing:
 * - A book was set aside and this instance does not know it: its message is applied as if it had arrived a moment
 *   earlier. Instances that hold envelopes of one book at the same time never had an order between them. If it fails,
 *   it is delivered again, and stored then.
 * - A book was released and this instance does not know it: `storeMessages` locks the book's row and finds that it is
 *   gone, so the messages are applied instead. A release can't end while a message is being stored.
 * - A message that was stored or applied before is redelivered: the table's key or the inbox drops it.
 */
export class SetAsideBooks {
  readonly #parts: ConsumerParts;
  readonly #types: ReadonlyMap<string, MessageType>;
  readonly #failures: Failures;
  readonly #poller: PollingWorker;
  readonly #gauge;
  /** Books whose release can't go on now, because their rows are locked or their statements take too long. */
  readonly #failing: FailingBooks;
  #books = new Map<BookId, SetAsideState>();
  /** Books that are being released, and may have stored messages. */
  readonly #due = new Set<BookId>();
  /** Raised with each change of the list by this instance: a read that began before is outdated. */
  #version = 0;

  constructor(
    parts: ConsumerParts,
    types: ReadonlyMap<string, MessageType>,
    failures: Failures,
    wake: () => void,
  ) {
    this.#parts = parts;
    this.#types = types;
    this.#failures = failures;
    this.#failing = new FailingBooks("set-aside-books", parts);
    this.#gauge = parts.metrics.gauge("books_set_aside", "Books whose messages are stored", ["stream"]);
    const poll = async () => {
      await this.refresh();
      if (this.#due.size > 0) wake();
      return 0;
    };
    this.#poller = new PollingWorker(
      "set-aside-books",
      pollIntervalMs,
      poll,
      parts.log,
      failedTicksOf(parts.metrics),
    );
  }

  start(): void {
    this.#poller.start();
  }

  stop(): Promise<void> {
    return this.#poller.stop();
  }

  async refresh(): Promise<void> {
    const { database, config } = this.#parts;
    const version = this.#version;
    const books = await readSetAsideBooks(database.sql, config.stream);
    if (version !== this.#version) return;
    this.#show(books);
    for (const [book, state] of books) if (state === "Releasing") this.#due.add(book);
  }

  #show(books: Map<BookId, SetAsideState>): void {
    this.#books = books;
    this.#gauge.set({ stream: this.#parts.config.stream }, books.size);
  }

  /** The messages of books that are set aside. */
  among(messages: readonly AnyMessage[]): AnyMessage[] {
    return this.#books.size === 0 ? [] : messages.filter(({ book }) => this.has(book));
  }

  has(book: BookId): boolean {
    return this.#books.has(book);
  }

  /**
   * How long an envelope with failed messages waits for its next delivery if all its books are set aside: 5 s, then
   * twice as long each time, up to a minute. Otherwise undefined. What failed overtakes, and may fail until the cause
   * is removed.
   */
  retryDelayMs({ envelope, messages }: InFlight): number | undefined {
    return messages.every(({ book }) => this.has(book)) ? backOffMs(envelope.info.deliveryCount) : undefined;
  }

  /** Stores messages, and returns those whose book has been released: they must be applied. */
  async store(messages: readonly AnyMessage[], envelopeOf: EnvelopeOfMessage): Promise<AnyMessage[]> {
    if (messages.length === 0) return [];
    const { database, config } = this.#parts;
    const open = await storeMessages(database, config.stream, placed(messages, envelopeOf));
    if (open.size > 0) this.#change((books) => open.forEach((book) => books.delete(book)));
    return messages.filter(({ book }) => open.has(book));
  }

  /** Sets a failing book aside with its failed messages, and calls an operator. */
  async setAside(failing: BookToSetAside, envelopeOf: EnvelopeOfMessage): Promise<void> {
    const { database, config, log } = this.#parts;
    const { book, reason } = failing;
    const messages = placed(failing.messages, envelopeOf);
    const isFirst = await setBookAside(database, config.stream, { book, reason, messages });
    this.#failures.wasSetAside(failing);
    this.#change((books) => books.set(book, books.get(book) ?? "Aside"));
    if (!isFirst) return;
    log.fatal(
      { book, stream: config.stream, reason },
      "a book was set aside: its messages are stored, other books continue; npm run books -- aside",
    );
  }

  /** Takes one step of each release that is due. Throws only infrastructure faults. */
  async releaseDue(): Promise<void> {
    const due = [...this.#due];
    // Each is due again at the next poll, unless this step finds that more may follow.
    this.#due.clear();
    for (const book of due) {
      const now = new Date();
      if (this.#failing.isWaiting(book, now)) continue;
      const mayGoOn = await this.#failing.attempt(book, now, () => this.#releaseStep(book));
      if (mayGoOn === true) this.#due.add(book);
    }
  }

  get hasDue(): boolean {
    return this.#due.size > 0;
  }

  /** Applies the next stored messages of a book. Returns true if more may follow. */
  async #releaseStep(book: BookId): Promise<boolean> {
    const { database, config, log } = this.#parts;
    const stored = await oldestMessages(database.sql, config.stream, book, messagesPerStep);
    if (stored.length === 0) {
      if (!(await endRelease(database, config.stream, book))) return false;
      this.#change((books) => books.delete(book));
      log.warn({ book, stream: config.stream }, "the book goes on: no stored message is left");
      return false;
    }
    try {
      await this.#applyStored(book, stored);
      return true;
    } catch (error) {
      if (error instanceof Superseded) return false;
      if (!mayConcernOneBook(error)) throw error;
      return this.#releaseOneByOne(book, stored);
    }
  }

  /**
   * One by one, up to the message that fails. It is then the first stored one, which an operator can leave out. The
   * next step takes the messages for which no time is left.
   */
  async #releaseOneByOne(book: BookId, stored: readonly StoredMessage[]): Promise<boolean> {
    const until = performance.now() + maxOneByOneMs;
    for (const one of stored) {
      if (performance.now() > until) return true;
      try {
        await this.#applyStored(book, [one]);
      } catch (error) {
        if (error instanceof Superseded) return false;
        if (isInfrastructureFault(error)) throw error;
        return this.#stopAt(book, one, error);
      }
    }
    return true;
  }

  /** A message that can never succeed is dead-lettered. After any other failure the book stays aside, in its order. */
  async #stopAt(
    book: BookId,
    { raw, subject, streamSequence }: StoredMessage,
    error: unknown,
  ): Promise<boolean> {
    const { database, config, log } = this.#parts;
    if (isPermanent(error)) {
      // The inbox then drops it, and the next step removes it.
      await this.#failures.failForGood(raw as AnyMessage, reasonOf(error), { subject, seq: streamSequence });
      return true;
    }
    const reason = `a stored message failed again with ${reasonOf(error)}`.slice(0, maxReasonChars);
    await stopRelease(database, config.stream, book, reason);
    this.#change((books) => books.set(book, "Aside"));
    log.fatal(
      { err: error, book, stream: config.stream },
      "a stored message failed: the book stays set aside",
    );
    return false;
  }

  #applyStored(book: BookId, stored: readonly StoredMessage[]): Promise<void> {
    const messages = stored.map(({ subject, raw }) => parseMessage(this.#typeOf(subject), raw));
    const ids = messages.map(({ id }) => id);
    return this.#parts.apply(messages, {
      mayRepeat: () => true,
      first: async (sql) => {
        await limitToOneBook(sql);
        if (!(await removeMessages(sql, this.#parts.config.stream, book, ids))) throw new Superseded();
      },
    });
  }

  #typeOf(subject: string): MessageType {
    const type = this.#types.get(withoutPartition(subject));
    if (type === undefined) throw new TypeError(`no contract consumes ${subject}`);
    return type;
  }

  #change(act: (books: Map<BookId, SetAsideState>) => void): void {
    this.#version += 1;
    const books = new Map(this.#books);
    act(books);
    this.#show(books);
  }
}

function placed(messages: readonly AnyMessage[], envelopeOf: EnvelopeOfMessage): PlacedMessage[] {
  return messages.flatMap((message) => {
    const inFlight = envelopeOf.get(message);
    if (inFlight === undefined) return [];
    const { subject, seq: streamSequence } = inFlight.envelope;
    return [{ message, subject, streamSequence, part: inFlight.messages.indexOf(message) }];
  });
}
