/**
 * Completes package-lock.json after `npm install`. If the registry lacks a package for another platform, npm leaves it
 * out, and then `npm ci` refuses the file. This adds an entry with the package's platform, so that npm skips it here
 * and fetches it there. Also removes `resolved`, because each machine may use another registry.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { argv } from "node:process";

interface LockedPackage {
  version?: string;
  resolved?: string;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dev?: boolean;
  optional?: boolean;
  optionalDependencies?: Record<string, string>;
}

interface Lock {
  packages: Record<string, LockedPackage>;
}

const SYSTEMS = [
  "aix",
  "android",
  "darwin",
  "freebsd",
  "linux",
  "netbsd",
  "openbsd",
  "openharmony",
  "sunos",
  "win32",
];
const PROCESSORS = ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "x64"];

const file = argv[2] ?? "package-lock.json";
const lock = JSON.parse(readFileSync(file, "utf8")) as Lock;
const added = complete(lock);
writeFileSync(file, `${JSON.stringify(lock, undefined, 2)}\n`);
console.log(
  added.length === 0 ? "the lock file was complete" : `added to the lock file:\n  ${added.join("\n  ")}`,
);

function complete({ packages }: Lock): string[] {
  const added: string[] = [];
  for (const [path, locked] of Object.entries(packages)) {
    delete locked.resolved;
    for (const [name, version] of Object.entries(locked.optionalDependencies ?? {})) {
      if (isLocked(packages, path, name)) continue;
      packages[`node_modules/${name}`] = entryFor(name, version, locked.dev === true);
      added.push(`${name}@${version}`);
    }
  }
  sortPackages(packages);
  return added;
}

/** Resolves as Node does: beside the package itself first, then in each folder above. */
function isLocked(packages: Lock["packages"], path: string, name: string): boolean {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    if (packages[`${folder ? `${folder}/` : ""}node_modules/${name}`]) return true;
    if (!folder.includes("/node_modules/")) return packages[`node_modules/${name}`] !== undefined;
  }
}

function entryFor(name: string, version: string, dev: boolean): LockedPackage {
  if (!/^\d+\.\d+\.\d+/.test(version))
    throw new Error(`${name}: ${version} is a range; only exact versions are known`);
  const words = name.split(/[/-]/);
  const os = words.find((word) => SYSTEMS.includes(word));
  const cpu = words.find((word) => PROCESSORS.includes(word));
  if (!os || !cpu)
    throw new Error(`${name} does not name the machine that it is for; install it or pin it by hand`);
  const libc = libcOf(words);
  return {
    version,
    cpu: [cpu],
    ...(dev ? { dev } : {}),
    ...(os === "linux" && libc ? { libc: [libc] } : {}),
    optional: true,
    os: [os],
  };
}

function libcOf(words: readonly string[]): "musl" | "glibc" | undefined {
  if (words.some((word) => word.startsWith("musl"))) return "musl";
  return words.some((word) => word.startsWith("gnu")) ? "glibc" : undefined;
}

function sortPackages(packages: Lock["packages"]): void {
  const sorted = Object.entries(packages).sort(([left], [right]) => left.localeCompare(right, "en"));
  for (const [path] of sorted) delete packages[path];
  for (const [path, locked] of sorted) packages[path] = locked;
}
