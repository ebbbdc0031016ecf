/**
 * Downloads the nats-server package with apt into a folder of ours. It installs nothing, needs no root, and does not
 * change the machine's package lists and cache.
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

/** Per distribution: a suite that has nats-server >= 2.10, and the components that contain it. */
const NEWER_SUITE: Readonly<Record<string, { suite: string; components: readonly string[] }>> = {
  debian: { suite: "trixie", components: ["main"] },
  ubuntu: { suite: "noble", components: ["main", "universe"] },
};

/**
 * Path of an unpacked nats-server below `dir`, an empty folder. The machine's own suites come first, then a newer suite
 * of the same mirror. Throws an Error that says why neither works.
 */
export async function downloadNatsServerPackage(
  dir: string,
  accepts: (version: string) => boolean,
): Promise<string> {
  const system = await readOsRelease();
  if (accepts(await candidateVersion([]))) return fetchAndUnpack(dir, []);

  const own = distributionSources(await readMachineSources(), system.codename);
  if (own.length === 0)
    throw new Error(`no package source for ${system.codename || "this system"} in /etc/apt`);
  const newer = NEWER_SUITE[system.id];
  const components = newer?.components ?? ["main"];
  for (const suite of new Set([system.codename, newer?.suite])) {
    if (!suite) continue;
    const options = await useSuite(dir, renderDeb822(own, suite, components), suite);
    if (accepts(await candidateVersion(options))) return fetchAndUnpack(dir, options);
  }
  throw new Error(`the package mirror of ${system.id} ${system.codename} has no recent nats-server`);
}

async function readOsRelease(): Promise<{ id: string; codename: string }> {
  const text = await readFile("/etc/os-release", "utf8").catch(() => "");
  const value = (name: string) => new RegExp(`^${name}="?([^"\\n]*)"?$`, "m").exec(text)?.[1] ?? "";
  const id = value("ID");
  if (!(id in NEWER_SUITE) && !/debian|ubuntu/.test(value("ID_LIKE"))) {
    throw new Error("packages can be fetched on Debian and Ubuntu only");
  }
  return { id, codename: value("UBUNTU_CODENAME") || value("VERSION_CODENAME") };
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

/** Loads the lists of one suite into a folder of ours; returns the options that make apt use them. */
async function useSuite(dir: string, sourcesText: string, suite: string): Promise<string[]> {
  const sourcesFile = join(dir, `${suite}.sources`);
  const listsDir = join(dir, suite, "lists");
  const cacheDir = join(dir, suite, "cache");
  await mkdir(join(listsDir, "partial"), { recursive: true });
  await mkdir(join(cacheDir, "archives", "partial"), { recursive: true });
  await writeFile(sourcesFile, sourcesText);
  const settings = [
    "Dir::Etc::SourceParts=/dev/null",
    `Dir::Etc::sourcelist=${sourcesFile}`,
    `Dir::State::Lists=${listsDir}`,
    `Dir::Cache=${cacheDir}`,
    // apt's download user can't write below our folder, and an ordinary user can't lock the machine's.
    "APT::Sandbox::User=root",
    "Debug::NoLocking=1",
    "Acquire::Languages=none",
  ];
  const options = settings.flatMap((setting) => ["-o", setting]);
  await run("apt-get", [...options, "-qq", "update"], { cwd: dir });
  return options;
}

/** The version that apt would install; empty if it has none. */
async function candidateVersion(options: readonly string[]): Promise<string> {
  const { stdout } = await run("apt-cache", [...options, "policy", "nats-server"], {
    env: { ...process.env, LC_ALL: "C" },
  });
  return /Candidate:\s*(\d\S*)/.exec(stdout)?.[1] ?? "";
}

async function fetchAndUnpack(dir: string, options: readonly string[]): Promise<string> {
  await run("apt-get", [...options, "-qq", "download", "nats-server"], { cwd: dir });
  const deb = (await readdir(dir)).find((name) => name.startsWith("nats-server_") && name.endsWith(".deb"));
  if (!deb) throw new Error("apt-get downloaded no package");
  await run("dpkg", ["-x", deb, "unpacked"], { cwd: dir });
  return join(dir, "unpacked", "usr", "sbin", "nats-server");
}
