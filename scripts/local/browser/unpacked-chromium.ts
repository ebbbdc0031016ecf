/** Chromium from the npm package @sparticuz/chromium (headless, Linux on x64), with its libraries and a font. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createReadStream, createWriteStream } from "node:fs";
import { chmod, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import { projectRoot } from "../../../services/platform/runtime/project-root.ts";
import { type Browser, filledOnce, writeFontsConf } from "./browser-folder.ts";

const packageDir = join(projectRoot, "node_modules/@sparticuz/chromium");
/** Archives of the package: the libraries that a small machine lacks, and Open Sans. */
const archives = ["al2023.tar.br", "fonts.tar.br", "swiftshader.tar.br"];

/** Unpacks the package once for each version. Its own way leaves half a browser behind when it is interrupted. */
export async function unpackedChromium(localDir: string): Promise<Browser> {
  const { version } = JSON.parse(await readFile(join(packageDir, "package.json"), "utf8")) as {
    version: string;
  };
  const dir = await filledOnce(localDir, `chromium-${version}`, async (unfinished, finished) => {
    const bin = join(packageDir, "bin");
    await decompress(join(bin, "chromium.br"), join(unfinished, "chromium"));
    await chmod(join(unfinished, "chromium"), 0o755);
    for (const archive of archives) await untar(join(bin, archive), unfinished);
    await writeFontsConf(unfinished, finished, "fonts");
  });
  const env = { LD_LIBRARY_PATH: join(dir, "lib"), FONTCONFIG_FILE: join(dir, "fonts.conf") };
  return { path: join(dir, "chromium"), env };
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
