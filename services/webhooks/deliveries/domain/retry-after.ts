const daysOfTheWeek = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * How long a receiver asks us to wait by its `Retry-After` (RFC 9110, 10.2.3: seconds, or one of three forms of an HTTP
 * date), in ms from `now`. 0 if it asks for nothing, for a time that has passed, or in a way that can't be read.
 */
export function askedPauseMs(header: string | readonly string[] | undefined, now: Date): number {
  const text = (typeof header === "string" ? header : header?.[0])?.trim() ?? "";
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000;
  if (!daysOfTheWeek.test(text)) return 0;
  // The asctime form names no zone. All forms are in UTC.
  const atMs = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(atMs) ? 0 : Math.max(0, atMs - now.getTime());
}
