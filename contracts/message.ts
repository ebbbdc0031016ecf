import { z } from "zod";
import { mode } from "./rails/rails.ts";
import { idSchema } from "./ids/ids.ts";

/** The services that have a NATS user. `rails` is the port that rails-simulator implements for Test books. */
export const services = ["gateway", "orders", "ledger", "rails", "webhooks"] as const;
export type Service = (typeof services)[number];

interface Contract<Kind extends string, Data extends z.ZodType> {
  readonly kind: Kind;
  /** e.g. `ledger.place-hold.v1`: carried by every message, the key of golden files and metrics. */
  readonly type: string;
  /** The NATS subject. Commands and events add their partition, `.pNN`. */
  readonly subject: string;
  /** The receiver of a command or request; the sender of an event or announcement. */
  readonly owner: Service;
  readonly data: Data;
}
export interface CommandType<D extends z.ZodType = z.ZodType> extends Contract<"command", D> {}
export interface EventType<D extends z.ZodType = z.ZodType> extends Contract<"event", D> {
  /** Applied before earlier messages of its book (`overtakingEvent`). */
  readonly overtakes?: true;
}
export interface RequestType<D extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType>
  extends Contract<"request", D> {
  readonly reply: R;
  /** Several requests of this type may travel in one message on this subject. Without it each travels alone. */
  readonly batchSubject?: string;
}
export interface AnnouncementType<D extends z.ZodType = z.ZodType> extends Contract<"announcement", D> {}
/** The type of a message that a stream carries: a command or an event. */
export type MessageType<D extends z.ZodType = z.ZodType> = CommandType<D> | EventType<D>;

/** Defines a command: one service must act on it. Stream CMD. */
export function command<D extends z.ZodType>(owner: Service, name: string, data: D): CommandType<D> {
  return { kind: "command", owner, type: `${owner}.${name}.v1`, subject: `cmd.${owner}.${name}.v1`, data };
}

/** Defines an event: its owner reports what happened to every service that consumes it. Stream EVT. */
export function event<D extends z.ZodType>(owner: Service, name: string, data: D): EventType<D> {
  return { kind: "event", owner, type: `${owner}.${name}.v1`, subject: `evt.${owner}.${name}.v1`, data };
}

/**
 * Defines an event that a consumer applies before the other messages of a batch, and also while messages of its book
 * wait or are set aside: it must stop what those may cause. So it may arrive in any order, and twice. Its messages have
 * a `sequence`, and only the highest one is in force.
 */
export function overtakingEvent<D extends z.ZodType>(owner: Service, name: string, data: D): EventType<D> {
  return { ...event(owner, name, data), overtakes: true };
}

/**
 * Defines an event that webhooks alone consumes, to notify tenants. Stream NTF: while webhooks is down only this stream
 * fills, and money moves on.
 */
export function notification<D extends z.ZodType>(owner: Service, name: string, data: D): EventType<D> {
  return { ...event(owner, name, data), subject: `ntf.${owner}.${name}.v1` };
}

/**
 * Defines an announcement: over core NATS, its owner tells the instances that listen at that moment that something has
 * changed. No outbox and no stream keeps it, so it costs next to nothing. A screen that misses one is stale for longer.
 */
export function announcement<D extends z.ZodType>(
  owner: Service,
  name: string,
  data: D,
): AnnouncementType<D> {
  const type = `${owner}.${name}.v1`;
  return { kind: "announcement", owner, type, subject: `live.${type}`, data };
}

/** Defines a request: its caller waits for the reply, over core NATS. */
export function request<D extends z.ZodType, R extends z.ZodType>(
  owner: Service,
  name: string,
  data: D,
  reply: R,
): RequestType<D, R> {
  return {
    kind: "request",
    owner,
    type: `${owner}.${name}.v1`,
    subject: `rpc.${owner}.${name}.v1`,
    data,
    reply,
  };
}

