import type { Msg, NatsConnection, Subscription } from "@nats-io/transport-node";
import type { Logger } from "pino";
import { Refusal } from "../../../contracts/errors.ts";
import { type RequestType, requestEnvelopeSchema, type Service } from "../../../contracts/message.ts";
import type { Metrics } from "../observability/metrics.ts";
import { isInfrastructureFault } from "../persistence/infrastructure-fault.ts";
import { type RequestContext, IdempotentReplay } from "../handlers/decorators.ts";

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
}

/** Answers requests over core NATS: all instances of a service share the work by its queue group. */
export class RpcServer {
  readonly #parts: RpcServerOptions;
  readonly #subscriptions: Subscription[];
  readonly #seconds;
  #inFlight = 0;
  #idle: (() => void) | undefined;

  constructor(parts: RpcServerOptions, handlers: readonly RequestHandler[]) {
    this.#parts = parts;
    this.#seconds = parts.metrics.histogram("request_seconds", "Requests answered", ["type", "outcome"]);
    this.#subscriptions = handlers.map((handler) =>
      parts.nats.subscribe(handler.type.subject, {
        queue: parts.service,
        callback: (error, message) => {
          if (error) parts.log.error({ err: error, type: handler.type.type }, "a subscription failed");
          // The server checks what a user publishes, not where it asks replies to go: a pull of stream messages with
          // our subject as its reply arrives here under the stream's subject. It is nobody's request.
          else if (message.subject !== handler.type.subject) {
            parts.log.error({ subject: message.subject, type: handler.type.type }, "not a request: dropped");
          } else void this.#answer(handler, message);
        },
      }),
    );
  }

  /** Takes no more, and ends when what is in hand is answered. */
  async stop(): Promise<void> {
    // A connection that is gone needs no draining: its subscriptions went with it.
    await Promise.allSettled(this.#subscriptions.map((subscription) => subscription.drain()));
    if (this.#inFlight > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
  }

  async #answer(handler: RequestHandler, message: Msg): Promise<void> {
    const startedAt = performance.now();
    this.#inFlight += 1;
    let outcome = "answered";
    let requestId: string | undefined;
    try {
      if (this.#inFlight > maxInFlight) {
        throw new Refusal(
          "service_unavailable",
          "The service has more to do than it can. Send the request again.",
        );
      }
      const { request, data } = readRequest(handler.type, message);
      requestId = request.caller.requestId;
      const value = await handler.call(data, request);
      const replayed = value instanceof IdempotentReplay;
      respond(message, {
        ok: true,
        value: replayed ? value.value : value,
        ...(replayed ? { replayed } : {}),
      });
    } catch (error) {
      const refusal = this.#asRefusal(error, handler.type, requestId);
      outcome = refusal.code;
      const { code, message: detail, errors, context } = refusal;
      respond(message, { ok: false, refusal: { code, detail, errors, context } });
    } finally {
      const durationMs = performance.now() - startedAt;
      this.#seconds.observe({ type: handler.type.type, outcome }, durationMs / 1_000);
      this.#parts.log.info(
        { type: handler.type.type, requestId, outcome, durationMs: Math.round(durationMs * 10) / 10 },
        "request",
      );
      this.#inFlight -= 1;
      if (this.#inFlight === 0) this.#idle?.();
    }
  }

  #asRefusal(error: unknown, type: RequestType, requestId: string | undefined): Refusal {
    if (error instanceof Refusal) return error;
    const { log, service } = this.#parts;
    if (isInfrastructureFault(error)) {
      log.warn({ err: error, type: type.type, requestId }, "the database is away");
      return new Refusal(
        "service_unavailable",
        `${service} can't reach its database. It may have been done: send the request again with the same Idempotency-Key.`,
      );
    }
    log.error({ err: error, type: type.type, requestId }, "a request failed");
    return new Refusal(
      "internal_error",
      "The service failed; the request id finds the cause. Send the request again only with the same Idempotency-Key.",
    );
  }
}

function readRequest(type: RequestType, message: Msg): { request: RequestContext; data: unknown } {
  const envelope = requestEnvelopeSchema.parse(message.json());
  const traceparent = message.headers?.get("traceparent");
  return {
    request: {
      caller: envelope.caller,
      idempotency: envelope.idempotency,
      correlationid: envelope.caller.requestId,
      ...(traceparent === undefined || traceparent === "" ? {} : { traceparent }),
    },
    data: type.data.parse(envelope.data),
  };
}

function respond(message: Msg, reply: object): void {
  message.respond(JSON.stringify(reply));
}
