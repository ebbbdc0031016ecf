/** Servers for tests from local programs: ports and folders of their own, gone without a trace afterwards. */
import { rmSync } from "node:fs";
import { chmod, mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LocalNatsServer, startNatsServer } from "../../../scripts/local/nats/nats-server.ts";
import { claimPort } from "../../../scripts/local/processes/ports.ts";
import { type LocalPostgres, startPostgres } from "../../../scripts/local/postgres/postgres.ts";
import { createProcessGroup, type ProcessGroup } from "../../../scripts/local/processes/processes.ts";
import { removeFoldersOfDeadProcesses } from "../../../scripts/local/processes/scratch.ts";

const FOLDER_PREFIX = "quittance-test-";
const repositoryScratch = join(import.meta.dirname, "../../../.local");

/**
 * Postgres settings for tests: as in the sandbox, with less memory since several may run at once. Each copy of a
 * database begins with a checkpoint, after which whole pages go through the WAL. Compressing them would take CPU for
 * nothing.
 */
export const TEST_SETTINGS = {
  max_connections: "700",
  shared_buffers: "128MB",
  max_wal_size: "512MB",
  wal_compression: "off",
  // Postgres looks at each database this often, so hundreds of them would keep it busy.
  autovacuum_naptime: "1min",
};

/** A file system in memory, if the machine has one. */
const MEMORY = "/dev/shm";
/** More than the servers of two runs take. */
const ROOM_BYTES = 4 * 2 ** 30;

export interface TestBench {
  /** Its files, and whatever else has to be gone with them. */
  readonly folder: string;
  startPostgres(port?: number): Promise<LocalPostgres>;
  startNats(config: string, port?: number): Promise<LocalNatsServer>;
  /** Stops what was started here, and removes its files. */
  close(): Promise<void>;
}

/**
 * A folder and a process group for servers of one test or one run. Starting a server again after it was
 * stopped or killed continues on its data; give the same port to let its clients find it.
 */
export async function createTestBench(): Promise<TestBench> {
  const parent = await parentOfFolders();
  await removeFoldersOfDeadProcesses(parent, new RegExp(`^${FOLDER_PREFIX}(\\d+)-`));
  const folder = await mkdtemp(join(parent, `${FOLDER_PREFIX}${process.pid}-`));
  // Postgres may run as another user than we do, and has to pass through.
  await chmod(folder, 0o711);
  // An interrupted run closes nothing, and should not keep the memory.
  const removeNow = () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  process.once("exit", removeNow);
  const group: ProcessGroup = createProcessGroup(() => undefined);
  const homes = new Set([folder]);
  return {
    folder,
    async startPostgres(port) {
      const postgres = await startPostgres({
        home: join(folder, "postgres"),
        port: port ?? (await claimPort()),
        group,
        settings: TEST_SETTINGS,
      });
      homes.add(postgres.home);
      return postgres;
    },
    async startNats(config, port) {
      return startNatsServer({
        home: join(folder, "nats"),
        localDir: repositoryScratch,
        port: port ?? (await claimPort()),
        config,
        group,
      });
    },
    async close() {
      await group.stopAll();
      for (const home of homes) await rm(home, { recursive: true, force: true });
      process.off("exit", removeNow);
    },
  };
}

/**
 * Memory where there is room, because a run makes hundreds of databases of four hundred files each: some disks take
 * half a second for one.
 */
async function parentOfFolders(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 })); // not on this system
  return Math.min(bavail * bsize, process.availableMemory()) > ROOM_BYTES ? MEMORY : tmpdir();
}
