/** Paths that an operator names. One that can't be used is misuse, found before anything is connected. */
import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Misuse } from "./given.ts";

/** Throws `Misuse` unless an export can be read there. A pipe is fine. */
export async function requireReadable(option: string, file: string): Promise<void> {
  if ((await isDirectory(file)) || !(await allows(file, constants.R_OK)))
    throw new Misuse(`--${option}: ${file} is no file that can be read: name one that --export wrote`);
}

/** Throws `Misuse` unless a file can be written there. */
export async function requireWritable(option: string, file: string): Promise<void> {
  if (await isDirectory(file)) throw new Misuse(`--${option}: ${file} is a folder: name a file in it`);
  const folder = dirname(file);
  if (!(await isDirectory(folder)) || !(await allows(folder, constants.W_OK)))
    throw new Misuse(`--${option}: ${folder} is no folder that can be written: name another file`);
}

const isDirectory = (path: string) =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
const allows = (path: string, mode: number) =>
  access(path, mode).then(
    () => true,
    () => false,
  );
