/**
 * The system (all five services) that journeys share, started once for a whole vitest run. Each file has a tenant of
 * its own in it (`World.join`): books share nothing.
 */
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { services } from "../../../contracts/message.ts";
import { createProcessGroup } from "../../../scripts/local/processes/processes.ts";
import { claimPortsOf, prepareStreams, startServices } from "../../../scripts/local/system.ts";
import { natsConfig } from "../../../services/platform/nats/nats-config.ts";
import { watchForLoss } from "../../stack/lost-services.ts";
import { createDatabase } from "../../stack/servers/database.ts";
import { createTestBench } from "../../stack/servers/local-servers.ts";
import { secretsOfRun } from "./secrets.ts";
import type { Reached } from "../world.ts";

declare module "vitest" {
  interface ProvidedContext {
    system: Reached & { readonly gatewayUrl: string };
  }
}

/** Runs after the set-up that starts the run's servers. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { servers } = project.getProvidedContext();
  const bench = await createTestBench();
  const group = createProcessGroup(() => undefined);
  const stopping = new AbortController();
  const close = async () => {
    stopping.abort();
    await group.stopAll();
    await bench.close();
  };
  try {
    const secrets = secretsOfRun(servers);
    const [nats, database] = await Promise.all([
      bench.startNats(natsConfig(secrets.natsPasswords)),
      createDatabase([...services], servers),
    ]);
    const reached: Reached = { adminUrl: database.adminUrl, natsUrl: nats.url, secrets };
    await prepareStreams(reached);
    const env = { REQUESTS_UNDER_WAY: "0", API_VERSIONS: "v1,v2" };
    const instances = await startServices({ ...reached, group, ports: await claimPortsOf(), env });
    const lost = join(bench.folder, "lost-services");
    void watchForLoss(instances, lost, stopping.signal);
    project.provide("lostServices", lost);
    const gatewayUrl = instances.find(({ service }) => service === "gateway")?.url ?? "";
    project.provide("system", { ...reached, gatewayUrl });
    return close;
  } catch (error) {
    await close();
    throw error;
  }
}
