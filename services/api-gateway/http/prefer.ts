const maxWaitSeconds = 10;

/**
 * The seconds of `Prefer: wait=N` (RFC 7240 §4.3), at most 10; undefined without it. A preference is optional for the
 * server: one that can't be parsed is ignored, never refused.
 */
export function waitSecondsOf(prefer: string | readonly string[] | undefined): number | undefined {
  const text = typeof prefer === "string" ? prefer : (prefer ?? []).join(",");
  for (const preference of text.split(",")) {
    const [, seconds] = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*(?:;.*)?$/i.exec(preference) ?? [];
    if (seconds !== undefined) return Math.min(Number(seconds), maxWaitSeconds);
  }
  return undefined;
}
