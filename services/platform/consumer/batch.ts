import type { Logger } from "pino";
import { ZodError } from "zod";
import { type AnyMessage, envelopeSchema, type MessageType } from "../../../contracts/message.ts";
import type { DurableConsumer } from "../../../contracts/streams.ts";
import { parseMessage, withoutPartition } from "../messages/message.ts";
import { needsNewerVersion } from "../messages/newer-version.ts";

/** The part of a JetStream message (`JsMsg`) that the consumer uses. */
export interface StreamEnvelope {
  readonly subject: string;
  readonly seq: number;
  readonly info: { readonly deliveryCount: number };
  data: Uint8Array;
  ack(): void;
  nak(delayMs?: number): void;
  working(): void;
}

/** A message that no contract can read, and why. */
export interface Unreadable {
  readonly raw: unknown;
  readonly reason: string;
}

/** A message of a newer version of its sender: a type or an enum value that this version does not know. */
export interface Unknown {
  readonly reason: string;
}

/** An envelope from its delivery until it is acknowledged or returned to the stream. */
export interface InFlight {
  readonly envelope: StreamEnvelope;
  readonly messages: readonly AnyMessage[];
  readonly unreadable: readonly Unreadable[];
  readonly unknown: readonly Unknown[];
  /** How many of its messages failed and need the next delivery, at which the inbox drops the others. */
  failed: number;
  /** How many of its messages wait with their book. It is neither acknowledged nor returned before. */
  waiting: number;
}

/** The envelope that each message came in. */
export type EnvelopeOfMessage = ReadonlyMap<AnyMessage, InFlight>;

/** True if the message came before, or comes again if the process ends while others of its envelope wait. */
export function isRedelivered(inFlight: InFlight | undefined): boolean {
  return inFlight === undefined || inFlight.envelope.info.deliveryCount > 1 || inFlight.waiting > 0;
}

const decoder = new TextDecoder();

/**
 * Parses an envelope. Never throws: beside the messages it returns those that no version can read, and those that need
 * a newer one.
 */
export function decodeEnvelope(envelope: StreamEnvelope, types: ReadonlyMap<string, MessageType>): InFlight {
  const subject = withoutPartition(envelope.subject);
  const type = types.get(subject);
  const messages: AnyMessage[] = [];
  const unreadable: Unreadable[] = [];
  const unknown: Unknown[] = [];
  const text = decoder.decode(envelope.data);
  try {
    if (type === undefined) unknown.push({ reason: `no contract consumes ${subject}` });
    else {
      for (const raw of envelopeSchema.parse(JSON.parse(text)).messages) {
        try {
          messages.push(parseMessage(type, raw));
        } catch (error) {
          const known = [...types.values()].map((its) => its.type);
          if (needsNewerVersion(type, known, raw)) unknown.push({ reason: reasonOf(error) });
          else unreadable.push({ raw, reason: reasonOf(error) });
        }
      }
    }
  } catch (error) {
    unreadable.push({ raw: text, reason: reasonOf(error) });
  }
  return { envelope, messages, unreadable, unknown, failed: 0, waiting: 0 };
}

/** Names the errors by path; zod's messages show no values. */
function reasonOf(error: unknown): string {
  if (error instanceof ZodError) {
    return error.issues.map((issue) => `${issue.path.join(".") || "message"}: ${issue.message}`).join("; ");
  }
  return error instanceof SyntaxError ? "the message is not JSON" : String(error);
}

/**
 * Logs one line per batch: a line per message cost more than the message's own parsing. At level debug each message has
 * a line too, with what it is about and its trace.
 */
export function logBatch(
  { log, config: { stream } }: { readonly log: Logger; readonly config: DurableConsumer },
  ended: readonly InFlight[],
  batch: { readonly messages: number; readonly durationMs: number },
): void {
  const sum = (count: (inFlight: InFlight) => number) =>
    ended.reduce((total, inFlight) => total + count(inFlight), 0);
  log.info(
    {
      stream,
      ...batch,
      envelopes: ended.length,
      redelivered: sum(({ envelope }) => (envelope.info.deliveryCount > 1 ? 1 : 0)),
      unreadable: sum(({ unreadable }) => unreadable.length),
      unknown: sum(({ unknown }) => unknown.length),
      failed: sum(({ failed }) => failed),
    },
    "batch",
  );
  if (!log.isLevelEnabled("debug")) return;
  for (const { envelope, messages } of ended) {
    for (const { id: messageId, type, subject: resource, book, correlationid, traceparent } of messages) {
      log.debug(
        {
          messageId,
          type,
          resource,
          book,
          correlationId: correlationid,
          traceparent,
          subject: envelope.subject,
          streamSequence: envelope.seq,
          deliveries: envelope.info.deliveryCount,
        },
        "message",
      );
    }
  }
}
