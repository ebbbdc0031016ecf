/** SQL must be in store/ (or in the platform), so that a reader finds every query of a capability in one folder. */
import { type Finding, isSpec, type Source } from "./source.ts";

const statement =
  /[`"']\s*(?:--[^\n]*\n\s*)*(?:select\s+(?:[^`"']*?\sfrom\s|[\w.]+\(|1\b|\$)|insert\s+into\s|update\s+[\w.${}]+(?:\s+\w+)?\s+set\s|delete\s+from\s|with\s+(?:recursive\s+)?\w+\s*(?:\([^)]*\)\s*)?as\s+(?:not\s+|materialized\s+)*\(|lock\s+table\s|truncate\s+\w|notify\s+\w|set\s+(?:local|constraints)\s)/gi;

/** SQL statements in sources of services outside store/. */
export function checkSql(sources: readonly Source[]): Finding[] {
  return sources.filter(mayNotHaveSql).flatMap(({ path, text }) =>
    [...text.matchAll(statement)].map(({ index, 0: found }) => {
      const line = text.slice(0, index + found.length).split("\n").length;
      const message = "SQL outside store/: move the statement into a function in store/ and call that";
      return { path, line, message };
    }),
  );
}

function mayNotHaveSql({ path }: Source): boolean {
  return /^services\/(?!platform\/).*\.ts$/.test(path) && !path.includes("/store/") && !isSpec(path);
}
