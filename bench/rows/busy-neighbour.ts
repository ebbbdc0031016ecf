/** How long one tenant's orders take while another tenant sends as many requests as its limits allow. */
import { call } from "../../scripts/local/api.ts";
import { seedTenant } from "../../scripts/local/seed.ts";
import { median, percentile } from "../measure.ts";
import type { Options } from "../options.ts";
import { bounded, type Row } from "../report.ts";
import type { Stage } from "../stage.ts";
import { startWorker, type Worker } from "../worker.ts";
import type { FromNeighbour, Load, ToNeighbour } from "../workers/neighbour.ts";
import { completionTimes, paced } from "./latency.ts";

/** The orders of the measured tenant when the run has no `--pace`. */
const ordersPerSecond = 40;
const parallel: Readonly<Record<Load, number>> = { reads: 150, edits: 200 };
const whats: Readonly<Record<Load, string>> = {
  reads: "Accepted → Completed p99 beside a tenant that reads at its limits, against alone",
  edits: "Accepted → Completed p99 beside a tenant that changes one Draft at its limits, against alone",
};
/** The gateway's defaults. The bench turns them off for its other rows. */
const limits = { RATE_LIMIT_PER_SECOND: "100", RATE_LIMIT_BURST: "200" };

/**
 * Three turns a round with the same orders: alone, beside reads, beside edits. A gateway with the limits of production
 * serves both tenants, so they share its event loop too.
 */
export async function measureBusyNeighbour(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const gateway = await stage.startOneMore("gateway", limits);
  const ownGateway = stage.instances.find(({ service }) => service === "gateway");
  const neighbour = startWorker<ToNeighbour, FromNeighbour>(
    "neighbour",
    new URL("../workers/neighbour.ts", import.meta.url),
  );
  const turn = async () => {
    const run = await paced(stage, options.pace ?? ordersPerSecond, options.seconds);
    return percentile(completionTimes(run), 0.99);
  };
  try {
    neighbour.send({ kind: "connect", baseUrl: gateway.url, ...(await openDraft(stage, gateway.url)) });
    stage.payer.send({ kind: "move", baseUrl: gateway.url });
    await turn(); // to warm up
    const rounds: Record<Load, { ratio: number; shown: string }[]> = { reads: [], edits: [] };
    for (let round = 1; round <= options.rounds; round += 1) {
      const alone = await turn();
      for (const load of ["reads", "edits"] as const) {
        const { took: beside, answers } = await besideLoad(neighbour, load, turn);
        rounds[load].push({ ratio: beside / alone, shown: `${beside.toFixed(1)}/${alone.toFixed(1)}` });
        log(
          `round ${String(round)}  alone ${alone.toFixed(1)} ms, beside ${load} ${beside.toFixed(1)} ms; the neighbour's answers: ${JSON.stringify(answers)}`,
        );
      }
    }
    return (["reads", "edits"] as const).map((load) => {
      const list = rounds[load].map(({ shown }) => shown).join(", ");
      const note = `${String(options.pace ?? ordersPerSecond)} orders/s, open loop, beside ${String(parallel[load])} parallel loops of the neighbour; ms of each round: ${list}`;
      const value = median(rounds[load].map(({ ratio }) => ratio));
      return bounded(whats[load], value, { floor: 2, goal: 1.5, unit: "×" }, [note]);
    });
  } finally {
    await neighbour.stop();
    if (ownGateway !== undefined) stage.payer.send({ kind: "move", baseUrl: ownGateway.url });
  }
}

/** A second tenant with a Draft. */
async function openDraft(stage: Stage, baseUrl: string): Promise<{ key: string; draftId: string }> {
  const { keys } = await seedTenant(stage.databaseUrlOf("gateway"), "Neighbour");
  const key = keys.maker;
  const make = async (path: string, body: object): Promise<string> => {
    const made = await call<{ id: string }>(baseUrl, { method: "POST", path, key, body });
    if (made.status !== 201) throw new Error(`${path}: ${JSON.stringify(made.body)}`);
    return made.body.id;
  };
  const ledgerAccountId = await make("/v1/ledger-accounts", { name: "Operating" });
  const draftId = await make("/v1/payment-orders", {
    ledgerAccountId,
    direction: "Credit",
    rail: "Rtp",
    amountCents: 1_000,
    counterpartyName: "Ada Example",
    counterpartyAccountNumber: "000123456789",
    counterpartyRoutingNumber: "790001005",
    submit: false,
  });
  return { key, draftId };
}

async function besideLoad(
  neighbour: Worker<ToNeighbour, FromNeighbour>,
  load: Load,
  turn: () => Promise<number>,
) {
  neighbour.send({ kind: "send", load, parallel: parallel[load] });
  const took = await turn();
  const stopped = neighbour.answer("stopping", ({ answers }) => answers);
  neighbour.send({ kind: "stop" });
  return { took, answers: await stopped };
}
