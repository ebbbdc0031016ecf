import type { z } from "zod";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { newUuid, uuidOf } from "../../../contracts/ids/ids.ts";
import {
  type AnnouncementType,
  type AnyMessage,
  messageSchema,
  type Message,
  type MessageType,
} from "../../../contracts/message.ts";
import { nextTraceparent } from "../observability/traceparent.ts";

/** What caused a message: another message, or a caller's request. */
export interface Cause {
  readonly correlationid: string;
  readonly id?: string | undefined;
  readonly traceparent?: string | undefined;
}

export interface MessageInput<T extends MessageType | AnnouncementType> {
  readonly book: BookId;
  /** The id of the resource that the message is about. */
  readonly subject: string;
  readonly data: z.input<T["data"]>;
  /** The resource's version, where it numbers its messages. */
  readonly sequence?: number;
  readonly cause?: Cause;
}

/** Builds a message and validates it, so that no invalid message is ever sent. */
export function createMessage<T extends MessageType | AnnouncementType>(
  type: T,
  input: MessageInput<T>,
): Message<T> {
  const { book, subject, sequence, cause } = input;
  const id = newUuid();
  // Added one by one: spread members would cost more.
  const message = { id, type: type.type, time: timeNow(), book, subject } as Message<T>;
  if (sequence !== undefined) message.sequence = sequence;
  message.correlationid = cause?.correlationid ?? id;
  if (cause?.id !== undefined) message.causationid = cause.id;
  message.traceparent = nextTraceparent(cause?.traceparent);
  message.data = type.data.parse(input.data) as z.infer<T["data"]>;
  return message;
}

let textedMs = 0;
let text = "";

/** Now, as text: made once per millisecond, because the messages of a batch share it. */
function timeNow(): string {
  const now = Date.now();
  if (now !== textedMs) {
    textedMs = now;
    text = new Date(now).toISOString();
  }
  return text;
}

/**
 * Parses one message with its contract. Throws a ZodError that names the invalid fields and shows no value, or a
 * TypeError if the message is of another type.
 */
export function parseMessage(type: MessageType, raw: unknown): AnyMessage {
  const message = messageSchema.parse(raw);
  if (message.type !== type.type) throw new TypeError(`${message.type} on the subject of ${type.type}`);
  return { ...message, data: type.data.parse(message.data) };
}

/** All of a book's messages use one partition. Hashed (FNV-1a), because uuids created together begin alike. */
export function partitionOf(book: BookId, partitions: number): string {
  let hash = 0x811c9dc5;
  for (const char of uuidOf(book)) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193) >>> 0;
  return `p${String(hash % partitions).padStart(2, "0")}`;
}

/** The subject of a message's type: without the partition that `partitionOf` gave it. */
export function withoutPartition(subject: string): string {
  return subject.replace(/\.p\d+$/, "");
}
