import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

function findRoot(from: string): string {
  if (existsSync(join(from, "package.json"))) return from;
  const parent = dirname(from);
  if (parent === from) throw new Error("no package.json above this file: is the checkout complete?");
  return findRoot(parent);
}

/** The checkout's folder, whether the code runs from sources or from dist/. */
export const projectRoot = findRoot(import.meta.dirname);
