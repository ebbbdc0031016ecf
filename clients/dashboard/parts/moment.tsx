const day = new Intl.DateTimeFormat("en-US", { day: "numeric", month: "short", year: "numeric" });
const time = new Intl.DateTimeFormat("en-US", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
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

const formats = {
  day: (at: Date) => day.format(at),
  time: (at: Date) => time.format(at),
  milliseconds: (at: Date) => milliseconds.format(at),
  both: (at: Date) => `${day.format(at)}, ${time.format(at)}`,
} as const;

/** A moment in the reader's own zone; hovering shows it in UTC. */
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

/** How long ago, in the largest unit that fits: `3 min`. */
export function age(at: string, now: number): string {
  const minutes = Math.max(0, Math.floor((now - Date.parse(at)) / 60_000));
  if (minutes < 1) return "now";
  if (minutes < 60) return `${String(minutes)} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${String(hours)} h` : `${String(Math.floor(hours / 24))} d`;
}

/** How long until then, in hours and minutes: `71 h 58 min`. */
export function until(at: string, now: number): string {
  const minutes = Math.max(0, Math.floor((Date.parse(at) - now) / 60_000));
  return `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}
