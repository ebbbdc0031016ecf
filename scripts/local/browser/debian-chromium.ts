/** Chromium from the packages of a Debian machine, with each library that it needs. Installs nothing, needs no root. */
import { execFile } from "node:child_process";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { asOrdinaryUser, candidateVersion, optionsOf, ownSources, readSystem, useSuite } from "../apt/apt.ts";
import { type Browser, filledOnce, writeFontsConf } from "./browser-folder.ts";

const run = promisify(execFile);
/** Chromium without windows, which needs half as many libraries. Ubuntu has it as a snap alone. */
const name = "chromium-headless-shell";
const font = "fonts-dejavu-core";

/** Downloads it once for each release of Debian: 160 MB, one to two minutes. Throws an Error that says why it can't. */
export async function debianChromium(localDir: string): Promise<Browser> {
  const { codename } = await readSystem();
  const dir = await filledOnce(localDir, `chromium-debian-${codename}`, async (unfinished, finished) => {
    process.stderr.write("fetching Chromium from this machine's package mirror: 160 MB, once\n");
    const work = join(unfinished, "work");
    await mkdir(work);
    const archives = await download(work);
    for (const archive of archives) await run("dpkg", ["-x", archive, unfinished]);
    await rm(work, { recursive: true });
    await writeFontsConf(unfinished, finished, "usr/share/fonts");
  });
  const env = { LD_LIBRARY_PATH: await librariesIn(dir), FONTCONFIG_FILE: join(dir, "fonts.conf") };
  return { path: join(dir, "usr/lib/chromium", name), env };
}

/** The packages, by the machine's own lists or else, in a container that has none, by newly read ones. */
async function download(work: string): Promise<string[]> {
  const cache = join(work, "cache");
  await mkdir(join(cache, "archives/partial"), { recursive: true });
  // As if nothing were installed, so that apt names every library.
  const status = join(work, "status");
  await writeFile(status, "");
  const more = optionsOf([`Dir::State::status=${status}`, `Dir::Cache=${cache}`, ...asOrdinaryUser]);
  const options = [...(await listsWithChromium(work)), ...more];
  const what = ["--no-install-recommends", "--download-only", "--yes", "install", name, font];
  await run("apt-get", [...options, "-qq", ...what], { cwd: work });
  const archives = (await readdir(join(cache, "archives"))).filter((file) => file.endsWith(".deb"));
  // The C library has to be of one version with the machine's loader, which starts the browser.
  return archives.filter((file) => !file.startsWith("libc6_")).map((file) => join(cache, "archives", file));
}

async function listsWithChromium(work: string): Promise<string[]> {
  if ((await candidateVersion(name, [])) !== "") return [];
  const system = await readSystem();
  const sources = await ownSources(system);
  const options = await useSuite(work, { sources, name: system.codename, components: ["main"] });
  if ((await candidateVersion(name, options)) !== "") return options;
  throw new Error(`the package mirror of ${system.id} ${system.codename} has no ${name}`);
}

/** Some libraries are in folders of their own, where only an installed one would look. */
async function librariesIn(dir: string): Promise<string> {
  const files = await readdir(dir, { recursive: true });
  const folders = files.filter((file) => /\.so(\.|$)/.test(file)).map((file) => join(dir, dirname(file)));
  return [...new Set(folders)].join(":");
}
