const day = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short", year: "numeric" });
const time = new Intl.DateTimeFormat("en-US", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const zone = new Intl.DateTimeFormat("en-US", { timeZoneName: "short" });
const milliseconds = new Intl.DateTimeFormat("en-US", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
  hourCycle: "h23",
});
const bankingDay = new Intl.DateTimeFormat("en-US", {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});
const bankingDate = new Intl.DateTimeFormat("en-US", {
  weekday: "short",
  day: "numeric",
  month: "short",
  year: "numeric",
  timeZone: "UTC",
});

const formats = {
  day: (at: Date) => day.format(at),
  time: timeWithZone,
  milliseconds: (at: Date) => milliseconds.format(at),
  both: (at: Date) => `${day.format(at)}, ${timeWithZone(at)}`,
} as const;

/**
 * A moment in the reader's own zone, which it names; hovering shows it in UTC. Times of the book are shown as moments,
 * never as ages: the book's clock may differ from the reader's.
 */
export function Moment({ at, as = "both" }: { at: string; as?: keyof typeof formats }) {
  return (
    <time className="num" dateTime={at} title={`${at.replace("T", " ").replace("Z", "")} UTC`}>
      {formats[as](new Date(at))}
    </time>
  );
}

/** A banking day (`YYYY-MM-DD`, in New York) in words; no zone shifts it. */
export function bankingDayInWords(date: string): string {
  return bankingDay.format(new Date(`${date}T00:00:00Z`));
}

/** The same in short, for a column: `Wed, Nov 25, 2026`. */
export function bankingDateInWords(date: string): string {
  return bankingDate.format(new Date(`${date}T00:00:00Z`));
}

/** Whether two moments are on the same day in the reader's zone. */
export function isSameDay(one: string, other: string): boolean {
  return day.format(new Date(one)) === day.format(new Date(other));
}

/** The time and its zone, which are not broken into two lines. */
function timeWithZone(at: Date): string {
  return `${time.format(at)}\u00a0${zoneOf(at)}`;
}

/** `EST`, or `GMT+1` where the zone has no such name. */
function zoneOf(at: Date): string {
  return zone.formatToParts(at).find(({ type }) => type === "timeZoneName")?.value ?? "";
}

/** How long ago, in the largest unit that fits: `3 min`. */
export function age(at: string, now: number): string {
  const minutes = Math.max(0, Math.floor((now - Date.parse(at)) / 60_000));
  return minutes < 1 ? "now" : inLargestUnit(minutes);
}

/** A duration: `12 ms`, `1.5 s`, and from two minutes on in the largest unit that fits. */
export function durationInWords(ms: number): string {
  if (ms < 1_000) return `${String(ms)} ms`;
  return ms < 120_000 ? `${(ms / 1_000).toFixed(1)} s` : inLargestUnit(Math.floor(ms / 60_000));
}

function inLargestUnit(minutes: number): string {
  if (minutes < 60) return `${String(minutes)} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${String(hours)} h` : `${String(Math.floor(hours / 24))} d`;
}
