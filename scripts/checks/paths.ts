/** Checks that every file that a document names exists. */
import { dirname, normalize } from "node:path/posix";
import { type Finding, linesOf, type Source } from "./source.ts";

const quoted = /`([\w@][\w.@-]*(?:\/[\w.@-]+)+\.(?:tsx?|sql|md|json|cjs))`/g;
const linked = /\]\(([\w./@-]+?)(?:#[\w-]+)?\)/g;

/**
 * Paths in backticks (with a slash) and relative links of all Markdown files. A path may begin at the root, at
 * services/, at the service whose README it is, or at the document's own folder.
 */
export function checkPaths(sources: readonly Source[]): Finding[] {
  const files = new Set(sources.map(({ path }) => path));
  const folders = new Set(sources.flatMap(({ path }) => parentsOf(path)));
  const exists = (path: string) => files.has(path) || folders.has(path.replace(/\/$/, ""));
  return sources
    .filter(({ path }) => path.endsWith(".md"))
    .flatMap((source) => {
      const own = dirname(source.path);
      const fromText = ["", "services/", `${own}/`];
      return linesOf(source).flatMap(({ line, text }) =>
        [
          ...[...text.matchAll(quoted)].map(([, path = ""]) => ({ path, from: fromText })),
          ...[...text.matchAll(linked)].map(([, path = ""]) => ({ path, from: [`${own}/`] })),
        ]
          .filter(({ path, from }) => !from.some((folder) => exists(normalize(`${folder}${path}`))))
          .map(({ path }) => ({
            path: source.path,
            line,
            message: `${path} does not exist: name the file that took its place`,
          })),
      );
    });
}

function parentsOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
