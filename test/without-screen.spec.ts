/** A checkout without clients/dashboard and test/browser: every screen can be removed, and the service remains. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const root = join(import.meta.dirname, "..");
const removed = ["clients/dashboard", "test/browser"];
const notCopied = new Set([".git", ".local", "node_modules", "dist", "coverage", ...removed]);

let tree: string;
beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), "quittance-without-screen-"));
  await cp(root, tree, { recursive: true, filter: (path) => !notCopied.has(relative(root, path)) });
  await symlink(join(root, "node_modules"), join(tree, "node_modules"));
});
afterAll(() => rm(tree, { recursive: true, force: true }));

/** Runs in the copy, and not as a part of the `make` that runs this test. Returns why it failed; "" if it did not. */
async function failureOf(program: string, ...args: string[]): Promise<string> {
  const { MAKEFLAGS: _flags, MAKELEVEL: _level, ...env } = process.env;
  try {
    await run(program, args, { cwd: tree, env });
    return "";
  } catch (error) {
    return `${String(error)}\n${(error as { stdout?: string }).stdout ?? ""}`;
  }
}
const tool = (name: string) => join(tree, "node_modules/.bin", name);

/** What an earlier build left. */
async function plantBuiltDashboard(): Promise<void> {
  await mkdir(join(tree, "dist/dashboard/assets"), { recursive: true });
  await writeFile(join(tree, "dist/dashboard/index.html"), "<!doctype html><title>Before</title>");
}

describe("a checkout without screens", () => {
  it("has none of their folders", () => {
    expect(removed.filter((folder) => existsSync(join(tree, folder)))).toEqual([]);
    expect(existsSync(join(tree, "services/api-gateway/main.ts"))).toBe(true);
  });

  // Types come by imports as well, so this is what `tsc` would find, in a tenth of its time.
  it("has no import that leads nowhere", async () => {
    const folders = ["contracts", "services", "scripts", "test", "bench", "clients"];
    expect(await failureOf(tool("depcruise"), ...folders)).toBe("");
  });

  it("has no dead code and no package that nothing uses", async () => {
    expect(await failureOf(tool("knip"), "--treat-config-hints-as-errors")).toBe("");
  });

  // Without dist/dashboard the gateway answers / with 404: services/api-gateway/dashboard/serve-dashboard.spec.ts.
  it("is built without the dashboard of an earlier build, by `make` and in the image", async () => {
    await plantBuiltDashboard();
    expect(await failureOf("make", "dashboard")).toBe("");
    expect(existsSync(join(tree, "dist/dashboard"))).toBe(false);
    await plantBuiltDashboard();
    expect(await failureOf(process.execPath, "scripts/build/dashboard.ts")).toBe("");
    expect(existsSync(join(tree, "dist/dashboard"))).toBe(false);
  });
});
