/** The browser of a machine that has none. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished, vi } from "vitest";
import { unpackedChromium } from "./unpacked-chromium.ts";

const run = promisify(execFile);

const runsHere = process.platform === "linux" && process.arch === "x64";

it.runIf(runsHere)("is unpacked by several test files at once, into one folder, and starts", async () => {
  const cache = await mkdtemp(join(tmpdir(), "quittance-browser-"));
  onTestFinished(() => rm(cache, { recursive: true, force: true }));
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("XDG_CACHE_HOME", cache);
  const browsers = await Promise.all([1, 2, 3, 4].map(() => unpackedChromium(join(cache, "unused"))));
  expect(await readdir(join(cache, "quittance"))).toEqual([expect.stringMatching(/^chromium-[\d.]+$/)]);
  for (const { path, env } of browsers) {
    const { stdout } = await run(path, ["--version"], { env: { ...process.env, ...env } });
    expect(stdout).toMatch(/^(HeadlessChrome|Chromium|Google Chrome)/);
  }
});
