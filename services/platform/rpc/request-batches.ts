import { type NatsConnection, NoRespondersError, RequestError, TimeoutError } from "@nats-io/transport-node";
import type { z } from "zod";
import {
  maxBatchedRequests,
  maxRequestBatchBytes,
  replyBatchSchema,
  type replyEnvelopeSchema,
} from "../../../contracts/message.ts";
import { MicroBatch } from "../runtime/micro-batch.ts";

/** Later stages process a batch as it was formed here, so an order waits for its batch only once. */
const minIntervalMs = 60;

export type ReplyEnvelope = z.output<typeof replyEnvelopeSchema>;

/** A request that is ready to be sent. */
export interface OutgoingRequest {
  /** JSON of a `batchedRequestSchema`. */
  readonly body: string;
  /** When its caller stops waiting: Unix time in milliseconds. */
  readonly deadline: number;
  /** Sends it in a message of its own. */
  readonly sendAlone: () => Promise<ReplyEnvelope>;
}

interface BatchedRequest extends OutgoingRequest {
  readonly resolve: (reply: ReplyEnvelope | Promise<ReplyEnvelope>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends requests of one type that arrive within 60 ms in one message. A request that finds no other waiting or under
 * way leaves at once, and alone, so a caller that sends one after the other never waits here. Each message costs a
 * write, a read and a wake-up in three processes and a commit, so fewer messages make an order cheaper under load
 * (ADR 41).
 */
export class RequestBatches {
  readonly #nats: NatsConnection;
  readonly #subject: string;
  readonly #sent: MicroBatch<BatchedRequest, undefined>;

  constructor(nats: NatsConnection, subject: string) {
    this.#nats = nats;
    this.#subject = subject;
    this.#sent = new MicroBatch(
      async (requests) => {
        await this.#send(requests);
        return requests.map(() => undefined);
      },
      {
        maxItems: maxBatchedRequests,
        maxInFlight: Infinity,
        minIntervalMs,
        loneAtOnce: true,
        weight: { of: ({ body }) => Buffer.byteLength(body), max: maxRequestBatchBytes },
      },
    );
  }

  /** Returns the owner's reply. Throws like `NatsConnection.request`. */
  send(request: OutgoingRequest): Promise<ReplyEnvelope> {
    return new Promise((resolve, reject) => {
      void this.#sent.add({ ...request, resolve, reject });
    });
  }

  /** Resolves once their message is answered; those that must travel alone may still be under way. Never throws. */
  async #send(requests: readonly BatchedRequest[]): Promise<void> {
    const [only] = requests;
    if (requests.length === 1 && only !== undefined) {
      await sendAlone(only);
      return;
    }
    const waits = requests.map(({ deadline }) => Math.max(1, deadline - Date.now()));
    // None waits longer than its own caller, even if another one of the batch does.
    const timers = requests.map(({ reject }, index) =>
      setTimeout(() => reject(new TimeoutError()), waits[index]),
    );
    try {
      const timeout = Math.max(...waits);
      const body = `{"requests":[${requests.map((request) => request.body).join(",")}]}`;
      const message = await this.#nats.request(this.#subject, body, { timeout });
      const { replies } = replyBatchSchema.parse(message.json());
      requests.forEach((request, index) => {
        const reply = replies[index];
        if (reply === undefined) throw new Error(`${this.#subject} was answered with too few replies`);
        if ("alone" in reply) void sendAlone(request);
        else request.resolve(reply);
      });
    } catch (error) {
      // Nobody received it: perhaps every instance is of a version that reads no batches.
      const wasReceived = !isNoResponders(error);
      for (const request of requests) {
        if (wasReceived) request.reject(error);
        else void sendAlone(request);
      }
    } finally {
      timers.forEach(clearTimeout);
    }
  }
}

/** Sends nothing once the caller has stopped waiting. Resolves when the request has ended. Never throws. */
async function sendAlone(request: BatchedRequest): Promise<void> {
  if (Date.now() >= request.deadline) return request.reject(new TimeoutError());
  const reply = request.sendAlone();
  request.resolve(reply);
  // The timer of its batch may have refused it before: then nobody else takes this failure.
  await reply.catch(() => undefined);
}

/** True when no instance of the receiver is connected. */
export function isNoResponders(error: unknown): boolean {
  return error instanceof NoRespondersError || (error instanceof RequestError && error.isNoResponders());
}
