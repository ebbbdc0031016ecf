/** A nats-server of our own on the loopback address. */
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findNatsServer } from "./nats-binary.ts";
import { LOOPBACK } from "../processes/ports.ts";
import type { ProcessGroup } from "../processes/processes.ts";
import { natsAnswers, waitUntilReady } from "../processes/readiness.ts";

export interface NatsServerOptions {
  /** Folder for the configuration and the streams; made when missing. */
  home: string;
  /** The clone's scratch folder, for a download. */
  localDir: string;
  port: number;
  /** The text of the configuration: users, permissions, JetStream limits. Address, port and store come from here. */
  config: string;
  group: ProcessGroup;
  /** Serves nats-server's own monitoring pages on this port; none without it. */
  monitoringPort?: number;
}

export interface LocalNatsServer {
  /** Without credentials: each service brings its own. */
  url: string;
  port: number;
  pid: number;
  version: string;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 30_000;

/** Starts nats-server; resolves when it serves clients, throws NotReadyError with its last lines otherwise. */
export async function startNatsServer(options: NatsServerOptions): Promise<LocalNatsServer> {
  const { home, port, group } = options;
  await mkdir(home, { recursive: true, mode: 0o700 });
  const binary = await findNatsServer(options.localDir, (line) => options.group.log("nats", line));
  const configFile = join(home, "nats.conf");
  // It contains the users' passwords.
  await writeFile(configFile, options.config, { mode: 0o600 });
  const store = join(home, "store");
  // The streams had no account of their own before; the folder has the account's name, and "streams" is theirs now.
  await rename(join(store, "jetstream/$G"), join(store, "jetstream/streams")).catch(() => undefined); // a new store
  const address = ["--addr", LOOPBACK, "--port", String(port), "--store_dir", store];
  const monitoring = options.monitoringPort ? ["--http_port", String(options.monitoringPort)] : [];
  const child = await group.start({
    name: "nats",
    command: binary.path,
    args: ["--config", configFile, ...address, ...monitoring],
    cwd: home,
    stopWithinMs: 20_000,
  });
  await waitUntilReady({ child, answers: () => natsAnswers(port), deadlineMs: READY_WITHIN_MS });
  return {
    url: `nats://${LOOPBACK}:${port}`,
    port,
    pid: child.pid,
    version: binary.version,
    async stop() {
      await child.stop();
    },
  };
}
