import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node";
import type { Logger } from "pino";
import type { z } from "zod";
import { Refusal } from "../../../contracts/errors.ts";
import type { BookId } from "../../../contracts/ids/ids.ts";
import {
  type batchedReplySchema,
  batchedRequestSchema,
  requestBatchSchema,
  requestEnvelopeSchema,
  type RequestType,
  type Service,
} from "../../../contracts/message.ts";
import type { Metrics } from "../observability/metrics.ts";
import { isInfrastructureFault } from "../persistence/infrastructure-fault.ts";
import { IdempotentReplay, MustTravelAlone, type RequestContext } from "../handlers/decorators.ts";
import { deadlineHeader, deadlineIn, refuseIfLate } from "../handlers/deadline.ts";
import { type ConcurrencyLimit, tooManyUnderWay } from "./concurrency-limit.ts";

const maxInFlight = 2_000;

interface RequestHandler {
  readonly type: RequestType;
  readonly call: (data: unknown, request: RequestContext) => Promise<unknown>;
}

interface RpcServerOptions {
  readonly service: Service;
  readonly nats: NatsConnection;
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly underWay: ConcurrencyLimit<BookId>;
}

/** Answers requests over core NATS. The instances of a service share the work by its queue group. */
export class RpcServer {
  readonly #parts: RpcServerOptions;
  readonly #subscriptions: Subscription[];
  readonly #seconds;
  #inFlight = 0;
  #idle: (() => void) | undefined;

  constructor(parts: RpcServerOptions, handlers: readonly RequestHandler[]) {
    this.#parts = parts;
    this.#seconds = parts.metrics.histogram("request_seconds", "Requests answered", ["type", "outcome"]);
    this.#subscriptions = handlers.flatMap((handler) => {
      const { subject, batchSubject } = handler.type;
      return [
        this.#subscribe(handler, subject, (message) => this.#answer(handler, message)),
        ...(batchSubject === undefined
          ? []
          : [this.#subscribe(handler, batchSubject, (message) => this.#answerBatch(handler, message))]),
      ];
    });
  }

