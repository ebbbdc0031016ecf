/** A file of the heads of all books: one JSON record per line and book, as they were at the last run. */
import { z } from "zod";
import { idSchema } from "../../../contracts/ids/ids.ts";
import { bookHeads } from "../../../contracts/messages/books.ts";
import { readIfThere } from "../../local/files/read-if-there.ts";
import { writePrivateFile } from "../../local/files/write-private-file.ts";

const headsOfBook = z.strictObject({ book: idSchema("book"), ...bookHeads.shape });
export type HeadsOfBook = z.output<typeof headsOfBook>;

/**
 * The heads in the file; none if there is no such file yet. Throws for a file that is empty or names a book twice:
 * somebody may have changed it, so nothing could be compared with it.
 */
export async function readHeads(file: string): Promise<HeadsOfBook[]> {
  const text = await readIfThere(file);
  if (text === undefined) return [];
  const records = parseHeads(file, text);
  if (records.length === 0) throw new Error(`${file} is empty: restore it, or remove it to begin a new one`);
  if (new Set(records.map(({ book }) => book)).size < records.length)
    throw new Error(`${file} names a book twice: restore it, or remove it to begin a new one`);
  return records;
}

function parseHeads(file: string, text: string): HeadsOfBook[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line, index) => {
      const parsed = headsOfBook.safeParse(asJson(line));
      if (!parsed.success)
        throw new Error(`${file}, line ${String(index + 1)}, is no record of a book's heads`);
      return parsed.data;
    });
}

function asJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Replaces the file whole. */
export async function writeHeads(file: string, heads: readonly HeadsOfBook[]): Promise<void> {
  await writePrivateFile(file, heads.map((one) => `${JSON.stringify(one)}\n`).join(""));
}
