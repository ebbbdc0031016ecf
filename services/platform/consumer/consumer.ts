import { jetstream } from "@nats-io/jetstream";
import type { NatsConnection } from "@nats-io/transport-node";
import type { Logger } from "pino";
import type { DurableConsumer } from "../../../contracts/streams.ts";
import type { AnyMessage, MessageType } from "../../../contracts/message.ts";
import type { Metrics } from "../observability/metrics.ts";
import type { Database } from "../persistence/database.ts";
import { bisect } from "../bisect.ts";
import { failureCode, isInfrastructureFault } from "../persistence/infrastructure-fault.ts";
import { type InFlight, type EnvelopeOfMessage, decodeEnvelope } from "./batch.ts";
import { Breaker } from "./breaker.ts";
import { deadLetter } from "./dead-letter.ts";
import { isPermanent } from "./permanent-error.ts";
import { closeDeadLetter, countFailure } from "./inbox.ts";
import { Puller } from "./puller.ts";
import { UnknownMessages, unknownRetryDelayMs } from "./unknown-messages.ts";

const maxMessagesPerBatch = 1_000;
const workingIntervalMs = 2_000;
const maxFailures = 5;
const maxSameFailures = 8;
const haltMs = 15_000;
const retryDelayMs = 1_000;

class Halted extends Error {}

export interface ConsumerParts {
  readonly nats: NatsConnection;
  readonly database: Database;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly config: DurableConsumer;
  readonly types: readonly MessageType[];
  /** Applies messages in one transaction; a throw rolls all of them back. */
  readonly apply: (messages: readonly AnyMessage[]) => Promise<void>;
}

/**
 * One durable pull consumer. The messages that arrived during one transaction form the next (group commit), and are
 * acknowledged after the commit. A failed batch is bisected down to the failing message. That message alone is retried
 * and, after five failures with the database proven healthy, dead-lettered. Infrastructure faults count against no
 * message: the consumer waits until the database answers, then continues.
 */
export class BatchConsumer {
  readonly #parts: ConsumerParts;
  readonly #types: ReadonlyMap<string, MessageType>;
  readonly #breaker = new Breaker(maxSameFailures);
  readonly #meters;
  readonly #puller: Puller;
  readonly #unknown: UnknownMessages;
  #queue: InFlight[] = [];
  #current: InFlight[] = [];
  #arrived: (() => void) | undefined;
  #stopping = false;
  #ended: Promise<unknown> | undefined;

