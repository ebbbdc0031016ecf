import { z } from "zod";
import { Refusal } from "./errors.ts";

/** The versions in a request's If-Match. Absent: any version. */
export const ifMatch = z.array(z.int()).optional();

/** Refusals: `precondition_failed` if If-Match does not list the version of the resource. */
export function requireVersion(
  what: string,
  { id, version }: { readonly id: string; readonly version: number },
  versions: readonly number[] | undefined,
): void {
  if (versions === undefined || versions.includes(version)) return;
  throw new Refusal(
    "precondition_failed",
    `The ${what}'s version is not the one in If-Match. Read the ${what} again and send its current ETag.`,
    { context: { resourceId: id, currentVersion: version } },
  );
}
