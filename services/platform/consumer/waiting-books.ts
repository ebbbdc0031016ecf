import type { BookId } from "../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import { backOffMs } from "../failing-books.ts";
import { failureCode, isFaultOfRows } from "../persistence/infrastructure-fault.ts";
import { limitToOneBook } from "../persistence/session-limits.ts";
import type { EnvelopeOfMessage, InFlight } from "./batch.ts";
import { type ConsumerParts, overtakingTypes } from "./consumer-parts.ts";
import type { SetAsideBooks } from "./set-aside-books.ts";

/**
 * Per instance, of envelopes with messages that can be stored. Far below the consumer's `max_ack_pending`, which all
 * instances share, and which is the only limit of messages that overtake.
 */
const maxEnvelopes = 500;
const maxMessagesPerAttempt = 1_000;
/** A statement took too long. */
const statementTimeout = "57014";
/** A timer may fire a little early. */
const timerErrorMs = 10;

class TooManyWaiting extends Error {}

interface Actions {
  /** Applies messages of one book with lower time limits; throws a fault of its rows. */
  readonly apply: (messages: readonly AnyMessage[], envelopeOf: EnvelopeOfMessage) => Promise<void>;
  readonly aside: SetAsideBooks;
  /** Called when a book is due. */
  readonly wake: () => void;
}

interface WaitingBook {
  /** Attempts alone that failed in a row. */
  failures: number;
  retryAt: number;
  /** How many messages the next attempt takes: half after one that took too long, twice as many after a success. */
  attemptSize: number;
  /** Another book's message has succeeded since: the database is sound. */
  othersSucceeded: boolean;
  /** In the order of the stream. */
  readonly messages: Map<AnyMessage, InFlight>;
}

/**
 * The books whose rows another session has locked, or for which a statement takes too long. Their messages wait in
 * memory, in their order, while those of other books go on: returned to the stream, they would be overtaken by later
 * ones. Each book is tried alone, with lower time limits: at once, then after 5 s, then after twice as long each time,
 * up to a minute. Once one of them succeeds, the others are tried at once: they may have waited for the same session.
 *
 * A message that overtakes does not wait for those of its book. It waits only if its own rows are locked, is tried
 * apart from them, and is never set aside with them.
 */
export class WaitingBooks {
  readonly #parts: ConsumerParts;
  readonly #actions: Actions;
  readonly #gauge;
  readonly #overtaking: ReadonlySet<string>;
  readonly #books = new Map<BookId, WaitingBook>();
  #stopping = false;

