/** Finds a browser that this machine can run. */
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import type { Browser } from "./browser-folder.ts";
import { debianChromium } from "./debian-chromium.ts";
import { unpackedChromium } from "./unpacked-chromium.ts";

const names = ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser"];

/** What decides which browser there is. */
interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fromNpm: (localDir: string) => Promise<Browser>;
  readonly fromDebian: (localDir: string) => Promise<Browser>;
}

const thisMachine: Machine = {
  platform: process.platform,
  arch: process.arch,
  env: process.env,
  fromNpm: unpackedChromium,
  fromDebian: debianChromium,
};

/**
 * The browser at `BROWSER_PATH`; on Linux x64 the one of the npm package; else a Chrome or Chromium on PATH; else, on
 * Debian, the one of its packages. `localDir` is the clone's own scratch folder. Throws an Error that says how to get
 * one.
 */
export async function findBrowser(localDir: string, machine: Machine = thisMachine): Promise<Browser> {
  const { platform, arch, env, fromNpm, fromDebian } = machine;
  const given = env["BROWSER_PATH"];
  if (given !== undefined && given !== "") return { path: given, env: {} };
  if (platform === "linux" && arch === "x64") return fromNpm(localDir);
  for (const dir of (env["PATH"] ?? "").split(delimiter)) {
    for (const name of names) {
      const path = join(dir, name);
      if (await canRun(path)) return { path, env: {} };
    }
  }
  if (platform !== "linux") throw new Error(ways("none can be fetched here"));
  return fromDebian(localDir).catch((cause: unknown) => {
    throw new Error(ways(cause instanceof Error ? cause.message : String(cause)), { cause });
  });
}

const ways = (reason: string) =>
  `there is no browser on this machine, and ${reason}: install Chrome or Chromium, or set BROWSER_PATH to its program`;

function canRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
