/** `2026-11-26`, in a year of four digits. */
export function isDay(text: unknown): text is string {
  return typeof text === "string" && /^[12]\d{3}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** When a day begins in the reader's time zone, or the day that is so many days later. */
export function startOfDay(day: string, daysLater = 0): string {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  return new Date(year, month - 1, date + daysLater).toISOString();
}

/**
 * The instant of what a `datetime-local` input holds, which is in the reader's time zone. Undefined for an empty text,
 * and for a year without four digits: `new Date` can't read one of five.
 */
export function instantOf(text: string): string | undefined {
  const at = new Date(text);
  return /^[12]\d{3}-/.test(text) && !Number.isNaN(at.getTime()) ? at.toISOString() : undefined;
}
