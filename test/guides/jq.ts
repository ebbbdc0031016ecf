/** Finds jq, or fetches it from the machine's own package mirror as `scripts/local/nats` does for nats-server. */
import { execFile } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const packages = ["jq", "libjq1", "libonig5"];

/** The folder to put on PATH so that `jq` runs; undefined where the machine has it. Throws when it can't be had. */
export async function folderWithJq(dir: string): Promise<string | undefined> {
  const isInstalled = await run("jq", ["--version"]).then(
    () => true,
    () => false,
  );
  return isInstalled ? undefined : fetchJq(dir);
}

/** Downloads and unpacks jq into a new folder in `dir`, and returns the folder of its start script. */
export async function fetchJq(dir: string): Promise<string> {
  await mkdir(dir, { recursive: true });
  const work = await mkdtemp(join(dir, "jq-"));
  try {
    await run("apt-get", ["-qq", "download", ...packages], { cwd: work });
    const archives = (await readdir(work)).filter((name) => name.endsWith(".deb"));
    for (const archive of archives) await run("dpkg", ["-x", archive, "unpacked"], { cwd: work });
    const { stdout } = await run("find", [join(work, "unpacked"), "-name", "libjq.so.1"]);
    const libraries = join(stdout.trim(), "..");
    const bin = join(work, "bin");
    await mkdir(bin);
    const script = `#!/bin/sh\nLD_LIBRARY_PATH='${libraries}' exec '${join(work, "unpacked/usr/bin/jq")}' "$@"\n`;
    await writeFile(join(bin, "jq"), script);
    await chmod(join(bin, "jq"), 0o755);
    await run(join(bin, "jq"), ["--version"]);
    return bin;
  } catch (cause) {
    throw new Error("the guides need jq: install it (apt-get install jq, brew install jq)", { cause });
  }
}
