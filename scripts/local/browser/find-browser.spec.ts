import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findBrowser } from "./find-browser.ts";

const folder = await mkdtemp(join(tmpdir(), "quittance-find-browser-"));
afterAll(() => rm(folder, { recursive: true }));

/** A folder of PATH with these programs. */
async function pathWith(dir: string, programs: readonly string[], mode = 0o755): Promise<string> {
  await mkdir(join(folder, dir));
  for (const program of programs) await writeFile(join(folder, dir, program), "#!/bin/sh\n", { mode });
  return join(folder, dir);
}
const none = await pathWith("none", ["firefox"]);
const chromium = await pathWith("chromium", ["chromium", "chromium-browser"]);
const chrome = await pathWith("chrome", ["google-chrome"]);
const notAProgram = await pathWith("not-a-program", ["chromium"], 0o644);

const x64 = { platform: "linux", arch: "x64" };
const arm64 = { platform: "linux", arch: "arm64" };
const mac = { platform: "darwin", arch: "arm64" };
const noPackage = () => Promise.reject(new Error("the package mirror of ubuntu noble has no Chromium"));

/** On a machine of this kind, whose packages would give these. */
function found(
  kind: { platform: string; arch: string },
  env: Record<string, string>,
  fromDebian = (localDir: string) => Promise.resolve({ path: `${localDir}/debian`, env: {} }),
) {
  const fromNpm = (localDir: string) => Promise.resolve({ path: `${localDir}/npm`, env: { A: "b" } });
  return findBrowser("/clone/.local", { ...kind, env, fromNpm, fromDebian });
}

describe("the browser of a machine", () => {
  it("is the one that BROWSER_PATH names, before all others", async () => {
    for (const kind of [x64, arm64, mac])
      expect(await found(kind, { BROWSER_PATH: "/opt/chrome", PATH: chrome })).toEqual({
        path: "/opt/chrome",
        env: {},
      });
  });

  it("is the npm package's on Linux x64, whatever is on PATH: everybody tests with the same one", async () => {
    expect(await found(x64, { PATH: chrome })).toEqual({ path: "/clone/.local/npm", env: { A: "b" } });
    expect((await found(x64, { PATH: none, BROWSER_PATH: "" })).path).toBe("/clone/.local/npm");
  });

  it("is the first one on PATH elsewhere", async () => {
    for (const kind of [arm64, mac]) {
      const PATH = [none, notAProgram, chromium, chrome].join(delimiter);
      expect((await found(kind, { PATH })).path).toBe(join(chromium, "chromium"));
    }
  });

  it("is fetched from Debian's packages where PATH has none", async () => {
    expect((await found(arm64, { PATH: none })).path).toBe("/clone/.local/debian");
    expect((await found(arm64, {})).path).toBe("/clone/.local/debian");
  });

  it("is missing where nobody has one, and the error says what to do", async () => {
    await expect(found(arm64, { PATH: none }, noPackage)).rejects.toThrow(
      "there is no browser on this machine, and the package mirror of ubuntu noble has no Chromium: " +
        "install Chrome or Chromium, or set BROWSER_PATH to its program",
    );
    await expect(found(mac, { PATH: none })).rejects.toThrow(
      "there is no browser on this machine, and none can be fetched here: " +
        "install Chrome or Chromium, or set BROWSER_PATH to its program",
    );
  });
});
