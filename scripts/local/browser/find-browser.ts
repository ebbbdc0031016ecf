/** Finds a browser that this machine can run. */
import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { type Browser, unpackedChromium } from "./unpacked-chromium.ts";

const names = ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser"];

/**
 * The browser at `BROWSER_PATH`; on Linux x64 the one of the npm package; else a Chrome or Chromium on PATH. `localDir`
 * is the clone's own scratch folder. Throws an Error that says how to get one.
 */
export async function findBrowser(localDir: string): Promise<Browser> {
  const given = process.env["BROWSER_PATH"];
  if (given !== undefined && given !== "") return { path: given, env: {} };
  if (process.platform === "linux" && process.arch === "x64") return unpackedChromium(localDir);
  for (const dir of (process.env["PATH"] ?? "").split(delimiter)) {
    for (const name of names) {
      const path = join(dir, name);
      if (await canRun(path)) return { path, env: {} };
    }
  }
  throw new Error(
    "there is no browser on this machine: install Chrome or Chromium, or set BROWSER_PATH to its program",
  );
}

function canRun(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
