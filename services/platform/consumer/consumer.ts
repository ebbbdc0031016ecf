import type { AnyMessage, MessageType } from "../../../contracts/message.ts";
import { bisect } from "../bisect.ts";
import { isFaultOfRows, isInfrastructureFault } from "../persistence/infrastructure-fault.ts";
import { type InFlight, type EnvelopeOfMessage, isRedelivered, logBatch } from "./batch.ts";
import type { ConsumerParts } from "./consumer-parts.ts";
import { Failures, Halted } from "./failures.ts";
import { SetAsideBooks } from "./set-aside-books.ts";
import { limitToOneBook } from "../persistence/session-limits.ts";
import { Pace } from "../runtime/pace.ts";
import { Silence } from "../runtime/silence.ts";
import { Puller } from "./puller.ts";
import { UnknownMessages, unknownRetryDelayMs } from "./unknown-messages.ts";
import { WaitingBooks } from "./waiting-books.ts";

const maxMessagesPerBatch = 1_000;
/** A batch with this many messages starts at once: its fixed cost per message is then small. */
const enough = 32;
/** An order brings each consumer at most four batches, so a lone one never waits for the pace. */
const burst = 4;
const workingIntervalMs = 2_000;
/**
 * If no transaction has ended for so long, Postgres may be gone, and the driver waits for over a minute
 * (`sessionOptions`). So the puller pauses, and other instances get what was queued.
 */
const maxSilenceMs = 10_000;
const haltMs = 15_000;
const retryDelayMs = 1_000;

/**
 * One durable pull consumer. The messages that arrived until a batch may begin form the batch (group commit), and are
 * acknowledged after its commit. A failed batch is bisected down to the failing message. That message alone is retried
 * and, after five failures with the database proven healthy, dead-lettered. Infrastructure faults count against no
 * message: the consumer pulls nothing until the database answers, then continues. If the database is sound, and only
 * the rows of one book are locked, the messages of that book wait (`WaitingBooks`).
 */
export class BatchConsumer {
  readonly #parts: ConsumerParts;
  readonly #types: ReadonlyMap<string, MessageType>;
  readonly #failures: Failures;
  readonly #aside: SetAsideBooks;
  readonly #waiting: WaitingBooks;
  readonly #meters;
  readonly #puller: Puller;
  readonly #unknown: UnknownMessages;
  readonly #pace: Pace;
  #current: InFlight[] = [];
  readonly #silence = new Silence();
  #arrived: (() => void) | undefined;
  #stopping = false;
  #ended: Promise<unknown> | undefined;

