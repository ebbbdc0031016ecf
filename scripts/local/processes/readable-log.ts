/** Turns the services' JSON lines into one log that a person can follow. */

interface WideLine {
  level?: string;
  time?: string;
  msg?: string;
  service?: string;
  req?: { method?: string; url?: string };
  res?: { statusCode?: number };
  responseTime?: number;
  err?: { message?: string };
  [member: string]: unknown;
}

const shownAnyway = new Set(["warn", "error", "fatal"]);
const known = new Set(["level", "time", "msg", "service", "req", "res", "responseTime", "err", "context"]);

/** The line for the terminal: a request to the gateway or a warning or error. Undefined for other lines. */
export function readable(line: string): string | undefined {
  const [, name = "", text = ""] = /^(\S+)\s*\| (.*)$/.exec(line) ?? [];
  const wide = parse(text);
  if (wide === undefined) return name === "postgres" || name === "nats" ? undefined : line;
  const time = (wide.time ?? "").slice(11, 23);
  if (wide.req !== undefined && wide.res !== undefined) {
    if (name !== "gateway") return undefined;
    const { method, url } = wide.req;
    return `${time} ${name.padEnd(9)} ${String(wide.res.statusCode)} ${method ?? ""} ${url ?? ""} ${String(wide.responseTime)} ms`;
  }
  if (!shownAnyway.has(wide.level ?? "")) return undefined;
  const rest = Object.entries(wide)
    .filter(([member]) => !known.has(member))
    .map(([member, value]) => `${member}=${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [time, name.padEnd(9), (wide.level ?? "").toUpperCase(), wide.msg, wide.err?.message, ...rest]
    .filter(Boolean)
    .join(" ");
}

function parse(text: string): WideLine | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as WideLine;
  } catch {
    return undefined; // not one of ours: shown as it is
  }
}
