/** Finds a nats-server of at least 2.10, or fetches one from the machine's own package mirror. */
import { execFile } from "node:child_process";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { canWrite } from "../files/writable-folder.ts";
import { downloadNatsServerPackage } from "./apt-download.ts";

const run = promisify(execFile);

/** Several filters per consumer and the redelivery behaviour that services/platform/consumer relies on. */
export const OLDEST_NATS_SERVER = [2, 10] as const;

export interface NatsBinary {
  path: string;
  version: string;
}

/**
 * The nats-server to run: the one on PATH, else the one fetched before, else a new download.
 * `localDir` is the clone's own scratch folder. Throws an Error that names the ways to get one.
 */
export async function findNatsServer(localDir: string, log: (line: string) => void): Promise<NatsBinary> {
  const onPath = await inspect("nats-server");
  if (onPath) return onPath;
  const cacheDirs = [userCacheDir(), join(localDir, "bin")];
  for (const dir of cacheDirs) {
    const cached = await newestIn(dir);
    if (cached) return cached;
  }
  await mkdir(localDir, { recursive: true });
  const workDir = await mkdtemp(join(localDir, "apt-"));
  try {
    log("fetching nats-server from this machine's package mirror");
    const downloaded = await downloadNatsServerPackage(workDir, isRecentEnough);
    return await saveBinary(downloaded, cacheDirs);
  } catch (cause) {
    throw new Error(explainWays(cause), { cause });
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

function explainWays(cause: unknown): string {
  return [
    `no nats-server >= ${OLDEST_NATS_SERVER.join(".")} on PATH, and none could be fetched: ${messageOf(cause)}`,
    "Any one of these helps:",
    "  brew install nats-server          (macOS, Linux with Homebrew)",
    "  the release page of nats-io/nats-server: put the program on your PATH",
    "  docker compose up --build         runs the whole service in containers instead",
  ].join("\n");
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** Outside the clone, so that the second clone of one person starts without a download. */
function userCacheDir(): string {
  return join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "quittance");
}

async function newestIn(dir: string): Promise<NatsBinary | undefined> {
  const names = await readdir(dir).catch(() => []);
  for (const name of names
    .filter((entry) => /^nats-server-\d[\d.]*$/.test(entry))
    .sort()
    .reverse()) {
    const binary = await inspect(join(dir, name));
    if (binary) return binary;
  }
  return undefined;
}

/** The program with its version, when it runs here and is recent enough. */
async function inspect(path: string): Promise<NatsBinary | undefined> {
  const answer = await run(path, ["--version"]).catch(() => undefined);
  const version = /v(\d+\.\d+\.\d+)/.exec(answer?.stdout ?? "")?.[1];
  return version && isRecentEnough(version) ? { path, version } : undefined;
}

/** `2.10.27`, and also a package's `2.10.27-1+b4`. */
export function isRecentEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split(/[.+~-]/).map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NATS_SERVER;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

async function saveBinary(downloaded: string, dirs: readonly string[]): Promise<NatsBinary> {
  const binary = await inspect(downloaded);
  if (!binary) throw new Error("the downloaded nats-server does not run on this machine");
  for (const dir of dirs) {
    if (!(await canWrite(dir))) continue;
    const path = join(dir, `nats-server-${binary.version}`);
    const unfinished = `${path}.new-${process.pid}`;
    await copyFile(downloaded, unfinished);
    // Another clone may do the same at this moment, and a rename is atomic.
    await rename(unfinished, path);
    return { path, version: binary.version };
  }
  throw new Error(`none of ${dirs.join(", ")} can be written to`);
}
