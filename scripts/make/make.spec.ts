import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readlinkSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let clone = "";
const children: ChildProcess[] = [];
beforeEach(async () => {
  clone = await mkdtemp(join(tmpdir(), "make-"));
  await mkdir(join(clone, ".local"));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await rm(clone, { recursive: true });
});

/** The id of a process that has ended. */
const dead = () => String(spawnSync("true").pid);

function start(script: string, ...args: string[]) {
  const env = { ...process.env, PATH: `${join(clone, "bin")}:${process.env["PATH"] ?? ""}` };
  const child = spawn("sh", [join(import.meta.dirname, script), ...args], { cwd: clone, env });
  children.push(child);
  const run = { child, output: "", ended: once(child, "close") };
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (run.output += chunk.toString()));
  return run;
}

/** A process that has this script among its arguments, as `ps` shows them. Ends with the test. */
async function running(script: string): Promise<string> {
  const child = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)", script]);
  children.push(child);
  await once(child, "spawn");
  return String(child.pid);
}

/** Runs to the end of its input. */
const held = () => start("alone.sh", "sh", "-c", "echo began; cat; echo ended");

describe("what one make does alone", () => {
  it("is waited for by a second one, which says so", async () => {
    const first = held();
    await expect.poll(() => first.output).toBe("began\n");
    const second = held();
    await expect
      .poll(() => second.output)
      .toBe(
        `another make is installing or building (process ${String(first.child.pid)}, .local/installing): waiting\n`,
      );
    first.child.stdin.end();
    await first.ended;
    expect(first.output).toBe("began\nended\n");
    await expect.poll(() => second.output).toContain("waiting\nbegan\n");
    second.child.stdin.end();
    await second.ended;
    expect(existsSync(join(clone, ".local/installing"))).toBe(false);
  });

  it("passes its exit code on, and is over when it fails or is stopped", async () => {
    const failing = start("alone.sh", "sh", "-c", "exit 7");
    expect(await failing.ended).toEqual([7, null]);
    const stopped = start("alone.sh", "sh", "-c", "kill -TERM $PPID; exit 0");
    expect(await stopped.ended).toEqual([143, null]);
    expect(() => readlinkSync(join(clone, ".local/installing"))).toThrow("ENOENT");
  });

  it("is not waited for where its process was killed", async () => {
    await symlink(dead(), join(clone, ".local/installing"));
    const next = start("alone.sh", "echo", "began");
    await next.ended;
    expect(next.output).toBe("began\n");
  });
});

describe("the lock of a process that was killed", () => {
  it("counts for nothing while another program has its id", async () => {
    await symlink(String(process.pid), join(clone, ".local/installing"));
    const next = start("alone.sh", "echo", "began");
    await next.ended;
    expect(next.output).toBe("began\n");
  });

  it("counts where `ps` can't say which program that is", async () => {
    const bin = join(clone, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "ps"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
    await symlink(String(process.pid), join(clone, ".local/installing"));
    const next = start("alone.sh", "echo", "began");
    await expect.poll(() => next.output).toContain("waiting");
    expect(next.output).toBe(
      `another make is installing or building (process ${String(process.pid)}, .local/installing): waiting\n`,
    );
  });
});

describe("make clean", () => {
  const clean = async () => {
    await mkdir(join(clone, "dist"), { recursive: true });
    const run = start("clean.sh");
    const [code] = await run.ended;
    return { code, output: run.output, removed: !existsSync(join(clone, "dist")) };
  };

  it.each([
    ["no process", dead()],
    ["another program", String(process.pid)],
  ])("removes what was built where %s has the id of a lock, and says what it leaves", async (_what, id) => {
    await writeFile(join(clone, ".local/start.pid"), id);
    await symlink(id, join(clone, ".local/installing"));
    expect(await clean()).toEqual({
      code: 0,
      output: "left: node_modules/, clients/, and .local/ with the data of the local service\n",
      removed: true,
    });
  });

  it("refuses while the service runs from this clone", async () => {
    const runner = await running("scripts/start.ts");
    await writeFile(join(clone, ".local/start.pid"), runner);
    expect(await clean()).toEqual({
      code: 1,
      output: `nothing was removed: make start runs from this clone (process ${runner}, .local/start.pid): stop it first\n`,
      removed: false,
    });
  });

  it("refuses while another make installs or builds", async () => {
    const holder = await running("scripts/make/alone.sh");
    await symlink(holder, join(clone, ".local/installing"));
    expect(await clean()).toEqual({
      code: 1,
      output: `nothing was removed: another make is installing or building (process ${holder}, .local/installing)\n`,
      removed: false,
    });
  });
});

describe("what make builds again", () => {
  const sources = [
    "package-lock.json",
    "tsconfig.json",
    "contracts/openapi/v1.json",
    "contracts/errors.ts",
    "services/ledger/main.ts",
    "clients/dashboard/main.tsx",
    ...["bundle", "client", "dashboard", "put-in-place", "services"].map(
      (name) => `scripts/build/${name}.ts`,
    ),
  ];
  const built = ["clients/typescript/index.ts", "dist/.built", "dist/dashboard/index.html"];

  /** What a change of this file makes out of date, in a clone where all is built. */
  async function outOfDateAfter(source: string): Promise<string[]> {
    const { MAKEFLAGS: _flags, MAKELEVEL: _level, ...env } = process.env;
    const isUpToDate = (target: string) =>
      spawnSync("make", ["-q", target], { cwd: clone, env }).status === 0;
    await cp(join(import.meta.dirname, "../../Makefile"), join(clone, "Makefile"));
    for (const [index, file] of [...sources, ...built].entries()) {
      await mkdir(dirname(join(clone, file)), { recursive: true });
      await writeFile(join(clone, file), "");
      await utimes(join(clone, file), index, index);
    }
    expect(built.filter((target) => !isUpToDate(target))).toEqual([]);
    await utimes(join(clone, source), 1_000, 1_000);
    return built.filter((target) => !isUpToDate(target));
  }

  it.each([
    ["package-lock.json", built],
    ["contracts/openapi/v1.json", ["clients/typescript/index.ts", "dist/dashboard/index.html"]],
    ["contracts/errors.ts", ["dist/.built", "dist/dashboard/index.html"]],
    ["services/ledger/main.ts", ["dist/.built"]],
    ["clients/dashboard/main.tsx", ["dist/dashboard/index.html"]],
  ])("after a change of %s", async (source, expected) => {
    expect(await outOfDateAfter(source)).toEqual(expected);
  });
});
