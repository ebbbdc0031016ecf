/** Another commit of this repository, checked out and built beside this tree, so that both can be measured. */
import { execFile } from "node:child_process";
import { mkdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { removeFoldersOfDeadProcesses } from "../../scripts/local/processes/scratch.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "../..");
const localDir = join(root, ".local");

export interface Tree {
  readonly name: string;
  readonly folder: string;
}

export const thisTree: Tree = { name: "this tree", folder: root };

/**
 * Checks the commit out as a worktree in `.local/`, on the same disk as this tree, and builds it. Throws for a commit
 * that git does not know. `remove` deletes the worktree.
 */
export async function checkOut(commit: string): Promise<Tree & { remove(): Promise<void> }> {
  const name = await git("rev-parse", "--short", "--verify", "--end-of-options", `${commit}^{commit}`);
  await mkdir(localDir, { recursive: true });
  await removeFoldersOfDeadProcesses(localDir, /^against-(\d+)$/);
  await git("worktree", "prune");
  const folder = join(localDir, `against-${String(process.pid)}`);
  const remove = async () => {
    await rm(folder, { recursive: true, force: true });
    await git("worktree", "prune");
  };
  console.log(`Building ${name}`);
  await git("worktree", "add", "--quiet", "--detach", folder, name);
  try {
    if (await hasSameLock(folder)) await symlink(join(root, "node_modules"), join(folder, "node_modules"));
    await run("make", ["-s", "build"], { cwd: folder, maxBuffer: 16 * 1024 * 1024 });
  } catch (error) {
    await remove();
    throw error;
  }
  return { name, folder, remove };
}

async function hasSameLock(folder: string): Promise<boolean> {
  const lock = (tree: string) => readFile(join(tree, "package-lock.json"), "utf8");
  return (await lock(root)) === (await lock(folder));
}

async function git(...args: string[]): Promise<string> {
  const { stdout } = await run("git", args, { cwd: root });
  return stdout.trim();
}
