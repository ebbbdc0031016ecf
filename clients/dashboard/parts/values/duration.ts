const units = [
  { name: "day", seconds: 86_400, written: /^d(ays?)?$/ },
  { name: "hour", seconds: 3_600, written: /^h(rs?|ours?)?$/ },
  { name: "minute", seconds: 60, written: /^m(ins?|inutes?)?$/ },
  { name: "second", seconds: 1, written: /^(s(ecs?|econds?)?)?$/ },
] as const;

/** `90` → `90 seconds`, `300` → `5 minutes`: the longest unit that says it exactly. */
export function durationInWords(seconds: number): string {
  const exact = units.find((unit) => seconds > 0 && seconds % unit.seconds === 0);
  const { name, seconds: length } = exact ?? { name: "second", seconds: 1 };
  const count = seconds / length;
  return `${String(count)} ${count === 1 ? name : `${name}s`}`;
}

/** `30 s`, `5 min` and `1.5 hours` in seconds, and a number alone as seconds. Undefined for anything else. */
export function secondsOf(text: string): number | undefined {
  const [, number = "", written = ""] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text.trim()) ?? [];
  const unit = units.find((one) => one.written.test(written.toLowerCase()));
  const seconds = Number(number) * (unit?.seconds ?? Number.NaN);
  return number === "" || !Number.isSafeInteger(seconds) ? undefined : seconds;
}