/** Defines a request whose callers send several in one message under load. Its handler must answer in milliseconds. */
export function batchedRequest<D extends z.ZodType, R extends z.ZodType>(
  owner: Service,
  name: string,
  data: D,
  reply: R,
): RequestType<D, R> {
  return { ...request(owner, name, data, reply), batchSubject: `rpc.${owner}.${name}.v1.batch` };
}

/** One message on the wire, with CloudEvents' attribute names where they exist. */
export const messageSchema = z.object({
  /** Unique; the inbox key. A public event's `evt_` id is this uuid. */
  id: z.uuid(),
  type: z.string(),
  time: z.iso.datetime(),
  book: idSchema("book"),
  /** The id of the resource that it concerns (an order, an API key). */
  subject: z.string(),
  /** The resource's own count of its messages, where it has one: receivers detect gaps and order by it. */
  sequence: z.int32().optional(),
  correlationid: z.string(),
  causationid: z.string().optional(),
  traceparent: z.string().optional(),
  /** Set if the book has a clock of its own. An advance of that clock waits until every consumer has handled it. */
  bookclock: z.literal(true).optional(),
  data: z.unknown(),
});
export type AnyMessage = z.infer<typeof messageSchema>;
export type Message<T extends MessageType | AnnouncementType> = Omit<AnyMessage, "data"> & {
  data: z.infer<T["data"]>;
};

/**
 * 1–100 messages of one type, at most 256 KiB, that travel together. Each message keeps its own identity and outcome.
 */
export const envelopeSchema = z.object({ messages: z.array(z.unknown()).min(1).max(100) });
export const maxEnvelopeMessages = 100;
export const maxEnvelopeBytes = 256 * 1024;

/**
 * The caller, as the gateway resolved it from the API key or the session. Services trust the gateway's NATS user for
 * it.
 */
export const callerSchema = z.object({
  book: idSchema("book"),
  tenant: idSchema("ten"),
  mode,
  principal: z.string(),
  requestId: z.string(),
});
export type Caller = z.infer<typeof callerSchema>;

/** The caller's Idempotency-Key, and the HMAC of what the key is bound to. */
export const idempotencySchema = z.object({ key: z.string(), fingerprint: z.string() });
export type Idempotency = z.infer<typeof idempotencySchema>;

export const requestEnvelopeSchema = z.object({
  caller: callerSchema,
  idempotency: idempotencySchema.optional(),
  data: z.unknown(),
});

/** A business refusal as the tenant gets it: a code of the catalogue, how to clear it, and context members. */
export const refusalSchema = z.object({
  code: z.string(),
  detail: z.string(),
  errors: z.array(z.object({ pointer: z.string(), code: z.string(), message: z.string() })).optional(),
  context: z.record(z.string(), z.unknown()).optional(),
});

export const replyEnvelopeSchema = z.union([
  z.object({ ok: z.literal(true), value: z.unknown(), replayed: z.boolean().optional() }),
  z.object({ ok: z.literal(false), refusal: refusalSchema }),
]);

/** A request in a batch has in its body what the headers of a request that travels alone say. */
export const batchedRequestSchema = requestEnvelopeSchema.extend({
  deadline: z.int().optional(),
  traceparent: z.string().optional(),
});
/** How many requests a sender puts into a batch. A receiver has no limit, because a later release may send more. */
export const maxBatchedRequests = 64;
export const maxRequestBatchBytes = 256 * 1024;

/** Requests of one type that travel together. Each is parsed alone: a malformed one harms no other. */
export const requestBatchSchema = z.object({ requests: z.array(z.unknown()).min(1) });

/**
 * One reply per request of a batch, in order. `alone` means that nothing was done, because the request would have had
 * to wait for another service: the caller sends it again alone, so that the others' replies don't wait for it.
 */
export const batchedReplySchema = z.union([replyEnvelopeSchema, z.object({ alone: z.literal(true) })]);
export const replyBatchSchema = z.object({ replies: z.array(batchedReplySchema) });
