/** What a schema says of a wrong value: our words in place of zod's, for callers and operators alike. */
import type { z } from "zod";

/** For `safeParse(value, { error: issueMessage })`. A schema's own message goes before it. */
export function issueMessage(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be ${alternatives(issue.values.map(String))}`;
    case "too_small":
      return rangeMessage(issue.origin, { from: Number(issue.minimum), to: undefined }) ?? "is too small";
    case "too_big":
      return rangeMessage(issue.origin, { from: undefined, to: Number(issue.maximum) }) ?? "is too large";
    case "invalid_format":
      if (issue.format === "regex") return `must match ${issue.pattern ?? "another pattern"}`;
      return `must be ${formats[issue.format] ?? `a valid ${issue.format}`}`;
    case "not_multiple_of":
      return `must be a multiple of ${String(issue.divisor)}`;
    case "unrecognized_keys":
      return `has unknown fields: ${issue.keys.join(", ")}`;
    case "invalid_union":
      return kindsMessage(issue.errors) ?? "is not valid here";
    default:
      return "is not valid here";
  }
}

/** Which kinds a union takes, for a value that is of none of them. Undefined where an option fails otherwise. */
function kindsMessage(options: readonly (readonly z.core.$ZodIssue[])[]): string | undefined {
  const expected = options.flatMap(([first]) =>
    first?.code === "invalid_type" && first.path.length === 0
      ? [kinds[first.expected] ?? first.expected]
      : [],
  );
  if (expected.length === 0 || expected.length < options.length) return undefined;
  return `must be ${alternatives([...new Set(expected)])}`;
}

const kinds: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
};

const formats: Readonly<Record<string, string>> = {
  date: "a day, such as 2026-03-02",
  datetime: "a time, such as 2026-03-02T15:00:00Z",
  email: "an email address",
  url: "a URL",
  uuid: "a UUID",
};

function alternatives(values: readonly string[]): string {
  const last = values.at(-1) ?? "";
  return values.length < 2 ? last : `${values.slice(0, -1).join(", ")} or ${last}`;
}

/** At least one of the two is there. */
export interface Limits {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** The range of a value, by what zod calls its origin. Undefined for what has no range of ours. */
export function rangeMessage(origin: string, limits: Limits): string | undefined {
  switch (origin) {
    case "string":
      return `must have ${count(limits, "character")}`;
    case "array":
      return `must have ${count(limits, "item")}`;
    case "number":
    case "int":
      return `must be ${limits.from === undefined || limits.to === undefined ? "" : "from "}${between(limits)}`;
    default:
      return undefined;
  }
}

function between({ from, to }: Limits): string {
  if (from === undefined) return `at most ${shown(to)}`;
  return to === undefined ? `at least ${shown(from)}` : `${shown(from)} to ${shown(to)}`;
}

function count(limits: Limits, what: string): string {
  return `${between(limits)} ${what}${(limits.to ?? limits.from) === 1 ? "" : "s"}`;
}

function shown(value: number | undefined): string {
  return (value ?? 0).toLocaleString("en-US");
}
