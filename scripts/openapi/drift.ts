/** Where a committed document differs from what the code makes now. Pure. */
export function driftOf(path: string, committed: string, now: string): string[] {
  if (committed === now) return [];
  const lines = now.split("\n");
  const first = committed.split("\n").findIndex((line, index) => line !== lines[index]);
  return [
    `${path} is out of date from line ${String(first + 1)} on (${lines[first]?.trim() ?? "its end"}): run make openapi`,
  ];
}
