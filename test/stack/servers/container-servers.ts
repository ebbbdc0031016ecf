/** The same two servers from containers, on a machine where Docker answers. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";

const run = promisify(execFile);
const DOCKER_ANSWERS_WITHIN_MS = 3_000;

// The images of docker-compose.yml.
const POSTGRES_IMAGE = "postgres:18";
const NATS_IMAGE = "nats:2.10-alpine";

export interface ContainerServers {
  postgresAdminUrl: string;
  natsUrl: string;
  close(): Promise<void>;
}

export async function dockerAnswers(): Promise<boolean> {
  return run("docker", ["info"], { timeout: DOCKER_ANSWERS_WITHIN_MS }).then(
    () => true,
    () => false,
  );
}

export async function startContainers(natsConfig: string): Promise<ContainerServers> {
  // Only here: the library takes a moment to load that a run without Docker need not spend.
  const { GenericContainer, Wait } = await import("testcontainers");
  const password = randomBytes(24).toString("hex");
  const [postgres, nats] = await Promise.all([
    new GenericContainer(POSTGRES_IMAGE)
      .withEnvironment({ POSTGRES_PASSWORD: password })
      .withCommand(["postgres", "-c", "max_connections=700", "-c", "shared_buffers=128MB"])
      .withSharedMemorySize(256 * 1024 * 1024)
      .withExposedPorts(5432)
      // Once while it initialises, once when it really serves.
      .withWaitStrategy(Wait.forLogMessage("database system is ready to accept connections", 2))
      .start(),
    new GenericContainer(NATS_IMAGE)
      .withCopyContentToContainer([{ content: natsConfig, target: "/etc/nats/quittance.conf" }])
      .withCommand(["--config", "/etc/nats/quittance.conf", "--store_dir", "/data"])
      .withExposedPorts(4222)
      .withWaitStrategy(Wait.forLogMessage("Server is ready"))
      .start(),
  ]);
  return {
    postgresAdminUrl: `postgres://postgres:${password}@${postgres.getHost()}:${postgres.getMappedPort(5432)}/postgres`,
    natsUrl: `nats://${nats.getHost()}:${nats.getMappedPort(4222)}`,
    async close() {
      await Promise.all([postgres.stop(), nats.stop()]);
    },
  };
}
