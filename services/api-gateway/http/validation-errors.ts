import type { z } from "zod";
import { type ErrorCode, type FieldFault, Refusal } from "../../../contracts/errors.ts";

/** Where a value came from decides how a fault in it is named. */
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

/** A schema's own rule across fields says which code it means; everything else follows from what is there. */
function codeOf(issue: z.core.$ZodIssue, value: unknown, source: Source): ErrorCode {
  if (issue.code === "custom" && issue.params?.code === "missing_field") return "missing_field";
  const absent =
    source === "query" ? isNotAsked(value, String(issue.path[0] ?? "")) : isAbsent(value, issue.path);
  return issue.code !== "custom" && issue.path.length > 0 && absent ? "missing_field" : "invalid_field";
}

/**
 * A repeatable parameter is sent once as text and parsed as a list, and pairs are sent as `name[key]`: what lies below
 * a parameter's name was not sent as such.
 */
function isNotAsked(query: unknown, name: string): boolean {
  const sent = typeof query === "object" && query !== null ? Object.keys(query) : [];
  return !sent.some((each) => each === name || each.startsWith(`${name}[`));
}

function faultsOfIssue(issue: z.core.$ZodIssue, value: unknown, source: Source): FieldFault[] {
  if (issue.code === "unrecognized_keys") {
    const code = source === "query" ? "unknown_parameter" : "unknown_field";
    return issue.keys.map((key) => ({
      pointer: pointerTo(source, [...issue.path, key]),
      code,
      message: "is not known here",
    }));
  }
  const code = codeOf(issue, value, source);
  const message = code === "missing_field" && issue.code !== "custom" ? "is required" : issue.message;
  return [{ pointer: pointerTo(source, issue.path), code, message }];
}

const clearedBy: Partial<Record<ErrorCode, string>> = {
  missing_field: "Send the fields that errors names.",
  invalid_field: "Correct the fields that errors names.",
  unknown_field: "Leave out the fields that errors names.",
  unknown_parameter: "Leave out the query parameters that errors names.",
};

/** A body of a thousand faults needs no answer of a thousand lines. */
const maxErrors = 50;

/** The refusal of faulty input: faults of one kind give it their code, faults of several make it `invalid_request`. */
export function refusalOfFaults(faults: readonly FieldFault[]): Refusal {
  const codes = new Set(faults.map((fault) => fault.code));
  const [only] = codes;
  const code = codes.size === 1 && only !== undefined ? only : "invalid_request";
  return new Refusal(code, clearedBy[code] ?? "Correct what errors names.", {
    errors: faults.slice(0, maxErrors),
  });
}

/** What a schema found wrong, as the tenant is told it. `value` is what was sent. */
export function refusalOfIssues(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  source: Source,
): Refusal {
  if (issues.some((issue) => issue.path.length === 0 && issue.code === "invalid_type")) {
    return new Refusal("invalid_request", "Send a JSON object as the body.");
  }
  return refusalOfFaults(issues.flatMap((issue) => faultsOfIssue(issue, value, source)));
}
