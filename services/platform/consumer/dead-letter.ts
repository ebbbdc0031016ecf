import type { StreamEnvelope } from "./batch.ts";

/** The server takes 1 MiB, and what it refuses would come back for ever. */
const maxMessageChars = 200_000;
const maxReasonChars = 2_000;

/** What a person reads of a message that could not be handled: where it stood, why, and the message itself. */
export function deadLetter(envelope: StreamEnvelope, reason: string, message: unknown): string {
  return JSON.stringify({
    subject: envelope.subject,
    streamSequence: envelope.seq,
    at: new Date().toISOString(),
    reason: reason.slice(0, maxReasonChars),
    message: truncated(message),
  });
}

function truncated(message: unknown): unknown {
  const text = JSON.stringify(message);
  return text.length <= maxMessageChars ? message : `${text.slice(0, maxMessageChars)} … and so on`;
}
