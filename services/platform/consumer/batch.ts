import { ZodError } from "zod";
import { type AnyFact, envelopeSchema, type FactType } from "../../../contracts/message.ts";
import { parseFact } from "../messages/message.ts";

/** The part of a JetStream message that consuming needs (JsMsg has it). */
export interface StreamMessage {
  readonly subject: string;
  readonly seq: number;
  readonly info: { readonly deliveryCount: number };
  data: Uint8Array;
  ack(): void;
  nak(delayMs?: number): void;
  working(): void;
}

/** A fact that can never be handled, and why. */
export interface Unreadable {
  readonly raw: unknown;
  readonly reason: string;
}

/** One message while it is in hand: what of it still has to be done before it may be acknowledged. */
export interface InHand {
  readonly message: StreamMessage;
  readonly facts: readonly AnyFact[];
  readonly unreadable: readonly Unreadable[];
  /** Facts that failed and wait for the message's next delivery; the others are in the inbox by then. */
  failed: number;
}

const decoder = new TextDecoder();

/** Takes a message apart. Nothing here throws: what fits no schema is unreadable, and the rest flows on. */
export function open(message: StreamMessage, types: ReadonlyMap<string, FactType>): InHand {
  const type = types.get(message.subject.replace(/\.p\d+$/, ""));
  const facts: AnyFact[] = [];
  const unreadable: Unreadable[] = [];
  const text = decoder.decode(message.data);
  try {
    if (type === undefined) throw new TypeError(`no contract consumes ${message.subject}`);
    for (const raw of envelopeSchema.parse(JSON.parse(text)).facts) {
      try {
        facts.push(parseFact(type, raw));
      } catch (error) {
        unreadable.push({ raw, reason: reasonOf(error) });
      }
    }
  } catch (error) {
    unreadable.push({ raw: text, reason: reasonOf(error) });
  }
  return { message, facts, unreadable, failed: 0 };
}

/** Names the faults by path; zod's messages show no values. */
function reasonOf(error: unknown): string {
  if (error instanceof ZodError) {
    return error.issues.map((issue) => `${issue.path.join(".") || "message"}: ${issue.message}`).join("; ");
  }
  return error instanceof SyntaxError ? "the message is not JSON" : String(error);
}
