/**
 * Reads packages with apt into a folder of ours. It installs nothing, needs no root, and does not change the machine's
 * package lists and cache.
 */
import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  type AptSource,
  distributionSources,
  parseDeb822Sources,
  parseOneLineSources,
  renderDeb822,
} from "./apt-sources.ts";

const run = promisify(execFile);

/** apt's download user can't write below our folder, and an ordinary user can't lock the machine's. */
export const asOrdinaryUser = ["APT::Sandbox::User=root", "Debug::NoLocking=1", "Acquire::Languages=none"];

export interface System {
  /** `debian`, `ubuntu` or one that is like them. */
  readonly id: string;
  readonly codename: string;
}

/** Throws an Error on a system whose packages are not Debian's or Ubuntu's. */
export async function readSystem(): Promise<System> {
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  const value = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, "m").exec(text)?.[1] ?? "";
  const id = value("ID");
  if (!/debian|ubuntu/.test(`${id} ${value("ID_LIKE")}`)) {
    throw new Error("packages can be fetched on Debian and Ubuntu only");
  }
  return { id, codename: value("UBUNTU_CODENAME") || value("VERSION_CODENAME") };
}

/** The archives of the distribution itself that this machine trusts. Throws an Error if it names none. */
export async function ownSources({ codename }: System): Promise<AptSource[]> {
  const own = distributionSources(await readMachineSources(), codename);
  if (own.length === 0) throw new Error(`no package source for ${codename || "this system"} in /etc/apt`);
  return own;
}

async function readMachineSources(): Promise<AptSource[]> {
  const parts = await readdir("/etc/apt/sources.list.d").catch(() => []);
  const files = ["/etc/apt/sources.list", ...parts.map((part) => join("/etc/apt/sources.list.d", part))];
  const sources: AptSource[] = [];
  for (const file of files) {
    const text = await readFile(file, "utf8").catch(() => "");
    if (file.endsWith(".sources")) sources.push(...parseDeb822Sources(text));
    if (file.endsWith(".list")) sources.push(...parseOneLineSources(text));
  }
  return sources;
}

export interface Suite {
  readonly sources: readonly AptSource[];
  readonly name: string;
  readonly components: readonly string[];
}

/** Loads the lists of one suite into a folder of ours; returns the options that make apt use them. */
export async function useSuite(dir: string, { sources, name, components }: Suite): Promise<string[]> {
  const sourcesFile = join(dir, `${name}.sources`);
  const listsDir = join(dir, name, "lists");
  const cacheDir = join(dir, name, "cache");
  await mkdir(join(listsDir, "partial"), { recursive: true });
  await mkdir(join(cacheDir, "archives", "partial"), { recursive: true });
  await writeFile(sourcesFile, renderDeb822(sources, name, components));
  const options = optionsOf([
    "Dir::Etc::SourceParts=/dev/null",
    `Dir::Etc::sourcelist=${sourcesFile}`,
    `Dir::State::Lists=${listsDir}`,
    `Dir::Cache=${cacheDir}`,
    ...asOrdinaryUser,
  ]);
  await run("apt-get", [...options, "-qq", "update"], { cwd: dir });
  return options;
}

/** Settings of apt.conf(5), as a command line has them. */
export function optionsOf(settings: readonly string[]): string[] {
  return settings.flatMap((setting) => ["-o", setting]);
}

/** The version that apt would install; empty if it has none. */
export async function candidateVersion(name: string, options: readonly string[]): Promise<string> {
  const { stdout } = await run("apt-cache", [...options, "policy", name], {
    env: { ...process.env, LC_ALL: "C" },
  });
  return /Candidate:\s*(\d\S*)/.exec(stdout)?.[1] ?? "";
}
