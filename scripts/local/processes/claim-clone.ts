/** Which process runs the service from this clone: `make start` claims it, `make clean` spares a claimed one. */
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { assertPortsFree, PortTakenError, type WantedPort } from "./ports.ts";
import { isAlive } from "./scratch.ts";

const run = promisify(execFile);

/**
 * Writes this process's id to `file` once every port is free. Throws what `assertPortsFree` throws; if another process
 * runs from the same clone, the message begins with that. Throws also if that process is a `make start` with other
 * ports: two would write to the same data.
 */
export async function claimClone(file: string, wanted: readonly WantedPort[]): Promise<void> {
  const holder = Number(await claimIn(file));
  const isHeld = holder > 0 && isAlive(holder);
  const runsAlready = `Quittance runs already from this clone (process ${String(holder)}).`;
  try {
    await assertPortsFree(wanted);
  } catch (error) {
    if (!(error instanceof PortTakenError) || !isHeld) throw error;
    throw new Error(`${runsAlready}\n${error.message}`, { cause: error });
  }
  if (isHeld && (await commandOf(holder)).includes("scripts/start.ts")) {
    throw new Error(`${runsAlready} Stop it, or use another clone.`);
  }
  // Otherwise the process is another program, with the id of one that was killed.
  await writeFile(file, String(process.pid));
}

/** Empty if it has ended, or if this machine has no `ps`. */
async function commandOf(pid: number): Promise<string> {
  const { stdout } = await run("ps", ["-o", "args=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return stdout;
}

/** Does nothing if another process has claimed it. */
export async function releaseClone(file: string): Promise<void> {
  if ((await claimIn(file)) === String(process.pid)) await rm(file);
}

const claimIn = (file: string) => readFile(file, "utf8").catch(() => ""); // nobody has claimed it
