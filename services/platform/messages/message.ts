import type { z } from "zod";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  type AnyMessage,
  messageSchema,
  type Message,
  type MessageType,
} from "../../../contracts/message.ts";
import { nextTraceparent } from "../observability/traceparent.ts";

/** What a message follows from: another message, or a caller's request. */
export interface Cause {
  readonly correlationid: string;
  readonly id?: string | undefined;
  readonly traceparent?: string | undefined;
}

export interface MessageInput<T extends MessageType> {
  readonly book: BookId;
  /** The id of what the message is about. */
  readonly subject: string;
  readonly data: z.input<T["data"]>;
  /** The subject's version, where it numbers its messages. */
  readonly sequence?: number;
  readonly cause?: Cause;
}

/** Builds a message and parses it with the contract: what does not fit its own schema never leaves. */
export function createMessage<T extends MessageType>(type: T, input: MessageInput<T>): Message<T> {
  const id = newUuid();
  return {
    id,
    type: type.type,
    time: new Date().toISOString(),
    book: input.book,
    subject: input.subject,
    ...(input.sequence === undefined ? {} : { sequence: input.sequence }),
    correlationid: input.cause?.correlationid ?? id,
    ...(input.cause?.id === undefined ? {} : { causationid: input.cause.id }),
    traceparent: nextTraceparent(input.cause?.traceparent),
    data: type.data.parse(input.data) as z.infer<T["data"]>,
  };
}

/** Reads one message with its contract. Throws a ZodError that names the faults and shows no value. */
export function parseMessage(type: MessageType, raw: unknown): AnyMessage {
  const message = messageSchema.parse(raw);
  return { ...message, data: type.data.parse(message.data) };
}

/** A book stays in one partition: FNV-1a over its uuid, so that the spread does not hang on creation time. */
export function partitionOf(book: BookId, partitions: number): string {
  let hash = 0x811c9dc5;
  for (const char of uuidOf(book)) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0;
  return `p${String(hash % partitions).padStart(2, "0")}`;
}
