/** A Postgres 18 of our own on the loopback address, from the programs that npm installed. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { access, chown, mkdir, readFile, readlink, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { LOOPBACK } from "../processes/ports.ts";
import { type PostgresLocation, choosePostgresLocation } from "./postgres-binary.ts";
import type { Child, ProcessGroup } from "../processes/processes.ts";
import { NotReadyError, postgresAnswers, waitUntilReady } from "../processes/readiness.ts";

const run = promisify(execFile);

export interface PostgresOptions {
  /** Folder for the data and the password; made when missing. */
  home: string;
  port: number;
  group: ProcessGroup;
  /** Settings over the defaults below, as `-c name=value`. */
  settings?: Readonly<Record<string, string>>;
}

export interface LocalPostgres {
  /** Superuser, database `postgres`. A secret: never print it. */
  adminUrl: string;
  port: number;
  pid: number;
  /** The actual folder of its files; differs from `home` if its user can't reach that. */
  home: string;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;
const ORPHAN_GONE_WITHIN_MS = 10_000;

/**
 * Fast settings, with every commit on disk. Autovacuum runs often because the hot tables (balances, outbox) are updated
 * constantly, and checkpoints are rare because each doubles the WAL after it.
 */
export const DEFAULT_SETTINGS: Readonly<Record<string, string>> = {
  max_connections: "400",
  shared_buffers: "256MB",
  fsync: "on",
  synchronous_commit: "on",
  full_page_writes: "on",
  wal_compression: "on",
  max_wal_size: "2GB",
  checkpoint_timeout: "15min",
  autovacuum_naptime: "5s",
  autovacuum_vacuum_scale_factor: "0.02",
  autovacuum_vacuum_cost_delay: "0",
  // Postgres 18 counts inserts against the rows that are not frozen yet, so a large table that only grows would be
  // vacuumed every few seconds.
  autovacuum_vacuum_insert_threshold: "100000",
  // A table that begins empty grows by a tenth every few seconds: sampling it each time took 5 % of the
  // machine under load. No plan of a payment depends on statistics.
  autovacuum_analyze_threshold: "50000",
  timezone: "UTC",
  log_timezone: "UTC",
  log_line_prefix: "",
  // Clients get the errors of their statements, so the log only has what ends a session or the server.
  log_min_messages: "fatal",
};

/**
 * Starts Postgres on `home`, initialising it the first time; resolves when it accepts sessions.
 * Works on data whose last server was killed. Throws NotReadyError with its last lines when it can't.
 */
export async function startPostgres(options: PostgresOptions): Promise<LocalPostgres> {
  const location = await choosePostgresLocation(options.home);
  const dataDir = join(location.home, "data");
  const password = await readOrMakePassword(location, dataDir);
  await initialise(location, dataDir, password);
  await makeWayForNewServer(dataDir);
  const child = await startServer(location, dataDir, options);
  return {
    adminUrl: `postgres://postgres:${password}@${LOOPBACK}:${options.port}/postgres`,
    port: options.port,
    pid: child.pid,
    home: location.home,
    async stop() {
      await child.stop();
    },
  };
}

async function readOrMakePassword(location: PostgresLocation, dataDir: string): Promise<string> {
  const file = join(location.home, "password");
  if (await exists(file)) return readFile(file, "utf8");
  if (await isInitialised(dataDir)) {
    throw new Error(
      `${dataDir} has data but ${file} is gone; put it back, or remove ${location.home} to begin anew`,
    );
  }
  const password = randomBytes(24).toString("hex");
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

async function initialise(location: PostgresLocation, dataDir: string, password: string): Promise<void> {
  if (await isInitialised(dataDir)) {
    // An ordinary user may have created it, and root's Postgres runs as nobody.
    if (location.user) await run("chown", ["-R", `${location.user.uid}:${location.user.gid}`, dataDir]);
    return;
  }
  const unfinished = `${dataDir}.new`;
  const passwordFile = join(location.home, "initdb-password");
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (location.user) {
    await chown(unfinished, location.user.uid, location.user.gid);
    await chown(passwordFile, location.user.uid, location.user.gid);
  }
  try {
    const locale = ["--encoding=UTF8", "--locale-provider=builtin", "--locale=C.UTF-8"];
    const login = ["--username=postgres", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
    await run(
      join(location.binDir, "initdb"),
      ["-D", unfinished, ...locale, ...login],
      processOptions(location),
    );
  } finally {
    await rm(passwordFile, { force: true });
  }
  // Renamed when it is complete, so that a killed initdb leaves nothing that looks like a database.
  await rm(dataDir, { recursive: true, force: true });
  await rename(unfinished, dataDir);
}

function isInitialised(dataDir: string): Promise<boolean> {
  return exists(join(dataDir, "PG_VERSION"));
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

// LC_ALL and PG* of the caller must not change what the server does.
function processOptions(location: PostgresLocation) {
  return { cwd: "/", env: { PATH: process.env["PATH"], LC_ALL: "C" }, ...location.user };
}

async function startServer(
  location: PostgresLocation,
  dataDir: string,
  options: PostgresOptions,
): Promise<Child> {
  const settings: Record<string, string> = {
    ...DEFAULT_SETTINGS,
    ...options.settings,
    port: String(options.port),
    listen_addresses: LOOPBACK,
    unix_socket_directories: "",
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const { cwd, env } = processOptions(location);
  const deadline = Date.now() + ORPHAN_GONE_WITHIN_MS;
  for (;;) {
    const child = await options.group.start({
      name: "postgres",
      command: join(location.binDir, "postgres"),
      args: ["-D", dataDir, ...flags],
      cwd,
      env,
      // Fast shutdown: ends the sessions, writes a checkpoint. SIGTERM would wait for every client.
      stopSignal: "SIGINT",
      stopWithinMs: 30_000,
      ...(location.user ? { user: location.user } : {}),
    });
    try {
      await waitUntilReady({
        child,
        answers: () => postgresAnswers(options.port),
        deadlineMs: READY_WITHIN_MS,
      });
      return child;
    } catch (error) {
      await child.stop();
      // Backends of a killed server take a moment to end; until then their shared memory blocks a new server.
      const orphans = error instanceof NotReadyError && error.message.includes("shared memory block");
      if (!orphans || Date.now() > deadline) throw error;
      await delay(200);
    }
  }
}

/**
 * Leaves no `postmaster.pid` that would stop a new server: waits for an old server on the same data to
 * end, and removes the file when its pid now belongs to another program (after a reboot, pids repeat).
 */
async function makeWayForNewServer(dataDir: string): Promise<void> {
  const pidFile = join(dataDir, "postmaster.pid");
  const pid = Number((await readFile(pidFile, "utf8").catch(() => "")).split("\n")[0]);
  if (!pid) return;
  const deadline = Date.now() + ORPHAN_GONE_WITHIN_MS;
  while (await servesData(pid, dataDir)) {
    if (Date.now() > deadline) {
      throw new Error(
        `another Postgres (pid ${pid}) serves ${dataDir}: stop the service that started it first`,
      );
    }
    await delay(100);
  }
  await rm(pidFile, { force: true });
}

async function servesData(pid: number, dataDir: string): Promise<boolean> {
  if (process.platform === "linux") {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => "");
    return cwd === (await realpath(dataDir));
  }
  const { stdout } = await run("ps", ["-o", "command=", "-p", String(pid)]).catch(() => ({ stdout: "" }));
  return stdout.includes(dataDir);
}
