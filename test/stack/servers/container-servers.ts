/** The same two servers from containers, on a machine where Docker answers. */
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { DEFAULT_SETTINGS } from "../../../scripts/local/postgres/postgres.ts";
import { TEST_SETTINGS } from "./local-servers.ts";

const run = promisify(execFile);
const DOCKER_ANSWERS_WITHIN_MS = 3_000;

// The images of docker-compose.yml.
const POSTGRES_IMAGE = "postgres:18";
const NATS_IMAGE = "nats:2.10-alpine";

/** As Postgres without Docker, but with the log that says when it serves. */
export const postgresCommand = [
  "postgres",
  ...Object.entries({ ...DEFAULT_SETTINGS, ...TEST_SETTINGS, log_min_messages: "log" }).flatMap(
    ([name, value]) => ["-c", `${name}=${value}`],
  ),
];

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

/** Rejects when one of them can't be started, such as without a way to the images; the other one is stopped. */
export async function startContainers(natsConfig: string): Promise<ContainerServers> {
  // Only here: the library takes a moment to load that a run without Docker need not spend.
  const { GenericContainer, Wait } = await import("testcontainers");
  const password = randomBytes(24).toString("hex");
  const starting = [
    new GenericContainer(POSTGRES_IMAGE)
      .withEnvironment({ POSTGRES_PASSWORD: password })
      .withCommand(postgresCommand)
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
  ] as const;
  await using opened = new AsyncDisposableStack();
  for (const result of await Promise.allSettled(starting)) {
    if (result.status === "fulfilled") opened.defer(async () => void (await result.value.stop()));
  }
  const [postgres, nats] = await Promise.all(starting);
  const kept = opened.move();
  return {
    postgresAdminUrl: `postgres://postgres:${password}@${postgres.getHost()}:${postgres.getMappedPort(5432)}/postgres`,
    natsUrl: `nats://${nats.getHost()}:${nats.getMappedPort(4222)}`,
    close: () => kept.disposeAsync(),
  };
}
