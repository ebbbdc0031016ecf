/** Scratch folders whose names contain the id of the process that made them. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes what killed processes left in `parent`. The first group of `name` is the process id. */
export async function removeFoldersOfDeadProcesses(parent: string, name: RegExp): Promise<void> {
  const entries = await readdir(parent).catch(() => []); // the parent folder is made by its first user
  for (const entry of entries) {
    const pid = Number(name.exec(entry)?.[1]);
    if (!pid || isAlive(pid)) continue;
    // A folder of another user can't be removed by us; that user's next run removes it.
    await rm(join(parent, entry), { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Whether a process has this id, whoever it belongs to. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
