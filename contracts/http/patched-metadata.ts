import { Refusal } from "../errors.ts";

const maxPairs = 50;

/** Pairs that are sent replace the stored ones, and null removes one pair, or all. Refusals: `invalid_field`. */
export function patchedMetadata(
  stored: Readonly<Record<string, string>>,
  sent: Readonly<Record<string, string | null>> | null | undefined,
): Record<string, string> {
  if (sent === null) return {};
  const pairs = Object.entries({ ...stored, ...sent }).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  if (pairs.length <= maxPairs) return Object.fromEntries(pairs);
  throw new Refusal("invalid_field", "Metadata holds at most 50 pairs. Remove some with null.", {
    errors: [{ pointer: "/metadata", code: "invalid_field", message: "would hold more than 50 pairs" }],
  });
}
