import { readFile } from "node:fs/promises";

/** The text of a file; undefined if there is none. Throws if it is there and can't be read. */
export function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}
