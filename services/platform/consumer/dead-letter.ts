import type { StreamEnvelope } from "./batch.ts";

/** The server takes 1 MiB, and what it refuses would come back for ever. */
const longestCarriedChars = 200_000;
const longestReasonChars = 2_000;

/** What a person reads of a message that could not be handled: where it stood, why, and the message itself. */
export function deadLetter(envelope: StreamEnvelope, reason: string, message: unknown): string {
  return JSON.stringify({
    subject: envelope.subject,
    streamSequence: envelope.seq,
    at: new Date().toISOString(),
    reason: reason.slice(0, longestReasonChars),
    message: carried(message),
  });
}

function carried(message: unknown): unknown {
  const text = JSON.stringify(message);
  return text.length <= longestCarriedChars ? message : `${text.slice(0, longestCarriedChars)} … and so on`;
}
