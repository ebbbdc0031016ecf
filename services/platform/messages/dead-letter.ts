import { createHmac, type KeyObject } from "node:crypto";
import { type DurableConsumer, maxDeadLetterBytes } from "../../../contracts/streams.ts";

/** The stream refuses a larger letter, and its message would be redelivered forever. */
const maxBodyBytes = maxDeadLetterBytes - 1024; // its headers are the rest
/** As a JSON text inside a letter, no character takes more than three bytes. */
const maxTruncatedChars = 80_000;
const maxReasonChars = 2_000;

/** The body of a dead letter: where the message was in its stream, why it failed, and the message itself. */
export function deadLetter(
  envelope: { readonly subject: string; readonly seq: number },
  reason: string,
  message: unknown,
): string {
  const letterOf = (shown: unknown) =>
    JSON.stringify({
      subject: envelope.subject,
      streamSequence: envelope.seq,
      at: new Date().toISOString(),
      reason: reason.slice(0, maxReasonChars),
      message: shown,
    });
  const letter = letterOf(message);
  if (Buffer.byteLength(letter) <= maxBodyBytes) return letter;
  return letterOf(`${JSON.stringify(message).slice(0, maxTruncatedChars)} … (truncated)`);
}

/**
 * The id by which JetStream drops a letter that is written again, because its envelope was redelivered for another
 * message. All services share the stream. If one could guess another's ids, it could use them first, and the stream
 * would drop the other's letters. So they need a key that only the instances of one service have.
 */
export function deadLetterId(
  key: KeyObject,
  { durable, stream }: Pick<DurableConsumer, "durable" | "stream">,
  seq: number,
  part: string,
): string {
  return createHmac("sha256", key)
    .update(JSON.stringify([durable, stream, seq, part]))
    .digest("base64url");
}
