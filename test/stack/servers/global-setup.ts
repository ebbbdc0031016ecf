/**
 * One Postgres and one nats-server for a whole vitest run: in containers where Docker answers and has the images, from
 * this machine's programs otherwise.
 */
import { randomBytes } from "node:crypto";
import type { TestProject } from "vitest/node";
import { services } from "../../../contracts/message.ts";
import { natsConfig } from "../../../services/platform/nats/nats-config.ts";
import { dockerAnswers, startContainers } from "./container-servers.ts";
import { createTestBench } from "./local-servers.ts";
import type { TestServers } from "./provided.ts";

interface Running {
  servers: TestServers;
  close(): Promise<void>;
}

// Each vitest project evaluates this file again, so they share the servers through the global object.
const shared = globalThis as typeof globalThis & {
  quittanceTestServers?: { running: Promise<Running>; users: number };
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.quittanceTestServers ??= { running: startServers(), users: 0 };
  const ours = shared.quittanceTestServers;
  ours.users += 1;
  const { servers, close } = await ours.running;
  project.provide("servers", servers);
  return async () => {
    ours.users -= 1;
    if (ours.users > 0) return;
    delete shared.quittanceTestServers;
    await close();
  };
}

/** Its parts, so that a test can have a Docker that fails. */
const docker = { answers: dockerAnswers, start: startContainers };

export async function startServers({ answers, start } = docker): Promise<Running> {
  const natsPasswords = makePasswords();
  const rolePassword = randomBytes(12).toString("hex");
  const config = natsConfig(natsPasswords);
  const containers = (await answers())
    ? await start(config).catch((error: unknown) => {
        process.stderr.write(`Docker starts no servers, so this machine's programs do: ${String(error)}\n`);
      })
    : undefined;
  if (containers !== undefined) {
    return {
      servers: {
        postgresAdminUrl: containers.postgresAdminUrl,
        natsUrl: containers.natsUrl,
        natsPasswords,
        rolePassword,
      },
      close: containers.close,
    };
  }
  const bench = await createTestBench();
  try {
    const [postgres, nats] = await Promise.all([bench.startPostgres(), bench.startNats(config)]);
    return {
      servers: { postgresAdminUrl: postgres.adminUrl, natsUrl: nats.url, natsPasswords, rolePassword },
      close: bench.close,
    };
  } catch (error) {
    await bench.close();
    throw error;
  }
}

function makePasswords(): TestServers["natsPasswords"] {
  const users = [...services, "operator" as const];
  return Object.fromEntries(
    users.map((user) => [user, randomBytes(12).toString("hex")]),
  ) as TestServers["natsPasswords"];
}
