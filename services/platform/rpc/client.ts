import { type NatsConnection, TimeoutError } from "@nats-io/transport-node";
import type { z } from "zod";
import { type ErrorCode, errorCatalogue, Refusal } from "../../../contracts/errors.ts";
import {
  type Caller,
  type Idempotency,
  replyEnvelopeSchema,
  type RequestType,
} from "../../../contracts/message.ts";
import { nextTraceparent } from "../observability/traceparent.ts";
import { natsHeaders } from "../nats/connection.ts";
import { deadlineHeader, tooLate, type WithDeadline } from "../handlers/deadline.ts";
import { isNoResponders, type ReplyEnvelope, RequestBatches } from "./request-batches.ts";

export interface RpcCall extends WithDeadline {
  readonly caller: Caller;
  readonly idempotency?: Idempotency | undefined;
  readonly traceparent?: string | undefined;
}

const defaultDeadlineMs = 5_000;

/** Sends requests to other services over core NATS, with one shared inbox for the replies. */
export class RpcClient {
  readonly #nats: NatsConnection;
  /** By subject. */
  readonly #batches = new Map<string, RequestBatches>();

  constructor(nats: NatsConnection) {
    this.#nats = nats;
  }

  /**
   * Returns the owner's answer, parsed with the contract. Refusals: the owner's own; `service_unavailable` at once when
   * no instance is connected; `upstream_timeout` after the deadline. After a time-out the request may have been carried
   * out: repeat it with the same Idempotency-Key. A request that is sent on behalf of another one never waits longer
   * than that one's caller.
   */
  async request<T extends RequestType>(
    type: T,
    from: RpcCall,
    data: z.input<T["data"]>,
    options: { deadlineMs?: number } = {},
  ): Promise<{ value: z.output<T["reply"]>; replayed: boolean }> {
    const sentAt = Date.now();
    const ownDeadline = sentAt + (options.deadlineMs ?? defaultDeadlineMs);
    const deadline = Math.min(ownDeadline, from.deadline ?? ownDeadline);
    if (deadline <= sentAt) throw tooLate();
    const reply = await this.#send(type, from, data, deadline).catch((error: unknown) => {
      throw asRefusal(error);
    });
    if (!reply.ok) throw refusalOf(reply.refusal);
    return {
      value: type.reply.parse(reply.value) as z.output<T["reply"]>,
      replayed: reply.replayed ?? false,
    };
  }

  #send(type: RequestType, from: RpcCall, data: unknown, deadline: number): Promise<ReplyEnvelope> {
    const { caller, idempotency } = from;
    const traceparent = nextTraceparent(from.traceparent);
    const sendAlone = async () => {
      const timeout = Math.max(1, deadline - Date.now());
      const headers = natsHeaders({ traceparent, [deadlineHeader]: String(deadline) });
      const body = JSON.stringify({ caller, idempotency, data });
      const message = await this.#nats.request(type.subject, body, { timeout, headers });
      return replyEnvelopeSchema.parse(message.json());
    };
    if (type.batchSubject === undefined) return sendAlone();
    const body = JSON.stringify({ caller, idempotency, deadline, traceparent, data });
    return this.#batchesOf(type.batchSubject).send({ body, deadline, sendAlone });
  }

  #batchesOf(subject: string): RequestBatches {
    const batches = this.#batches.get(subject) ?? new RequestBatches(this.#nats, subject);
    this.#batches.set(subject, batches);
    return batches;
  }
}

/** A tenant reads these texts, so they name no service. */
function asRefusal(error: unknown): unknown {
  if (isNoResponders(error)) {
    return new Refusal(
      "service_unavailable",
      "A part of the service is not available right now. Send the request again.",
    );
  }
  return error instanceof TimeoutError ? tooLate() : error;
}

function refusalOf(refusal: { code: string; detail: string; errors?: unknown; context?: unknown }): Refusal {
  const code = refusal.code in errorCatalogue ? (refusal.code as ErrorCode) : "internal_error";
  return new Refusal(code, refusal.detail, {
    ...(refusal.errors === undefined ? {} : { errors: refusal.errors as NonNullable<Refusal["errors"]> }),
    ...(refusal.context === undefined ? {} : { context: refusal.context as Record<string, unknown> }),
  });
}
