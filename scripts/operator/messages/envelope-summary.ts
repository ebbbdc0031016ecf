import type { AnyMessage } from "../../../contracts/message.ts";

/** What the envelope of a stored message says. Its data is not shown: it may have personal data. */
export interface EnvelopeSummary {
  readonly messageId: string;
  readonly type: string;
  /** The resource that it concerns, such as an order. */
  readonly subject: string;
  readonly time: string;
}

/** `message` is the JSON of a message that a service has parsed before it stored it. */
export function summaryOf(message: string): EnvelopeSummary {
  const { id: messageId, type, subject, time } = JSON.parse(message) as AnyMessage;
  return { messageId, type, subject, time };
}

export function inWords({ messageId, type, subject, time }: EnvelopeSummary): string {
  return `${messageId}  ${type}  ${subject}  ${time}`;
}
