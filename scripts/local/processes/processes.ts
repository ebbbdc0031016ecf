/**
 * Child processes of a local run. Each line that they print is prefixed with their name, each can be stopped by its
 * pid, and none outlives the process that started it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";

export interface ChildSpec {
  name: string;
  command: string;
  args: readonly string[];
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** Runs the child as another user; needs root. */
  user?: { uid: number; gid: number };
  /** The signal that stops this program in order. Default: SIGTERM. */
  stopSignal?: NodeJS.Signals;
  /** How long it may take to stop before it is killed. */
  stopWithinMs?: number;
}

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface Child {
  name: string;
  pid: number;
  /** Resolves when the process is gone; never rejects. */
  exited: Promise<Exit>;
  /** The last lines it printed, for a message that explains why it ended. */
  lastLines(): string[];
  /** Sends the stop signal, waits, kills it after the deadline; resolves when it is gone. */
  stop(): Promise<Exit>;
}

export interface ProcessGroup {
  start(spec: ChildSpec): Promise<Child>;
  /** Stops every child that still runs, the youngest first, one after the other. */
  stopAll(): Promise<void>;
  children(): readonly Child[];
  /** Adds a line of our own to the same stream. */
  log(name: string, line: string): void;
}

const KEPT_LINES = 40;
const STOP_WITHIN_MS = 10_000;

/**
 * A group of children that live no longer than this process. `log` receives each finished line of
 * stdout and stderr as `name | line`.
 */
export function createProcessGroup(log: (line: string) => void): ProcessGroup {
  const running: Child[] = [];
  const guard = createGuard();
  return {
    async start(spec) {
      const child = await startChild(spec, log);
      running.push(child);
      guard.watch(child.pid, spec.stopSignal ?? "SIGTERM");
      void child.exited.then(() => {
        running.splice(running.indexOf(child), 1);
        guard.forget(child.pid);
      });
      return child;
    },
    async stopAll() {
      for (const child of [...running].reverse()) await child.stop();
      await guard.dismiss();
    },
    children: () => [...running],
    log: (name, line) => log(withName(name, line)),
  };
}

async function startChild(spec: ChildSpec, log: (line: string) => void): Promise<Child> {
  // A process group of its own: Ctrl-C in the terminal reaches only us, and we stop them in order.
  const handle = spawn(spec.command, [...spec.args], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: spec.env ?? process.env,
    ...(spec.cwd ? { cwd: spec.cwd } : {}),
    ...spec.user,
  });
  const exited = exitOf(handle);
  const lastLines: string[] = [];
  for (const stream of [handle.stdout, handle.stderr]) {
    forEachLine(stream, (line) => {
      lastLines.push(line);
      if (lastLines.length > KEPT_LINES) lastLines.shift();
      log(withName(spec.name, line));
    });
  }
  await once(handle, "spawn");
  const pid = handle.pid;
  if (pid === undefined) throw new Error(`${spec.name} has no process id`);
  return {
    name: spec.name,
    pid,
    exited,
    lastLines: () => [...lastLines],
    stop: () => stopChild(handle, exited, spec),
  };
}

const LONGEST_NAME = "rails-simulator".length;

function withName(name: string, line: string): string {
  return `${name.padEnd(LONGEST_NAME)} | ${line}`;
}

async function stopChild(handle: ChildProcess, exited: Promise<Exit>, spec: ChildSpec): Promise<Exit> {
  if (handle.exitCode === null && handle.signalCode === null) handle.kill(spec.stopSignal ?? "SIGTERM");
  const deadline = new AbortController();
  const late = delay(spec.stopWithinMs ?? STOP_WITHIN_MS, "late" as const, { signal: deadline.signal });
  const first = await Promise.race([exited, late.catch(() => "late" as const)]);
  deadline.abort();
  if (first === "late") handle.kill("SIGKILL");
  return exited;
}

function exitOf(handle: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    handle.once("exit", (code, signal) => resolve({ code, signal }));
    // A program that can't be started at all; `once(handle, "spawn")` reports the reason.
    handle.once("error", () => resolve({ code: null, signal: null }));
  });
}

function forEachLine(stream: Readable, take: (line: string) => void): void {
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", take);
}

// Reads `watch PID SIGNAL` and `forget PID`. When its input ends while it still watches somebody, the
// parent died (kill -9 leaves it no chance to clean up), so the guard ends the children in its place.
const GUARD_SCRIPT = `
watched=""
while read -r verb pid signal; do
  case "$verb" in
    watch) watched="$watched $pid:$signal" ;;
    forget)
      kept=""
      for entry in $watched; do [ "\${entry%%:*}" = "$pid" ] || kept="$kept $entry"; done
      watched="$kept" ;;
  esac
done
[ -n "$watched" ] || exit 0
for entry in $watched; do kill -s "\${entry#*:}" "\${entry%%:*}" 2>/dev/null; done
tries=0
while [ $tries -lt 50 ]; do
  alive=""
  for entry in $watched; do kill -0 "\${entry%%:*}" 2>/dev/null && alive=1; done
  [ -n "$alive" ] || exit 0
  tries=$((tries + 1))
  sleep 0.1
done
for entry in $watched; do kill -s KILL "\${entry%%:*}" 2>/dev/null; done
`;

function createGuard() {
  const guard = spawn("/bin/sh", ["-c", GUARD_SCRIPT], {
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  const ended = exitOf(guard);
  // The guard may run a moment longer than the children; it must not keep this process alive.
  guard.unref();
  guard.stdin.on("error", () => undefined);
  const write = (line: string) => {
    if (guard.stdin.writable) guard.stdin.write(`${line}\n`);
  };
  return {
    watch: (pid: number, signal: NodeJS.Signals) => write(`watch ${pid} ${signal.replace("SIG", "")}`),
    forget: (pid: number) => write(`forget ${pid}`),
    async dismiss() {
      guard.ref();
      guard.stdin.end();
      await ended;
    },
  };
}
