import { z } from "zod";
import { mode } from "./rails/rails.ts";
import { idSchema } from "./ids/ids.ts";

/** The services that hold a NATS user. `rails` is the port: rails-simulator answers for it in Test books. */
export const services = ["gateway", "orders", "ledger", "rails", "webhooks"] as const;
export type Service = (typeof services)[number];

interface Contract<Kind extends string, Data extends z.ZodType> {
  readonly kind: Kind;
  /** e.g. `ledger.place-hold.v1`: carried by every message, the key of golden files and metrics. */
  readonly type: string;
  /** The NATS subject; commands and events are published with `.pNN`, the partition, behind it. */
  readonly subject: string;
  /** Who answers for it: the receiver of a command or request, the sender of an event. */
  readonly owner: Service;
  readonly data: Data;
}
export interface CommandType<D extends z.ZodType = z.ZodType> extends Contract<"command", D> {}
export interface EventType<D extends z.ZodType = z.ZodType> extends Contract<"event", D> {}
export interface RequestType<D extends z.ZodType = z.ZodType, R extends z.ZodType = z.ZodType>
  extends Contract<"request", D> {
  readonly reply: R;
}
/** What a stream carries: commands and events. */
export type MessageType<D extends z.ZodType = z.ZodType> = CommandType<D> | EventType<D>;

/** A durable order to one service: stream CMD. */
export function command<D extends z.ZodType>(owner: Service, name: string, data: D): CommandType<D> {
  return { kind: "command", owner, type: `${owner}.${name}.v1`, subject: `cmd.${owner}.${name}.v1`, data };
}

/** A message that one service tells everybody: stream EVT. */
export function event<D extends z.ZodType>(owner: Service, name: string, data: D): EventType<D> {
  return { kind: "event", owner, type: `${owner}.${name}.v1`, subject: `evt.${owner}.${name}.v1`, data };
}

/** A question that a caller waits for, over core NATS. */
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

/** One message on the wire, with CloudEvents' attribute names where they exist. */
export const messageSchema = z.object({
  /** Unique for ever; the inbox key. A public event's `evt_` id is this uuid. */
  id: z.uuid(),
  type: z.string(),
  time: z.iso.datetime(),
  book: idSchema("book"),
  /** The id of what it is about (an order, a key) … */
  subject: z.string(),
  /** … and that thing's version, where it numbers its messages: receivers see gaps by it. */
  sequence: z.int32().optional(),
  correlationid: z.string(),
  causationid: z.string().optional(),
  traceparent: z.string().optional(),
  data: z.unknown(),
});
export type AnyMessage = z.infer<typeof messageSchema>;
export type Message<T extends MessageType> = Omit<AnyMessage, "data"> & { data: z.infer<T["data"]> };

/** A message: 1–100 messages of one type, at most 256 KiB. The envelope is only how messages travel. */
export const envelopeSchema = z.object({ messages: z.array(z.unknown()).min(1).max(100) });
export const maxEnvelopeMessages = 100;
export const maxEnvelopeBytes = 256 * 1024;

/** Who asks: resolved from the API key by the gateway; services trust the gateway's NATS user for it. */
export const callerSchema = z.object({
  book: idSchema("book"),
  tenant: idSchema("ten"),
  mode,
  principal: z.string(),
  requestId: z.string(),
});
export type Caller = z.infer<typeof callerSchema>;

/** The caller's Idempotency-Key and the HMAC of method, path and canonical body that it first came with. */
export const idempotencySchema = z.object({ key: z.string(), fingerprint: z.string() });
export type Idempotency = z.infer<typeof idempotencySchema>;

export const requestEnvelopeSchema = z.object({
  caller: callerSchema,
  idempotency: idempotencySchema.optional(),
  data: z.unknown(),
});

/** A business refusal, as it goes to the tenant: a code of the catalogue, what clears it, and context members. */
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