  constructor(parts: ConsumerParts, actions: Actions) {
    this.#parts = parts;
    this.#actions = actions;
    this.#overtaking = overtakingTypes(parts.types);
    this.#gauge = parts.metrics.gauge(
      "consumer_waiting_books",
      "Books whose messages wait because their rows are locked, or their statements take too long",
      ["stream"],
    );
  }

  /** Every waiting message with its envelope. */
  entries(): [AnyMessage, InFlight][] {
    return [...this.#books.values()].flatMap(({ messages }) => [...messages]);
  }

  envelopes(): ReadonlySet<InFlight> {
    return new Set(this.entries().map(([, inFlight]) => inFlight));
  }

  /** While some wait, others may be locked too, and would delay every book for as long as the first one did. */
  get limits(): { readonly first: typeof limitToOneBook } | undefined {
    return this.#books.size === 0 ? undefined : { first: limitToOneBook };
  }

  get hasDue(): boolean {
    return this.#books.size > 0 && this.#due().length > 0;
  }

  #due(): BookId[] {
    const now = performance.now();
    return [...this.#books].filter(([, { retryAt }]) => retryAt <= now).map(([book]) => book);
  }

  /** Messages that overtake those of their book, and the others. */
  split(
    messages: readonly AnyMessage[],
  ): [overtaking: readonly AnyMessage[], inOrder: readonly AnyMessage[]] {
    const overtakes = ({ type }: AnyMessage) => this.#overtaking.has(type);
    return messages.some(overtakes)
      ? [messages.filter(overtakes), messages.filter((message) => !overtakes(message))]
      : [[], messages];
  }

  #messagesOf(book: BookId) {
    return this.split([...(this.#books.get(book)?.messages.keys() ?? [])]);
  }

  /** Lets the messages of waiting books wait too. Returns the others, and those that overtake. */
  withhold(messages: readonly AnyMessage[], envelopeOf: EnvelopeOfMessage): readonly AnyMessage[] {
    if (this.#books.size === 0) return messages;
    const waits = ({ book, type }: AnyMessage) => this.#books.has(book) && !this.#overtaking.has(type);
    const waiting = new Set(messages.filter(waits));
    this.add([...waiting], envelopeOf);
    return messages.filter((message) => !waiting.has(message));
  }

  /** Lets messages wait behind those of their book. A book that did not wait before is due at once. */
  add(messages: readonly AnyMessage[], envelopeOf: EnvelopeOfMessage): void {
    for (const message of messages) {
      const inFlight = envelopeOf.get(message);
      if (inFlight === undefined) continue;
      const waiting = this.#books.get(message.book) ?? {
        failures: 0,
        retryAt: 0,
        attemptSize: maxMessagesPerAttempt,
        othersSucceeded: false,
        messages: new Map<AnyMessage, InFlight>(),
      };
      this.#books.set(message.book, waiting);
      // A part of a batch that failed is tried again in halves.
      if (waiting.messages.has(message)) continue;
      waiting.messages.set(message, inFlight);
      inFlight.waiting += 1;
    }
  }

  /**
   * Stores messages of books that are set aside, and returns those whose book has been released. If rows of one book
   * are locked, all of them wait, and each book is tried alone.
   */
  async store(
    messages: readonly AnyMessage[],
    envelopeOf: EnvelopeOfMessage,
  ): Promise<readonly AnyMessage[]> {
    try {
      return await this.#actions.aside.store(messages, envelopeOf);
    } catch (error) {
      if (!isFaultOfRows(error) || !(await this.#parts.database.isHealthy())) throw error;
      this.add(messages, envelopeOf);
      return [];
    }
  }

  /** These messages were applied, stored, or failed by themselves: they wait no longer. */
  remove(messages: readonly AnyMessage[]): void {
    if (this.#books.size === 0) return;
    for (const message of messages) {
      const waiting = this.#books.get(message.book);
      const inFlight = waiting?.messages.get(message);
      if (waiting === undefined || inFlight === undefined) continue;
      waiting.messages.delete(message);
      inFlight.waiting -= 1;
      if (waiting.messages.size === 0) this.#leave(message.book, waiting);
    }
  }

  #leave(book: BookId, { failures }: WaitingBook): void {
    this.#books.delete(book);
    if (failures === 0) return;
    this.#parts.log.warn(
      { book, stream: this.#parts.config.stream },
      "the book goes on: its messages wait no longer",
    );
    for (const other of this.#books.values()) other.retryAt = 0;
    this.#showCount();
  }

  succeeded(messages: readonly AnyMessage[]): void {
    if (this.#books.size === 0) return;
    const books = new Set(messages.map(({ book }) => book));
    for (const [book, waiting] of this.#books) if (!books.has(book)) waiting.othersSucceeded = true;
  }

  /**
   * Tries each book that is due alone. Its messages are removed when they are applied; while its rows are still locked,
   * they go on waiting. `envelopeOf` has the waiting messages too.
   */
  async tryDue(envelopeOf: EnvelopeOfMessage): Promise<void> {
    if (this.#books.size === 0) return;
    for (const book of this.#due()) {
      if (this.#stopping) return;
      await this.#tryAlone(book, envelopeOf);
    }
    await this.#setAsideOverflow(envelopeOf);
  }

  async #tryAlone(book: BookId, envelopeOf: EnvelopeOfMessage): Promise<void> {
    const waiting = this.#books.get(book);
    if (waiting === undefined) return;
    const some = (messages: readonly AnyMessage[]) => messages.slice(0, waiting.attemptSize);
    const [overtaking, inOrder] = this.#messagesOf(book);
    try {
      await this.#actions.apply(some(overtaking), envelopeOf);
      await this.#applyOrStore(book, some(inOrder), envelopeOf);
      waiting.attemptSize = Math.min(2 * waiting.attemptSize, maxMessagesPerAttempt);
      // If some are left, the pause after the next failure is short.
      waiting.failures = Math.min(waiting.failures, 1);
    } catch (error) {
      if (!isFaultOfRows(error) || !(await this.#parts.database.isHealthy())) throw error;
      if (failureCode(error) === statementTimeout) {
        const tried = Math.max(some(overtaking).length, some(inOrder).length);
        waiting.attemptSize = Math.max(1, Math.floor(tried / 2));
      }
      this.#failed(book, error);
    }
  }

  async #applyOrStore(
    book: BookId,
    messages: readonly AnyMessage[],
    envelopeOf: EnvelopeOfMessage,
  ): Promise<void> {
    const { apply, aside } = this.#actions;
    if (!aside.has(book)) return apply(messages, envelopeOf);
    const open = new Set(await aside.store(messages, envelopeOf));
    this.remove(messages.filter((message) => !open.has(message)));
  }

  #failed(book: BookId, error: unknown): void {
    const waiting = this.#books.get(book);
    if (waiting === undefined) return;
    waiting.failures += 1;
    const waitMs = backOffMs(waiting.failures);
    waiting.retryAt = performance.now() + waitMs;
    setTimeout(this.#actions.wake, waitMs + timerErrorMs).unref();
    const { log, config } = this.#parts;
    log.error(
      { err: error, book, stream: config.stream, messages: waiting.messages.size, waitMs },
      "a book's rows are locked or too slow: its messages wait, and other books go on",
    );
    this.#showCount();
  }

  /**
   * Envelopes that wait are not acknowledged, and the stream delivers a limited number of such envelopes. So the
   * messages of a book with too many are stored. Messages that overtake are not stored, so they don't count.
   */
  async #setAsideOverflow(envelopeOf: EnvelopeOfMessage): Promise<void> {
    if (this.#books.size === 0 || this.envelopes().size <= maxEnvelopes) return;
    const books = [...this.#books].map(([book, { othersSucceeded }]) => {
      const [, messages] = this.#messagesOf(book);
      return { book, othersSucceeded, messages };
    });
    const envelopes = new Set(
      books.flatMap(({ messages }) => messages.map((message) => envelopeOf.get(message))),
    );
    const [largest] = books.sort((a, b) => b.messages.length - a.messages.length);
    if (largest === undefined || envelopes.size <= maxEnvelopes) return;
    // Not one book is at fault, but something that all of them need, such as a table that is locked.
    if (!largest.othersSucceeded)
      throw new TooManyWaiting("too many messages wait, and those of other books fail too");
    const { book, messages } = largest;
    const reason = "too many messages waited while its rows were locked, or its statements took too long";
    await this.#actions.aside.setAside({ book, reason, messages }, envelopeOf);
    this.remove(messages);
  }

  /** Begins no further attempt. */
  stop(): void {
    this.#stopping = true;
  }

  /** Forgets all, and returns their envelopes to the stream. */
  returnAll(delayMs?: number): void {
    for (const { envelope } of this.envelopes()) envelope.nak(delayMs);
    this.#books.clear();
    this.#showCount();
  }

  #showCount(): void {
    const failing = [...this.#books.values()].filter(({ failures }) => failures > 0);
    this.#gauge.set({ stream: this.#parts.config.stream }, failing.length);
  }
}
