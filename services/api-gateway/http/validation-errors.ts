import type { z } from "zod";
import { type ErrorCode, type FieldFault, Refusal } from "../../../contracts/errors.ts";
import { keyMessage, rangeMessage } from "./domain/ranges.ts";

/** Where a value came from; it decides how an error in it is named. */
export type Source = "body" | "query";

type Path = readonly PropertyKey[];

/** RFC 6901 for a body (`/metadata/a~1b`), `?name` or `?name[key]` for a query parameter. */
export function pointerTo(source: Source, path: Path): string {
  const [name = "", key] = path;
  if (source === "query") return `?${String(name)}${typeof key === "string" ? `[${key}]` : ""}`;
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function isAbsent(value: unknown, path: Path): boolean {
  let at = value;
  for (const part of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, part)) return true;
    at = (at as Record<PropertyKey, unknown>)[part];
  }
  return at === undefined;
}

/** A rule across fields names its own code; every other code follows from whether the value is there. */
function codeOf(issue: z.core.$ZodIssue, value: unknown, source: Source): ErrorCode {
  if (issue.code === "custom" && issue.params?.code === "missing_field") return "missing_field";
  const absent =
    source === "query" ? isNotSent(value, String(issue.path[0] ?? "")) : isAbsent(value, issue.path);
  return issue.code !== "custom" && issue.path.length > 0 && absent ? "missing_field" : "invalid_field";
}

/**
 * A repeatable parameter may be sent once as text and parsed as a list, and pairs are sent as `name[key]`. So only the
 * parameter's name shows whether it was sent.
 */
function isNotSent(query: unknown, name: string): boolean {
  const sent = typeof query === "object" && query !== null ? Object.keys(query) : [];
  return !sent.some((each) => each === name || each.startsWith(`${name}[`));
}

function faultsOfIssue(issue: z.core.$ZodIssue, { value, source, schema }: Sent): FieldFault[] {
  if (issue.code === "unrecognized_keys") {
    const code = source === "query" ? "unknown_parameter" : "unknown_field";
    return issue.keys.map((key) => ({
      pointer: pointerTo(source, [...issue.path, key]),
      code,
      message: "is not known here",
    }));
  }
  const code = codeOf(issue, value, source);
  return [{ pointer: pointerTo(source, issue.path), code, message: messageOf(issue, code, schema) }];
}

/** For a union: the issues of its only option that has the type of the value. Otherwise the issue itself. */
function ofOneOption(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const isOtherKind = ({ code, path }: z.core.$ZodIssue) => code === "invalid_type" && path.length === 0;
  const [only, ...others] = issue.errors.filter((option) => !option.some(isOtherKind));
  if (only === undefined || others.length > 0) return [issue];
  return only.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}

/** Zod compares the length of a text that was sent for a list, or the other way round, too. Only the kind matters. */
function withoutLengthOfOtherKind(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const at = ({ path }: z.core.$ZodIssue) => JSON.stringify(path.map(String));
  const ofOtherKind = new Set(issues.filter(({ code }) => code === "invalid_type").map(at));
  return issues.filter(
    (issue) => !((issue.code === "too_big" || issue.code === "too_small") && ofOtherKind.has(at(issue))),
  );
}

function messageOf(issue: z.core.$ZodIssue, code: ErrorCode, schema: z.ZodType): string {
  if (code === "missing_field" && issue.code !== "custom") return "is required";
  if (issue.code === "invalid_key") return keyMessage(issue, schema);
  return rangeMessage(issue, schema) ?? issue.message;
}

const clearedBy: Partial<Record<ErrorCode, string>> = {
  missing_field: "Send the fields listed in `errors`.",
  invalid_field: "Correct the fields listed in `errors`.",
  unknown_field: "Leave out the fields listed in `errors`.",
  unknown_parameter: "Leave out the query parameters listed in `errors`.",
};

/** Keeps the answer to a body with a thousand errors short. */
export const maxErrors = 50;

/** Refuses invalid input, with the code of its errors, or `invalid_request` if they have several codes. */
export function refusalOfFaults(faults: readonly FieldFault[]): Refusal {
  const codes = new Set(faults.map((fault) => fault.code));
  const [only] = codes;
  const code = codes.size === 1 && only !== undefined ? only : "invalid_request";
  return new Refusal(code, clearedBy[code] ?? "Correct what `errors` lists.", {
    errors: faults.slice(0, maxErrors),
  });
}

/** What was sent, from where, and the schema that refused it. */
interface Sent {
  readonly value: unknown;
  readonly source: Source;
  readonly schema: z.ZodType;
}

/** The refusal for a schema's issues. */
export function refusalOfIssues(issues: readonly z.core.$ZodIssue[], sent: Sent): Refusal {
  if (issues.some((issue) => issue.path.length === 0 && issue.code === "invalid_type")) {
    return new Refusal("invalid_request", "Send a JSON object as the body.");
  }
  const faults = withoutLengthOfOtherKind(issues.flatMap(ofOneOption)).flatMap((issue) =>
    faultsOfIssue(issue, sent),
  );
  // Two rules of a field can find the same fault.
  return refusalOfFaults([...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()]);
}
