/** Downloads the nats-server package with apt into a folder of ours. */
import { execFile } from "node:child_process";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { candidateVersion, ownSources, readSystem, useSuite } from "../apt/apt.ts";

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
  const system = await readSystem();
  if (accepts(await candidateVersion("nats-server", []))) return fetchAndUnpack(dir, []);

  const sources = await ownSources(system);
  const newer = NEWER_SUITE[system.id];
  const components = newer?.components ?? ["main"];
  for (const name of new Set([system.codename, newer?.suite])) {
    if (!name) continue;
    const options = await useSuite(dir, { sources, name, components });
    if (accepts(await candidateVersion("nats-server", options))) return fetchAndUnpack(dir, options);
  }
  throw new Error(`the package mirror of ${system.id} ${system.codename} has no recent nats-server`);
}

async function fetchAndUnpack(dir: string, options: readonly string[]): Promise<string> {
  await run("apt-get", [...options, "-qq", "download", "nats-server"], { cwd: dir });
  const deb = (await readdir(dir)).find((name) => name.startsWith("nats-server_") && name.endsWith(".deb"));
  if (!deb) throw new Error("apt-get downloaded no package");
  await run("dpkg", ["-x", deb, "unpacked"], { cwd: dir });
  return join(dir, "unpacked", "usr", "sbin", "nats-server");
}
