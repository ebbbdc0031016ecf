import type { z } from "zod";

/**
 * The body without the nulls that its schema refuses: some languages write an absent member as null. A required field
 * that is null is then missing. Returns the body itself if there are none.
 */
export function withoutNulls(body: unknown, issues: readonly z.core.$ZodIssue[]): unknown {
  const refused = issues.filter(({ path }) => path.length > 0 && memberAt(body, path) === null);
  if (refused.length === 0) return body;
  const lean = structuredClone(body);
  for (const { path } of refused) {
    const holder = memberAt(lean, path.slice(0, -1));
    // An item of a list has no name that could be absent.
    if (!Array.isArray(holder)) Reflect.deleteProperty(holder as object, path.at(-1) ?? "");
  }
  return lean;
}

function memberAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, part) =>
      typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[part] : undefined,
    body,
  );
}
