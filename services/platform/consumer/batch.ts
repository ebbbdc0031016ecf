import { ZodError } from "zod";
import { type AnyMessage, envelopeSchema, type MessageType } from "../../../contracts/message.ts";
import { parseMessage } from "../messages/message.ts";

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

/** An envelope from its delivery until it is acknowledged or returned to the stream. */
export interface InFlight {
  readonly envelope: StreamEnvelope;
  readonly messages: readonly AnyMessage[];
  readonly unreadable: readonly Unreadable[];
  /** How many of its messages failed and need the next delivery, at which the inbox drops the others. */
  failed: number;
}

/** The envelope that each message came in. */
export type EnvelopeOfMessage = ReadonlyMap<AnyMessage, InFlight>;

const decoder = new TextDecoder();

/** Parses an envelope. Never throws: messages that fit no schema are returned as unreadable beside the others. */
export function decodeEnvelope(envelope: StreamEnvelope, types: ReadonlyMap<string, MessageType>): InFlight {
  const type = types.get(envelope.subject.replace(/\.p\d+$/, ""));
  const messages: AnyMessage[] = [];
  const unreadable: Unreadable[] = [];
  const text = decoder.decode(envelope.data);
  try {
    if (type === undefined) throw new TypeError(`no contract consumes ${envelope.subject}`);
    for (const raw of envelopeSchema.parse(JSON.parse(text)).messages) {
      try {
        messages.push(parseMessage(type, raw));
      } catch (error) {
        unreadable.push({ raw, reason: reasonOf(error) });
      }
    }
  } catch (error) {
    unreadable.push({ raw: text, reason: reasonOf(error) });
  }
  return { envelope, messages, unreadable, failed: 0 };
}

/** Names the errors by path; zod's messages show no values. */
function reasonOf(error: unknown): string {
  if (error instanceof ZodError) {
    return error.issues.map((issue) => `${issue.path.join(".") || "message"}: ${issue.message}`).join("; ");
  }
  return error instanceof SyntaxError ? "the message is not JSON" : String(error);
}
