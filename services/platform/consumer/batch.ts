import { ZodError } from "zod";
import { type AnyMessage, envelopeSchema, type MessageType } from "../../../contracts/message.ts";
import { parseMessage } from "../messages/message.ts";

/** The part of a JetStream message that consuming needs (JsMsg has it). */
export interface StreamEnvelope {
  readonly subject: string;
  readonly seq: number;
  readonly info: { readonly deliveryCount: number };
  data: Uint8Array;
  ack(): void;
  nak(delayMs?: number): void;
  working(): void;
}

/** A message that can never be handled, and why. */
export interface Unreadable {
  readonly raw: unknown;
  readonly reason: string;
}

/** One message while it is in hand: what of it still has to be done before it may be acknowledged. */
export interface InFlight {
  readonly envelope: StreamEnvelope;
  readonly messages: readonly AnyMessage[];
  readonly unreadable: readonly Unreadable[];
  /** Messages that failed and wait for the message's next delivery; the others are in the inbox by then. */
  failed: number;
}

/** The envelope that each message came in. */
export type EnvelopeOfMessage = ReadonlyMap<AnyMessage, InFlight>;

const decoder = new TextDecoder();

/** Takes a message apart. Nothing here throws: what fits no schema is unreadable, and the rest flows on. */
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

/** Names the faults by path; zod's messages show no values. */
function reasonOf(error: unknown): string {
  if (error instanceof ZodError) {
    return error.issues.map((issue) => `${issue.path.join(".") || "message"}: ${issue.message}`).join("; ");
  }
  return error instanceof SyntaxError ? "the message is not JSON" : String(error);
}