  #subscribe(
    handler: RequestHandler,
    subject: string,
    answer: (message: Msg) => Promise<void>,
  ): Subscription {
    const { nats, service, log } = this.#parts;
    const { type } = handler.type;
    return nats.subscribe(subject, {
      queue: service,
      callback: (error, message) => {
        if (error) log.error({ err: error, type }, "a subscription failed");
        // NATS checks the subjects that a user publishes to, not its reply subjects. Stream messages pulled with our
        // subject as the reply arrive here under the stream's subject: they are not requests.
        else if (message.subject !== subject) {
          log.error({ subject: message.subject, type }, "dropped a message that is not a request");
        } else void answer(message);
      },
    });
  }

  /** Takes no further requests, and resolves when the current ones are answered. */
  async stop(): Promise<void> {
    // If the connection is gone, so are its subscriptions: failures to drain don't matter.
    await Promise.allSettled(this.#subscriptions.map((subscription) => subscription.drain()));
    if (this.#inFlight > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
  }

  async #answer(handler: RequestHandler, message: Msg): Promise<void> {
    const reply = await this.#replyTo(handler, () => readRequest(handler.type, message), "info");
    this.#respond(message, handler.type, reply);
  }

  /** A reply that NATS would not carry becomes a refusal: otherwise its caller would wait until its deadline. */
  #respond(message: Msg, { type }: RequestType, reply: Reply): void {
    const { nats, log } = this.#parts;
    try {
      const text = JSON.stringify(reply);
      const bytes = Buffer.byteLength(text);
      if (bytes <= (nats.info?.max_payload ?? Number.POSITIVE_INFINITY)) {
        message.respond(text);
        return;
      }
      log.error({ type, bytes }, "a reply is too large for NATS");
      const refusal = membersOf(new Refusal("internal_error", "The answer is too large to be sent."));
      message.respond(JSON.stringify({ ok: false, refusal }));
    } catch (error) {
      log.error({ err: error, type }, "a reply could not be sent");
    }
  }

  async #answerBatch(handler: RequestHandler, message: Msg): Promise<void> {
    const startedAt = performance.now();
    this.#begin();
    try {
      const { requests } = requestBatchSchema.parse(message.json());
      const replies = await Promise.all(
        requests.map((raw) => this.#replyTo(handler, () => readBatchedRequest(handler.type, raw), "debug")),
      );
      message.respond(JSON.stringify({ replies }));
      this.#logBatch(handler.type, replies, startedAt);
    } catch (error) {
      this.#parts.log.error({ err: error, type: handler.type.type }, "dropped a malformed batch of requests");
    } finally {
      this.#end();
    }
  }

  /** One line for all requests of a message. At level debug each has a line of its own too. */
  #logBatch({ type }: RequestType, replies: readonly Reply[], startedAt: number): void {
    const outcomes: Record<string, number> = {};
    for (const outcome of replies.map(outcomeOf)) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    this.#parts.log.info(
      { type, requests: replies.length, outcomes, durationMs: millisecondsSince(startedAt) },
      "requests",
    );
  }

  /** Never throws. */
  async #replyTo(
    handler: RequestHandler,
    read: () => IncomingRequest,
    logLevel: "info" | "debug",
  ): Promise<Reply> {
    const { type } = handler.type;
    const startedAt = performance.now();
    this.#begin();
    let reply: Reply;
    let requestId: string | undefined;
    let entered: BookId | undefined;
    try {
      if (this.#inFlight > maxInFlight) {
        throw new Refusal("service_unavailable", "The service is overloaded. Send the request again.");
      }
      const { request, data } = read();
      const { book } = request.caller;
      requestId = request.caller.requestId;
      // It may have waited in this process's socket, or in the broker.
      refuseIfLate(request);
      if (!this.#parts.underWay.enter(book)) throw tooManyUnderWay();
      entered = book;
      const value = await handler.call(data, request);
      const replayed = value instanceof IdempotentReplay;
      reply = { ok: true, value: replayed ? value.value : value, ...(replayed ? { replayed } : {}) };
    } catch (error) {
      reply =
        error instanceof MustTravelAlone
          ? { alone: true }
          : { ok: false, refusal: membersOf(this.#asRefusal(error, handler.type, requestId)) };
    }
    if (entered !== undefined) this.#parts.underWay.leave(entered);
    this.#end();
    const outcome = outcomeOf(reply);
    this.#seconds.observe({ type, outcome }, (performance.now() - startedAt) / 1_000);
    this.#parts.log[logLevel](
      { type, requestId, outcome, durationMs: millisecondsSince(startedAt) },
      "request",
    );
    return reply;
  }

  #begin(): void {
    this.#inFlight += 1;
  }

  #end(): void {
    this.#inFlight -= 1;
    if (this.#inFlight === 0) this.#idle?.();
  }

  #asRefusal(error: unknown, type: RequestType, requestId: string | undefined): Refusal {
    if (error instanceof Refusal) return error;
    const { log } = this.#parts;
    if (isInfrastructureFault(error)) {
      log.warn(
        { err: error, type: type.type, requestId },
        "the database is unavailable or refuses the log-in, or rows stayed locked",
      );
      return new Refusal(
        "service_unavailable",
        "A part of the service is unavailable for a moment. Send the request again, a write with the same Idempotency-Key.",
      );
    }
    log.error({ err: error, type: type.type, requestId }, "a request failed");
    return new Refusal("internal_error", "The service failed. Name the requestId when you report it.");
  }
}

type Reply = z.input<typeof batchedReplySchema>;

function outcomeOf(reply: Reply): string {
  if ("alone" in reply) return "alone";
  return reply.ok ? "answered" : reply.refusal.code;
}

function membersOf({ code, message: detail, errors, context }: Refusal) {
  return { code, detail, errors: errors === undefined ? undefined : [...errors], context };
}

function millisecondsSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 10) / 10;
}

interface IncomingRequest {
  readonly request: RequestContext;
  readonly data: unknown;
}

function readRequest(type: RequestType, message: Msg): IncomingRequest {
  const { caller, idempotency, data } = requestEnvelopeSchema.parse(message.json());
  const traceparent = message.headers?.get("traceparent");
  return {
    request: {
      caller,
      idempotency,
      correlationid: caller.requestId,
      deadline: deadlineIn(message.headers?.get(deadlineHeader)),
      ...(traceparent === undefined || traceparent === "" ? {} : { traceparent }),
    },
    data: type.data.parse(data),
  };
}

function readBatchedRequest(type: RequestType, raw: unknown): IncomingRequest {
  const { data, ...request } = batchedRequestSchema.parse(raw);
  return {
    request: { ...request, correlationid: request.caller.requestId, isBatched: true },
    data: type.data.parse(data),
  };
}
