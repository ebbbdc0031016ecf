/** `make start` to its first Completed order, in a copy of the clone that has been started once before. */
import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { claimPorts } from "../../scripts/local/processes/ports.ts";
import { createProcessGroup } from "../../scripts/local/processes/processes.ts";
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
const stopWithinMs = 60_000;
const what = "`make start` to a first Completed order";

/** Rejects soon after the signal is aborted, when what it started has stopped and its copy is removed. */
export async function measureStart(log: (line: string) => void, signal: AbortSignal): Promise<Row[]> {
  const clone = join(root, ".local", `bench-start-${String(process.pid)}`);
  await mkdir(clone, { recursive: true });
  try {
    for (const part of parts)
      await cp(join(root, part), join(clone, part), { recursive: true, preserveTimestamps: true });
    await symlink(join(root, "node_modules"), join(clone, "node_modules"));
    const first = await startOnce(clone, signal);
    log(`make start, new data: ${first.toFixed(1)} s`);
    const warm = await startOnce(clone, signal);
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
async function startOnce(clone: string, signal: AbortSignal): Promise<number> {
  const ports = await claimPorts(portVariables.length);
  signal.throwIfAborted();
  const ready = Promise.withResolvers<number>();
  const group = createProcessGroup((line) => {
    if (line.includes("Quittance is ready")) ready.resolve((performance.now() - startedAt) / 1_000);
  });
  const stop = () => void group.stopAll();
  const startedAt = performance.now();
  try {
    // make passes SIGTERM on to what it runs, and the group sends it too if the bench is killed.
    const make = await group.start({
      name: "make start",
      command: "make",
      args: ["--no-print-directory", "start"],
      cwd: clone,
      env: {
        ...process.env,
        ...Object.fromEntries(portVariables.map((name, index) => [name, String(ports[index] ?? 0)])),
      },
      stopWithinMs,
    });
    signal.throwIfAborted();
    signal.addEventListener("abort", stop);
    const late = setTimeout(() => ready.reject(new Error("make start: not ready in time")), readyWithinMs);
    const ended = make.exited.then(() => {
      signal.throwIfAborted();
      throw new Error(`make start ended:\n${make.lastLines().slice(-15).join("\n")}`);
    });
    return await Promise.race([ready.promise, ended]).finally(() => clearTimeout(late));
  } finally {
    signal.removeEventListener("abort", stop);
    await group.stopAll();
  }
}
