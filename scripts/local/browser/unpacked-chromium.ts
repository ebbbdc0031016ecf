/** Chromium from the npm package @sparticuz/chromium (headless, Linux on x64), with its libraries and a font. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { access, chmod, constants, mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { projectRoot } from "../../../services/platform/runtime/project-root.ts";

export interface Browser {
  readonly path: string;
  /** What it needs besides the environment of this process. */
  readonly env: Readonly<Record<string, string>>;
}

const packageDir = join(projectRoot, "node_modules/@sparticuz/chromium");
/** Archives of the package: the libraries that a small machine lacks, and Open Sans. */
const archives = ["al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"];

/**
 * Unpacks the package once for each version, into the user's cache or else below the clone. The package's own way
 * writes to the temporary folder and leaves half a browser there for the next user when it is interrupted.
 */
export async function unpackedChromium(localDir: string): Promise<Browser> {
  const { version } = JSON.parse(await readFile(join(packageDir, "package.json"), "utf8")) as {
    version: string;
  };
  const caches = [join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "quittance"), localDir];
  for (const cache of caches) {
    const dir = join(cache, `chromium-${version}`);
    if ((await exists(dir)) || (await unpackTo(cache, dir))) return inDir(dir);
  }
  throw new Error(`none of ${caches.join(", ")} can be written to`);
}

/** Without its fonts.conf the browser ends at once on a machine that has no fonts. */
function inDir(dir: string): Browser {
  const env = { LD_LIBRARY_PATH: join(dir, "lib"), FONTCONFIG_FILE: join(dir, "fonts.conf") };
  return { path: join(dir, "chromium"), env };
}

/** Returns false if the cache can't be written to. */
async function unpackTo(cache: string, dir: string): Promise<boolean> {
  try {
    await mkdir(cache, { recursive: true });
    await access(cache, constants.W_OK);
  } catch {
    return false;
  }
  const unfinished = await mkdtemp(join(cache, "chromium-new-"));
  try {
    const bin = join(packageDir, "bin");
    await decompress(join(bin, "chromium.br"), join(unfinished, "chromium"));
    await chmod(join(unfinished, "chromium"), 0o755);
    for (const archive of archives) await untar(join(bin, archive), unfinished);
    await writeFile(join(unfinished, "fonts.conf"), fontsConf(dir));
    // Another clone may have unpacked it in the meantime. A rename on a folder that has files fails.
    await rename(unfinished, dir).catch(async (error: unknown) => {
      if (!(await exists(dir))) throw error;
    });
    return true;
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** By way of a file: `tar` closes a pipe at the archive's end mark, before the padding behind it has been written. */
async function untar(archive: string, into: string): Promise<void> {
  const file = join(into, "archive.tar");
  await decompress(archive, file);
  const tar = spawn("tar", ["-x", "-f", file, "-C", into, "--no-same-owner"], { stdio: "inherit" });
  const [code] = (await once(tar, "close")) as [number];
  if (code !== 0) throw new Error(`tar could not unpack ${archive}`);
  await rm(file);
}

function decompress(from: string, to: string): Promise<void> {
  return pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to));
}

function fontsConf(dir: string): string {
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    "<fontconfig>",
    `  <dir>${join(dir, "fonts")}</dir>`,
    `  <cachedir>${join(dir, "font-cache")}</cachedir>`,
    "</fontconfig>",
    "",
  ].join("\n");
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
