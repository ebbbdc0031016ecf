/** Describes the machine of the figures, which mean nothing without it. */
import { execFile } from "node:child_process";
import { open, rm } from "node:fs/promises";
import { cpus, loadavg, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { median } from "./measures/measure.ts";
import type { Stage } from "./stage.ts";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");

export interface Machine {
  readonly at: string;
  readonly commit: string;
  readonly cores: number;
  readonly processor: string;
  readonly memoryGiB: number;
  readonly kernel: string;
  readonly node: string;
  readonly postgres: string;
  readonly nats: string;
  /** Median of writing 8 KiB and waiting until the disk has it. */
  readonly fsyncUs: number;
  /** Runnable processes over the last minute, before we began. */
  readonly loadBefore: number;
}

export const loadNow = () => loadavg()[0] ?? 0;

export async function readMachine(stage: Stage, loadBefore: number): Promise<Machine> {
  const { rows } = await stage.admin.query<{ server_version: string }>("show server_version");
  return {
    at: new Date().toISOString(),
    commit: await commitOf(root),
    cores: cpus().length,
    processor: cpus()[0]?.model ?? "unknown",
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    kernel: `${type()} ${release()}`,
    node: process.version,
    postgres: rows[0]?.server_version ?? "unknown",
    nats: stage.natsVersion,
    fsyncUs: await fsyncUs(),
    loadBefore,
  };
}

/** What is built and run from a folder, so that a file that git does not know changes what is measured. */
const measuredFolders = ["contracts", "services", "clients", "bench", "scripts"];

/** The commit of a checkout, and whether its files are those of the commit. */
export async function commitOf(folder: string): Promise<string> {
  const git = (...args: string[]) => run("git", args, { cwd: folder }).then(({ stdout }) => stdout.trim());
  try {
    const changed = await git("status", "--porcelain", "--untracked-files=no");
    const added = await git("ls-files", "--others", "--exclude-standard", "--", ...measuredFolders);
    return `${await git("rev-parse", "--short", "HEAD")}${changed + added === "" ? "" : " and changes"}`;
  } catch {
    return "not a git checkout"; // a release archive has no history
  }
}

async function fsyncUs(): Promise<number> {
  const path = join(root, ".local", `bench-fsync-${String(process.pid)}`);
  const file = await open(path, "w");
  try {
    const data = Buffer.alloc(8192, 1);
    const took: number[] = [];
    for (let block = 0; block < 200; block++) {
      const startedAt = performance.now();
      await file.write(data, 0, data.length, block * data.length);
      await file.datasync();
      took.push((performance.now() - startedAt) * 1_000);
    }
    return Math.round(median(took));
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}
