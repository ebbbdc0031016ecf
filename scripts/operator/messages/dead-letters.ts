/** What an operator may do with a dead letter. A service wrote it, and may be compromised: nothing in it is trusted. */
import { z } from "zod";
import { type AnyMessage, type Service, services } from "../../../contracts/message.ts";
import { streamOf } from "../../../contracts/streams.ts";
import { topology } from "../../../contracts/topology.ts";
import { parseMessage } from "../../../services/platform/messages/message.ts";

const letterSchema = z.object({
  subject: z.string(),
  at: z.string(),
  reason: z.string(),
  /** A message, or the value that was received instead of one. */
  message: z.unknown(),
});
export type DeadLetter = z.infer<typeof letterSchema>;

/** The letter, or undefined if it is none: then it can only be shown and dropped. */
export function readLetter(text: string): DeadLetter | undefined {
  try {
    return letterSchema.parse(JSON.parse(text));
  } catch {
    return undefined; // no JSON, or JSON of another shape
  }
}

export interface Redrive {
  readonly consumer: Service;
  readonly subject: string;
  readonly message: AnyMessage;
}

/**
 * Where a dead letter may be sent again, and what. NATS lets only the consumer itself write `dlq.<consumer>.<stream>`,
 * so that name is true. The rest is compared with the topology: otherwise a service could have the operator send a
 * message that the service may not send itself. Throws an error that says what is wrong.
 */
export function redriveOf(letterSubject: string, text: string): Redrive {
  const [, name, stream] = letterSubject.split(".");
  const consumer = services.find((service) => service === name);
  if (consumer === undefined) throw new Error(`${letterSubject} is the dead letter of no consumer`);
  const letter = readLetter(text);
  if (letter === undefined || typeof letter.message !== "object" || letter.message === null) {
    throw new Error(
      "this dead letter holds no message, so it can't be sent again. Read it with `show`, delete it with `drop`",
    );
  }
  const type = topology[consumer].consumes.find(
    (consumed) =>
      streamOf(consumed.subject).toLowerCase() === stream &&
      /^\.p\d\d$/.test(letter.subject.slice(consumed.subject.length)) &&
      letter.subject.startsWith(consumed.subject),
  );
  if (type === undefined) {
    throw new Error(
      `${consumer} does not consume ${letter.subject} from ${stream ?? "?"}: drop this dead letter`,
    );
  }
  try {
    return { consumer, subject: letter.subject, message: parseMessage(type, letter.message) };
  } catch (error) {
    const issues = error instanceof z.ZodError ? error.issues : [];
    const reason = issues.map(({ path, message }) => `${path.join(".") || "message"}: ${message}`).join("; ");
    throw new Error(`its message is no ${type.type}: ${reason || String(error)}`, { cause: error });
  }
}
