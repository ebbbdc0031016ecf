import type { StreamMessage } from "./batch.ts";

/** The server takes 1 MiB, and what it refuses would come back for ever. */
const longestCarriedChars = 200_000;
const longestReasonChars = 2_000;

/** What a person reads of a fact that could not be handled: where it stood, why, and the fact itself. */
export function deadLetter(message: StreamMessage, reason: string, fact: unknown): string {
  return JSON.stringify({
    subject: message.subject,
    streamSequence: message.seq,
    at: new Date().toISOString(),
    reason: reason.slice(0, longestReasonChars),
    fact: carried(fact),
  });
}

function carried(fact: unknown): unknown {
  const text = JSON.stringify(fact);
  return text.length <= longestCarriedChars ? fact : `${text.slice(0, longestCarriedChars)} … and so on`;
}
