/** `npm run streams`: makes the streams and the services' consumers; services have no right to. */
import { provisionStreams } from "../../services/platform/nats/provision.ts";
import { runTool } from "./command-line/command-line.ts";
import { operatorNats } from "./command-line/connections.ts";
import { type Given, Misuse } from "./command-line/given.ts";
import { adviceOnSince } from "./republish.ts";
import type { Tool } from "./command-line/tool.ts";

/** What Raft allows; undefined keeps what a stream has. */
function replicasOf(given: Given): number | undefined {
  const text = given.option("replicas");
  if (text === undefined) return undefined;
  if (!["1", "3", "5"].includes(text)) throw new Misuse("--replicas must be 1, 3 or 5");
  return Number(text);
}

type Replicas = Awaited<ReturnType<typeof provisionStreams>>["replicas"][string];

const isShort = ({ configured, inPlace }: Replicas) => inPlace < configured;

function shown([stream, its]: readonly [string, Replicas]): string {
  const { configured, inPlace } = its;
  return `${stream} ${String(inPlace)}${isShort(its) ? ` of ${String(configured)}` : ""}`;
}

async function provision(given: Given): Promise<void> {
  const nats = await operatorNats();
  try {
    const { created, replicas } = await provisionStreams(nats, replicasOf(given));
    given.print(
      { created, replicas },
      created.length === 0 ? "nothing was missing" : `created: ${created.join(", ")}`,
      `replicas: ${Object.entries(replicas).map(shown).join(", ")}`,
    );
    if (Object.values(replicas).some(isShort))
      given.note("A single server has one replica; a cluster makes the others: run it again to see them");
    if (created.length > 0)
      given.note("If they were lost: npm run republish -- --since <time>", ...adviceOnSince);
  } finally {
    await nats.drain();
  }
}

export const streamsTool: Tool = {
  name: "streams",
  commands: {
    provision: {
      about:
        "create the streams and consumers that are missing, and update the others;\na consumer keeps every subject that it has, and a stream its replicas unless another number is given",
      options: { replicas: { value: "1|3|5", changes: true } },
      check: replicasOf,
      run: provision,
    },
  },
};

if (import.meta.main) await runTool(streamsTool);