  constructor(given: ConsumerParts) {
    const apply: ConsumerParts["apply"] = (messages, options) =>
      given.apply(messages, options).finally(() => this.#silence.interrupt());
    const parts = { ...given, apply };
    this.#parts = parts;
    this.#types = new Map(parts.types.map((type) => [type.subject, type]));
    this.#failures = new Failures(parts);
    this.#aside = new SetAsideBooks(parts, this.#types, this.#failures, () => this.#arrived?.());
    this.#waiting = new WaitingBooks(parts, {
      apply: (messages, envelopeOf) => this.#apply(messages, envelopeOf, { first: limitToOneBook }),
      aside: this.#aside,
      wake: () => this.#arrived?.(),
    });
    const { metrics } = parts;
    this.#puller = new Puller(parts, this.#types, () => this.#arrived?.());
    this.#unknown = new UnknownMessages(parts);
    this.#pace = new Pace(parts.batchIntervalMs, burst);
    this.#meters = {
      batch: metrics.histogram("consumer_batch_seconds", "One batch, start to commit", ["stream"]),
      halted: metrics.gauge("consumer_halted", "1 while the consumer has halted itself", ["stream"]),
    };
  }

  get stream(): string {
    return this.#parts.config.stream;
  }

  start(): void {
    this.#ended ??= Promise.all([this.#puller.run(), this.#work()]);
  }

  /** Stops pulling, finishes the current batch and returns queued envelopes to the stream. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#puller.stop();
    this.#waiting.stop();
    this.#arrived?.();
    await Promise.all([this.#ended, this.#aside.stop()]);
    this.#puller.returnAll();
    this.#waiting.returnAll();
  }

  /** True when it stopped pulling, because too many messages need a newer version. */
  get needsNewerVersion(): boolean {
    return this.#unknown.tooMany;
  }

  async #work(): Promise<void> {
    const keepAlive = setInterval(() => {
      if (this.#silence.ms > maxSilenceMs) this.#puller.pause(retryDelayMs);
      for (const { envelope } of [...this.#current, ...this.#puller.queue, ...this.#waiting.envelopes()])
        envelope.working();
    }, workingIntervalMs);
    // Without the list the first batches are applied as usual, and the poller reads it as soon as it can.
    this.#silence.begin();
    await this.#aside.refresh().catch(() => undefined);
    this.#endStep();
    this.#aside.start();
    while (!this.#stopping) {
      if (this.#puller.queue.length === 0 && !this.#aside.hasDue && !this.#waiting.hasDue) {
        await new Promise<void>((resolve) => {
          this.#arrived = resolve;
        });
        continue;
      }
      await this.#waitForPace();
      this.#silence.begin();
      this.#current = this.#puller.take(maxMessagesPerBatch);
      if (this.#current.length > 0 || this.#waiting.hasDue) await this.#handle(this.#current);
      this.#current = [];
      this.#silence.begin(); // a halt has ended it
      // After each batch, so that the other books never wait for more than one step.
      await this.#aside.releaseDue().catch((error: unknown) => this.#recover(error));
      this.#endStep();
    }
    clearInterval(keepAlive);
  }

  #endStep(): void {
    this.#silence.end();
    this.#puller.resume();
  }

  /** A large batch does not wait. Without the pace, batches shrink until the machine has no time left. */
  async #waitForPace(): Promise<void> {
    const isLarge = () => this.#puller.messageCount >= enough;
    const { waitMs } = this.#pace;
    if (waitMs > 0 && !isLarge()) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, waitMs);
        this.#arrived = () => {
          if (!isLarge()) return;
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#pace.start();
  }

  async #handle(batch: readonly InFlight[]): Promise<void> {
    const startedAt = performance.now();
    const envelopeOf = new Map(
      batch.flatMap((inFlight) => inFlight.messages.map((message) => [message, inFlight] as const)),
    );
    const messages = [...envelopeOf.keys()];
    const waiting = this.#waiting.entries();
    for (const [message, inFlight] of waiting) envelopeOf.set(message, inFlight);
    try {
      for (const { envelope, unreadable, unknown } of batch) {
        // The envelope comes again: the version that reads the rest dead-letters these.
        if (unknown.length > 0) continue;
        for (const [index, { raw, reason }] of unreadable.entries())
          await this.#failures.deadLetter(raw, reason, envelope, String(index));
      }
      await this.#storeAndApply(messages, envelopeOf);
    } catch (error) {
      // Nothing was acknowledged, so everything is redelivered. What committed changes nothing when it comes again.
      for (const { envelope } of batch) envelope.nak(retryDelayMs);
      await this.#recover(error);
      return;
    }
    const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
    this.#meters.batch.observe({ stream: this.#parts.config.stream }, durationMs / 1_000);
    const all =
      waiting.length === 0 ? batch : new Set([...batch, ...waiting.map(([, inFlight]) => inFlight)]);
    const ended = [...all].filter(({ waiting: withBook }) => withBook === 0);
    for (const inFlight of ended) this.#end(inFlight);
    logBatch(this.#parts, ended, { messages: messages.length, durationMs });
  }

  /** Acknowledges an envelope, or returns it to the stream. */
  #end(inFlight: InFlight): void {
    const { envelope, unknown, failed } = inFlight;
    if (failed > 0) envelope.nak(this.#aside.retryDelayMs(inFlight) ?? retryDelayMs);
    else if (unknown.length > 0) this.#returnUnknown(envelope, unknown);
    else envelope.ack();
  }

  #returnUnknown(envelope: InFlight["envelope"], unknown: InFlight["unknown"]): void {
    envelope.nak(unknownRetryDelayMs);
    this.#unknown.returned(envelope, unknown);
    if (!this.#unknown.tooMany) return;
    this.#puller.stop();
    this.#meters.halted.set({ stream: this.#parts.config.stream }, 1);
  }

  /** Stores the messages of books that are set aside, applies the others unless they wait, sets failing books aside. */
  async #storeAndApply(messages: readonly AnyMessage[], envelopeOf: EnvelopeOfMessage): Promise<void> {
    this.#failures.beginBatch();
    const [overtaking, inOrder] = this.#waiting.split(messages);
    // In a commit of their own, before anything that they must stop.
    await this.#apply(overtaking, envelopeOf);
    const due = this.#waiting.withhold(inOrder, envelopeOf);
    const aside = this.#aside.among(due);
    const others = aside.length === 0 ? due : due.filter(({ book }) => !this.#aside.has(book));
    // At the same time, so that the books that are set aside add nothing to the others' latency.
    const [stored, applied] = await Promise.allSettled([
      this.#waiting.store(aside, envelopeOf),
      this.#apply(others, envelopeOf),
    ]);
    if (stored.status === "rejected") throw stored.reason;
    if (applied.status === "rejected") throw applied.reason;
    await this.#apply(stored.value, envelopeOf);
    await this.#waiting.tryDue(envelopeOf);
    if (this.#failures.hasHalted) throw new Halted("several messages of several books failed alike in a row");
    for (const failing of this.#failures.booksToSetAside()) await this.#aside.setAside(failing, envelopeOf);
  }

  /**
   * Applies messages together and, after a failure, in halves, so that one failing message never delays the others. All
   * of them are tried: one success shows that the deploy is sound, and then failures count again.
   */
  async #apply(
    messages: readonly AnyMessage[],
    envelopeOf: EnvelopeOfMessage,
    alone?: { readonly first: typeof limitToOneBook },
  ): Promise<void> {
    await bisect(
      messages,
      async (part) => {
        // A half of the batch may have begun to wait for its book's rows: the book's later messages wait behind it.
        const due = alone === undefined ? this.#waiting.withhold(part, envelopeOf) : part;
        if (due.length === 0) return part;
        // After a failure some of the batch commits, and comes again with the message that failed.
        const mayRepeat = (message: AnyMessage) =>
          part.length < messages.length || isRedelivered(envelopeOf.get(message));
        await this.#parts.apply(due, { ...(alone ?? this.#waiting.limits), mayRepeat });
        this.#failures.succeeded(due);
        this.#waiting.succeeded(due);
        this.#waiting.remove(due);
        return part;
      },
      async (failed, error) => {
        if (isFaultOfRows(error) && alone === undefined && (await this.#parts.database.isHealthy())) {
          this.#waiting.add(failed, envelopeOf);
          return failed;
        }
        const [message] = failed;
        const isAlone = failed.length === 1 && message !== undefined;
        if (!isAlone || isInfrastructureFault(error) || !(await this.#parts.database.isHealthy()))
          throw error;
        const inFlight = envelopeOf.get(message);
        const isAside = this.#aside.has(message.book);
        if (inFlight !== undefined) await this.#failures.failAlone(message, error, inFlight, isAside);
        this.#waiting.remove(failed);
        return failed;
      },
    );
  }

  /** Waits until the database answers again or, after a halt, until the next attempt is due. */
  async #recover(error: unknown): Promise<void> {
    const { log, database, config } = this.#parts;
    this.#endStep();
    this.#waiting.returnAll(retryDelayMs);
    if (error instanceof Halted) {
      this.#meters.halted.set({ stream: config.stream }, 1);
      log.fatal(
        { err: error, stream: config.stream },
        "consumer halted: likely a bad deploy; see failed_message",
      );
      // The breaker stays open until a message succeeds. So one of a book that has not failed is tried at once.
      await this.#waitReturning(haltMs, () => this.#hasOtherBook());
      this.#meters.halted.set({ stream: config.stream }, 0);
      return;
    }
    log.warn({ err: error, stream: config.stream }, "infrastructure fault; the batch was returned");
    this.#puller.pause(retryDelayMs);
    do await this.#waitReturning(retryDelayMs);
    while (!this.#stopping && !(await database.isHealthy()));
  }

  /** True if a message waits whose book has not failed. */
  #hasOtherBook(): boolean {
    const { breaker } = this.#failures;
    return this.#puller.queue.some(({ messages }) => messages.some(({ book }) => !breaker.hasFailed(book)));
  }

  /** Returns to the stream what arrives in the meantime. */
  async #waitReturning(ms: number, isOver = () => false): Promise<void> {
    const until = performance.now() + ms; // not the wall clock, which may step back
    do {
      this.#puller.returnAll(retryDelayMs);
      await new Promise((resolve) => setTimeout(resolve, 100));
    } while (!this.#stopping && performance.now() < until && !isOver());
  }
}