  constructor(parts: ConsumerParts) {
    this.#parts = parts;
    this.#types = new Map(parts.types.map((type) => [type.subject, type]));
    const { metrics } = parts;
    this.#puller = new Puller(parts, (envelope) => {
      this.#queue.push(decodeEnvelope(envelope, this.#types));
      this.#arrived?.();
    });
    this.#unknown = new UnknownMessages(parts);
    this.#meters = {
      messages: metrics.counter("consumer_messages_total", "Messages by outcome", ["stream", "outcome"]),
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
    this.#arrived?.();
    await this.#ended;
    for (const { envelope } of this.#queue) envelope.nak();
  }

  /** True when it stopped pulling, because too many messages need a newer version. */
  get needsNewerVersion(): boolean {
    return this.#unknown.tooMany;
  }

  async #work(): Promise<void> {
    const keepAlive = setInterval(() => {
      for (const { envelope } of [...this.#current, ...this.#queue]) envelope.working();
    }, workingIntervalMs);
    while (!this.#stopping) {
      if (this.#queue.length === 0) {
        await new Promise<void>((resolve) => {
          this.#arrived = resolve;
        });
        continue;
      }
      this.#current = this.#takeBatch();
      await this.#handle(this.#current);
      this.#current = [];
    }
    clearInterval(keepAlive);
  }

  #takeBatch(): InFlight[] {
    let messages = 0;
    let count = 0;
    for (const { messages: own } of this.#queue) {
      if (count > 0 && messages + own.length > maxMessagesPerBatch) break;
      messages += own.length;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  async #handle(batch: readonly InFlight[]): Promise<void> {
    const { log, config } = this.#parts;
    const startedAt = performance.now();
    const owners = new Map(
      batch.flatMap((inFlight) => inFlight.messages.map((message) => [message, inFlight] as const)),
    );
    try {
      for (const inFlight of batch) {
        if (inFlight.unknown.length > 0) continue; // all of it waits for the version that reads it
        for (const [index, { raw, reason }] of inFlight.unreadable.entries())
          await this.#deadLetter(raw, reason, inFlight, String(index));
      }
      await this.#apply([...owners.keys()], owners);
    } catch (error) {
      // Nothing was acknowledged, so everything is redelivered, and the inbox drops the messages that committed.
      for (const { envelope } of batch) envelope.nak(retryDelayMs);
      await this.#recover(error);
      return;
    }
    const durationMs = Math.round((performance.now() - startedAt) * 10) / 10;
    this.#meters.batch.observe({ stream: config.stream }, durationMs / 1_000);
    for (const { envelope, messages, unreadable, unknown, failed } of batch) {
      if (failed > 0) envelope.nak(retryDelayMs);
      else if (unknown.length > 0) this.#returnUnknown(envelope, unknown);
      else envelope.ack();
      log.info(
        {
          subject: envelope.subject,
          streamSequence: envelope.seq,
          deliveries: envelope.info.deliveryCount,
          messages: messages.length,
          unreadable: unreadable.length,
          unknown: unknown.length,
          failed,
          batchMessages: owners.size,
          durationMs,
          correlationId: messages[0]?.correlationid,
        },
        "message",
      );
    }
  }

  #returnUnknown(envelope: InFlight["envelope"], unknown: InFlight["unknown"]): void {
    envelope.nak(unknownRetryDelayMs);
    this.#unknown.returned(envelope, unknown);
    if (!this.#unknown.tooMany) return;
    this.#puller.stop();
    this.#meters.halted.set({ stream: this.#parts.config.stream }, 1);
  }

  /**
   * Applies messages together and, after a failure, in halves, so that one failing message never delays the others. The
   * second half is tried even after the first one halts: one success shows that the deploy is sound, and then failures
   * count again. That way many failing messages at once are dead-lettered.
   */
  async #apply(messages: readonly AnyMessage[], owners: EnvelopeOfMessage): Promise<void> {
    let halted: Halted | undefined;
    await bisect(
      messages,
      async (part) => {
        await this.#parts.apply(part);
        this.#breaker.succeeded();
        this.#meters.messages.inc({ stream: this.#parts.config.stream, outcome: "applied" }, part.length);
        return part;
      },
      async (failed, error) => {
        const [message] = failed;
        const isAlone = failed.length === 1 && message !== undefined;
        if (!isAlone || isInfrastructureFault(error) || !(await this.#parts.database.isHealthy()))
          throw error;
        halted = (await this.#failAlone(message, error, owners)) ?? halted;
        return failed;
      },
    );
    if (halted !== undefined) throw halted;
  }

  /**
   * Counts a failure of one message, and dead-letters it when it can't succeed. Returns `Halted` if the deploy is bad.
   */
  async #failAlone(
    message: AnyMessage,
    error: unknown,
    owners: EnvelopeOfMessage,
  ): Promise<Halted | undefined> {
    const { log, database, config } = this.#parts;
    const code = failureCode(error);
    const reason = error instanceof Error ? `${code}: ${error.message}` : code;
    const inFlight = owners.get(message);
    if (inFlight === undefined) return undefined;
    if (isPermanent(error)) {
      await this.#deadLetter(message, reason, inFlight, message.id);
      await countFailure(database, message, reason);
      await closeDeadLetter(database, message);
      return undefined;
    }
    if (this.#breaker.failedAlone(message.id, code))
      return new Halted(`several messages in a row failed with ${code}`);
    const failures = await countFailure(database, message, reason);
    log.error(
      { err: error, messageId: message.id, type: message.type, subject: message.subject, failures },
      "a message failed alone",
    );
    if (failures < maxFailures) {
      inFlight.failed += 1;
      this.#meters.messages.inc({ stream: config.stream, outcome: "failed" });
      return undefined;
    }
    await this.#deadLetter(message, reason, inFlight, message.id);
    await closeDeadLetter(database, message);
    return undefined;
  }

  /** Publishes one message alone, with its reason, before its envelope may be acknowledged. */
  async #deadLetter(raw: unknown, reason: string, inFlight: InFlight, part: string): Promise<void> {
    const { nats, config, log } = this.#parts;
    const { subject, seq } = inFlight.envelope;
    await jetstream(nats).publish(
      `dlq.${config.durable}.${config.stream.toLowerCase()}`,
      deadLetter(inFlight.envelope, reason, raw),
      // If the envelope is redelivered because of another message, this id prevents a second dead letter.
      { msgID: `${config.stream}/${String(seq)}/${part}` },
    );
    this.#meters.messages.inc({ stream: config.stream, outcome: "dead-lettered" });
    log.error({ subject, streamSequence: seq, reason }, "dead-lettered: npm run dlq -- list");
  }

  /** Waits until the database answers again or, after a halt, until the next attempt is due. */
  async #recover(error: unknown): Promise<void> {
    const { log, database, config } = this.#parts;
    // Queued envelopes are returned too, because here they would only reach their acknowledgement deadline.
    for (const { envelope } of this.#queue.splice(0)) envelope.nak(retryDelayMs);
    if (error instanceof Halted) {
      if (!this.#breaker.isOpen) return; // others succeeded since: only the failed messages are redelivered
      this.#meters.halted.set({ stream: config.stream }, 1);
      log.fatal(
        { err: error, stream: config.stream },
        "consumer halted: likely a bad deploy; see failed_message",
      );
      // The breaker stays open until a message succeeds: any failure halts again and counts against no message.
      await this.#pause(haltMs);
      this.#meters.halted.set({ stream: config.stream }, 0);
      return;
    }
    log.warn({ err: error, stream: config.stream }, "infrastructure fault; the batch was returned");
    do await this.#pause(retryDelayMs);
    while (!this.#stopping && !(await database.isHealthy()));
  }

  async #pause(ms: number): Promise<void> {
    const until = Date.now() + ms;
    while (!this.#stopping && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
