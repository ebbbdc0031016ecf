import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it, vi } from "vitest";
import { patienceMs } from "../../../test/stack/until.ts";
import { createProcessGroup, type ProcessGroup } from "./processes.ts";

const node = process.execPath;
const groups: ProcessGroup[] = [];

function groupWith(lines: string[]): ProcessGroup {
  const group = createProcessGroup((line) => lines.push(line));
  groups.push(group);
  return group;
}

afterEach(async () => {
  for (const group of groups.splice(0)) await group.stopAll();
});

describe("a process group", () => {
  it("prefixes every line with the name of the program that printed it", async () => {
    const lines: string[] = [];
    const child = await groupWith(lines).start({
      name: "ledger",
      command: node,
      args: ["-e", 'console.log("one"); console.error("two")'],
    });
    expect(await child.exited).toEqual({ code: 0, signal: null });
    await vi.waitFor(() => expect(lines).toHaveLength(2), patienceMs);
    expect([...lines].sort()).toEqual(["ledger          | one", "ledger          | two"]);
    expect(child.lastLines().sort()).toEqual(["one", "two"]);
  });

  it("stops the youngest first", async () => {
    const lines: string[] = [];
    const group = groupWith(lines);
    const script =
      'process.on("SIGTERM", () => { console.log("bye"); process.exit(0); }); setInterval(() => {}, 1000); console.log("up")';
    await group.start({ name: "first", command: node, args: ["-e", script] });
    await group.start({ name: "second", command: node, args: ["-e", script] });
    await vi.waitFor(() => expect(lines.filter((line) => line.endsWith("up"))).toHaveLength(2), patienceMs);
    await group.stopAll();
    expect(lines.slice(2)).toEqual(["second          | bye", "first           | bye"]);
    expect(group.children()).toEqual([]);
  });

  it("kills what does not stop in time", async () => {
    const lines: string[] = [];
    const child = await groupWith(lines).start({
      name: "stubborn",
      command: node,
      args: ["-e", 'process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); console.log("up")'],
      stopWithinMs: 100,
    });
    await vi.waitFor(() => expect(lines).toEqual(["stubborn        | up"]), patienceMs);
    expect(await child.stop()).toEqual({ code: null, signal: "SIGKILL" });
  });

  it("reports that a program can't be started", async () => {
    const start = groupWith([]).start({ name: "nobody", command: "/nowhere/program", args: [] });
    await expect(start).rejects.toThrow("ENOENT");
  });

  it("leaves no child behind when its parent is killed with -9", async () => {
    const parentScript = `
      import { createProcessGroup } from ${JSON.stringify(new URL("./processes.ts", import.meta.url).href)};
      const group = createProcessGroup(() => {});
      const child = await group.start({ name: "orphan", command: ${JSON.stringify(node)}, args: ["-e", "setInterval(() => {}, 1000)"] });
      console.log(child.pid);
      setInterval(() => {}, 1000);`;
    const parent = spawn(node, ["--input-type=module-typescript", "-e", parentScript], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [line] = await once(createInterface({ input: parent.stdout }), "line");
    const orphanPid = Number(line);
    expect(isAlive(orphanPid)).toBe(true);
    parent.kill("SIGKILL");
    await vi.waitFor(() => expect(isAlive(orphanPid)).toBe(false), patienceMs);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // ESRCH: the process is gone.
    return false;
  }
}
