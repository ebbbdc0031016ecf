/** Folders below `.local/` that belong to one run of the bench: `<purpose>-<pid>`. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** Removes what runs that were killed left behind; the folder's name says which process made it. */
export async function removeFoldersOfDeadProcesses(localDir: string, purpose: string): Promise<void> {
  const names = await readdir(localDir).catch(() => []); // no scratch folder yet
  for (const name of names) {
    const pid = Number(new RegExp(`^${purpose}-(\\d+)$`).exec(name)?.[1]);
    if (pid && !isAlive(pid)) await rm(join(localDir, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
