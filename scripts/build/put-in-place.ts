import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/** The files of the newest build, one a line. `make` compares its time with those of the sources. */
const listName = ".built";
const keptForMs = 24 * 60 * 60 * 1_000;

export interface PutOptions {
  /** The folder that the build was written to, on the same file system. It is removed. */
  readonly built: string;
  /** What runs from there goes on: it finds each file, old or new. */
  readonly folder: string;
  /** Folders in it that other builds own. */
  readonly others?: readonly string[];
}

/**
 * Replaces a build that may be in use, such as by a test run that goes on starting services. Each file is replaced in
 * one step, those with a hash in their name first, because the others name them. What only older builds have stays
 * for a day.
 */
export async function putInPlace({ built, folder, others = [] }: PutOptions): Promise<void> {
  const now = new Date();
  const names = await filesOf(built);
  const isNew = new Set(names);
  const list = join(folder, listName);
  const before = (await readFile(list, "utf8").catch(() => "")).split("\n"); // the first build has none before it
  for (const name of before.filter((one) => one !== "" && !isNew.has(one)))
    await utimes(join(folder, name), now, now).catch(() => undefined); // somebody has removed it
  for (const name of [...names.filter(isHashed), ...names.filter((one) => !isHashed(one))]) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await rename(join(built, name), join(folder, name));
  }
  await rm(built, { recursive: true });
  await writeFile(list, names.join("\n"));
  for (const name of await filesOf(folder)) {
    if (name === listName || isNew.has(name) || others.some((other) => name.startsWith(`${other}/`)))
      continue;
    const { mtimeMs } = await stat(join(folder, name));
    if (mtimeMs < now.getTime() - keptForMs) await rm(join(folder, name));
  }
}

const isHashed = (name: string) => /^(chunks|assets)\//.test(name);

/** The paths of all files in it, relative to it. */
async function filesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}
