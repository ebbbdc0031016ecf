/** `make start` to its first Completed order, in a copy of the clone that has been started once before. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { claimPorts } from "../../scripts/local/ports.ts";
import { bounded, notMeasured, type Row } from "../report.ts";

const root = join(import.meta.dirname, "../..");
const parts = [
  "Makefile",
  "package.json",
  "package-lock.json",
  "CHANGELOG.md",
  "tsconfig.json",
  "contracts",
  "services",
  "scripts",
  "dist",
];
const portVariables = [
  "API_PORT",
  "ORDERS_PORT",
  "LEDGER_PORT",
  "RAILS_PORT",
  "WEBHOOKS_PORT",
  "OPERATIONS_PORT",
  "POSTGRES_PORT",
  "NATS_PORT",
];
const readyWithinMs = 180_000;
const what = "`make start` to a first Completed order";

export async function measureStart(log: (line: string) => void): Promise<Row[]> {
  const clone = join(root, ".local", `bench-start-${String(process.pid)}`);
  await mkdir(clone, { recursive: true });
  try {
    for (const part of parts)
      await cp(join(root, part), join(clone, part), { recursive: true, preserveTimestamps: true });
    await symlink(join(root, "node_modules"), join(clone, "node_modules"));
    const first = await startOnce(clone);
    log(`make start, new data: ${first.toFixed(1)} s`);
    const warm = await startOnce(clone);
    const note = `the first start on new data, packages and build there: ${first.toFixed(1)} s`;
    return [
      bounded(`${what}, warm`, warm, { floor: 10, goal: 5, unit: "s" }, [note]),
      notMeasured(`${what}, from nothing`, { floor: "70 s", goal: "40 s" }, "needs npm ci on an empty cache"),
    ];
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
}

/** Seconds from the command to the line that shows the first payment. */
async function startOnce(clone: string): Promise<number> {
  const ports = await claimPorts(portVariables.length);
  const env = {
    ...process.env,
    ...Object.fromEntries(portVariables.map((name, index) => [name, String(ports[index] ?? 0)])),
  };
  const startedAt = performance.now();
  // A group of its own, so that one signal ends make and what it runs, as Ctrl-C does.
  const make = spawn("make", ["--no-print-directory", "start"], {
    cwd: clone,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(make, "exit");
  const lines: string[] = [];
  try {
    return await new Promise<number>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error("make start: not ready in time")), readyWithinMs);
      createInterface({ input: make.stdout }).on("line", (line) => {
        lines.push(line);
        if (!line.includes("Quittance is ready")) return;
        clearTimeout(late);
        resolve((performance.now() - startedAt) / 1_000);
      });
      createInterface({ input: make.stderr }).on("line", (line) => lines.push(line));
      void exited.then(() => reject(new Error(`make start ended:\n${lines.slice(-15).join("\n")}`)));
    });
  } finally {
    if (make.exitCode === null && make.pid !== undefined) process.kill(-make.pid, "SIGINT");
    await exited;
  }
}
