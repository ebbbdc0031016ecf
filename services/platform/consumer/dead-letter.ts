import type { StreamEnvelope } from "./batch.ts";

/** NATS refuses messages above 1 MiB, and a dead letter that it refuses would be redelivered forever. */
const maxMessageChars = 200_000;
const maxReasonChars = 2_000;

/** The body of a dead letter: where the message was in its stream, why it failed, and the message itself. */
export function deadLetter(
  envelope: Pick<StreamEnvelope, "subject" | "seq">,
  reason: string,
  message: unknown,
): string {
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
  return text.length <= maxMessageChars ? message : `${text.slice(0, maxMessageChars)} … (truncated)`;
}
