import { jetstream } from "@nats-io/jetstream";
import type { BookId } from "../../../contracts/ids/ids.ts";
import type { AnyMessage } from "../../../contracts/message.ts";
import { deadLetter, deadLetterId } from "../messages/dead-letter.ts";
import { failureCode } from "../persistence/infrastructure-fault.ts";
import type { InFlight, StreamEnvelope } from "./batch.ts";
import { Breaker } from "./breaker.ts";
import { type ConsumerParts, overtakingTypes } from "./consumer-parts.ts";
import { closeDeadLetter, countFailure } from "./inbox.ts";
import { isPermanent } from "./permanent-error.ts";

const maxFailures = 5;
const maxSameFailures = 8;

/** The consumer stops for a while: the deployment is likely at fault. */
export class Halted extends Error {}

/** A book that must be at fault: several of its messages have failed alike, and none was applied in between. */
export interface BookToSetAside {
  readonly book: BookId;
  readonly reason: string;
  /** Those of the current batch that are stored with it. */
  readonly messages: readonly AnyMessage[];
}

/** The failures of one consumer: it counts them, dead-letters messages, and finds books that must be set aside. */
export class Failures {
  readonly breaker = new Breaker(maxSameFailures);
  readonly #parts: ConsumerParts;
  readonly #outcomes;
  readonly #overtaking: ReadonlySet<string>;
  /** Messages that failed alone in the current batch and need another delivery. */
  readonly #failed = new Map<AnyMessage, InFlight>();
  /** Ids of messages that overtake and failed as their book was set aside. After its release each counts alone. */
  readonly #countedAlone = new Set<string>();

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    this.#overtaking = overtakingTypes(parts.types);
    this.#outcomes = parts.metrics.counter("consumer_messages_total", "Messages by outcome", [
      "stream",
      "outcome",
    ]);
    // From 0, else an alert on growth would miss the first one of a process.
    this.#count("dead-lettered", 0);
  }

  beginBatch(): void {
    this.#failed.clear();
  }

  succeeded(messages: readonly AnyMessage[]): void {
    this.breaker.succeeded(messages);
    if (this.#countedAlone.size > 0) for (const { id } of messages) this.#countedAlone.delete(id);
    this.#count("applied", messages.length);
  }

  /**
   * Counts the failure of one message, and dead-letters the message if it can never succeed or has failed five times.
   * `isAside`: its book is set aside, so the book is at fault; the message overtakes, or was under way when another
   * instance set the book aside. The failure then counts neither against the message nor against the deployment, and
   * the message is delivered again. After the book's release, an overtaking message that failed is counted only for
   * itself; otherwise it would set the book aside again.
   */
  async failAlone(message: AnyMessage, error: unknown, inFlight: InFlight, isAside: boolean): Promise<void> {
    const { log, database } = this.#parts;
    const reason = reasonOf(error);
    if (isPermanent(error)) return this.failForGood(message, reason, inFlight.envelope);
    inFlight.failed += 1;
    // In a log line `subject` is the NATS subject. The message's own is the id of what it is about.
    const { id: messageId, type, subject: resource, book } = message;
    const failed = { err: error, messageId, type, resource, book };
    if (isAside) {
      this.#countAloneFromNow(message);
      this.#count("failed", 1);
      log.error(failed, "a message of a book that is set aside failed: it comes again");
      return;
    }
    if (!this.#countedAlone.has(messageId)) this.breaker.failedAlone(message, failureCode(error));
    this.#failed.set(message, inFlight);
    // The deploy or the book is at fault: that counts against no message.
    if (this.breaker.isOpen || this.breaker.isFailing(book)) return;
    const failures = await countFailure(database, message, reason);
    log.error({ ...failed, failures }, "a message failed alone");
    if (failures < maxFailures) {
      this.#count("failed", 1);
      return;
    }
    await this.deadLetter(message, reason, inFlight.envelope, message.id);
    await closeDeadLetter(database, message);
    this.#countedAlone.delete(messageId);
    this.#needsNoDelivery(message);
  }

  #countAloneFromNow({ id, type }: AnyMessage): void {
    if (this.#overtaking.has(type)) this.#countedAlone.add(id);
  }

  /** True if the batch failed because the code is at fault. */
  get hasHalted(): boolean {
    return this.#failed.size > 0 && this.breaker.isOpen;
  }

  /** The books at fault. Messages that overtake are not stored with their book: they come again. */
  booksToSetAside(): BookToSetAside[] {
    if (this.#failed.size === 0) return [];
    const stored = [...this.#failed.keys()].filter(({ type }) => !this.#overtaking.has(type));
    return this.breaker.failingBooks().map(({ book, code }) => ({
      book,
      reason: `several messages in a row failed with ${code}`,
      messages: stored.filter((message) => message.book === book),
    }));
  }

  /** The book was set aside: its messages are stored, and need no other delivery. */
  wasSetAside({ book, messages }: BookToSetAside): void {
    this.breaker.forget(book);
    for (const message of this.#failed.keys()) if (message.book === book) this.#countAloneFromNow(message);
    for (const message of messages) this.#needsNoDelivery(message);
    this.#count("set-aside", messages.length);
  }

  #needsNoDelivery(message: AnyMessage): void {
    const inFlight = this.#failed.get(message);
    if (inFlight !== undefined) inFlight.failed -= 1;
    this.#failed.delete(message);
  }

  /** Dead-letters a message that can never succeed, and records it as handled: its next delivery is a repeat. */
  async failForGood(
    message: AnyMessage,
    reason: string,
    envelope: Pick<StreamEnvelope, "subject" | "seq">,
  ): Promise<void> {
    const { database } = this.#parts;
    await this.deadLetter(message, reason, envelope, message.id);
    await countFailure(database, message, reason);
    await closeDeadLetter(database, message);
  }

  /** Publishes one message alone, with its reason, before its envelope may be acknowledged. */
  async deadLetter(
    raw: unknown,
    reason: string,
    { subject, seq }: Pick<StreamEnvelope, "subject" | "seq">,
    part: string,
  ): Promise<void> {
    const { nats, config, deadLetterKey, log } = this.#parts;
    await jetstream(nats).publish(
      `dlq.${config.durable}.${config.stream.toLowerCase()}`,
      deadLetter({ subject, seq }, reason, raw),
      { msgID: deadLetterId(deadLetterKey, config, seq, part) },
    );
    this.#count("dead-lettered", 1);
    log.error({ subject, streamSequence: seq, reason }, "dead-lettered: npm run dlq -- list");
  }

  #count(outcome: string, messages: number): void {
    this.#outcomes.inc({ stream: this.#parts.config.stream, outcome }, messages);
  }
}

export function reasonOf(error: unknown): string {
  const code = failureCode(error);
  return error instanceof Error ? `${code}: ${error.message}` : code;
}
