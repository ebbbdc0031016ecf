import { rename, rm, writeFile } from "node:fs/promises";

/**
 * Writes a file that only its owner can read. It gets its name when it is complete and on disk: whoever reads it finds
 * the old text or the new one, also after a crash.
 */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const unfinished = `${file}.unfinished`;
  await rm(unfinished, { force: true }); // one that a crash left may have other rights
  await writeFile(unfinished, text, { mode: 0o600, flag: "wx", flush: true });
  await rename(unfinished, file);
}
