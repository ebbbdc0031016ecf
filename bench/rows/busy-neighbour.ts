/** How long one tenant's orders take while another tenant sends as many requests as its limits allow. */
import { call } from "../../scripts/local/demo/api.ts";
import { seedTenant } from "../../scripts/local/demo/seed.ts";
import { gatewayOf } from "../endpoints.ts";
import { median, percentile } from "../measures/measure.ts";
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
  try {
    return await measureBeside(gateway.url, stage, options, log);
  } finally {
    stage.payer.send({ kind: "move", baseUrl: gatewayOf(stage) });
    await gateway.child.stop();
  }
}

async function measureBeside(
  baseUrl: string,
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const neighbour = startWorker<ToNeighbour, FromNeighbour>(
    "neighbour",
    new URL("../workers/neighbour.ts", import.meta.url),
  );
  const turn = async () => {
    const run = await paced(stage, options.pace ?? ordersPerSecond, options.seconds);
    return percentile(completionTimes(run), 0.99);
  };
  try {
    neighbour.send({ kind: "connect", baseUrl, ...(await openDraft(stage, baseUrl)) });
    stage.payer.send({ kind: "move", baseUrl });
    await turn(); // to warm up
    const rounds: Record<Load, { ratio: number; shown: string }[]> = { reads: [], edits: [] };
    const counts: Record<Load, Answers[]> = { reads: [], edits: [] };
    for (let round = 1; round <= options.rounds; round += 1) {
      const alone = await turn();
      for (const load of ["reads", "edits"] as const) {
        const { took: beside, answers } = await besideLoad(neighbour, load, turn);
        rounds[load].push({ ratio: beside / alone, shown: `${beside.toFixed(1)}/${alone.toFixed(1)}` });
        counts[load].push(answers);
        log(
          `round ${String(round)}  alone ${alone.toFixed(1)} ms, beside ${load} ${beside.toFixed(1)} ms; the neighbour's answers: ${listOf(answers)}`,
        );
        mustBeAtLimits(load, answers);
      }
    }
    return (["reads", "edits"] as const).map((load) => {
      const list = rounds[load].map(({ shown }) => shown).join(", ");
      const note = `${String(options.pace ?? ordersPerSecond)} orders/s, open loop, beside ${String(parallel[load])} parallel loops of the neighbour; ms of each round: ${list}; the neighbour's answers: ${counts[load].map(listOf).join("; ")}`;
      const value = median(rounds[load].map(({ ratio }) => ratio));
      return bounded(whats[load], value, { floor: 2, goal: 1.5, unit: "×" }, [note]);
    });
  } finally {
    await neighbour.stop();
  }
}

type Answers = FromNeighbour["answers"];

const listOf = (answers: Answers) =>
  Object.entries(answers)
    .map(([answer, count]) => `${answer} ${String(count)} times`)
    .join(", ");

/** Besides success: 429 is the gateway's limit, and 409 (`concurrent_update`) that of changes to one order at once. */
const refusals: Readonly<Record<Load, readonly string[]>> = { reads: ["429"], edits: ["429", "409"] };

/** Throws unless requests succeeded, the gateway's limits refused others, and no other answer came. */
export function mustBeAtLimits(load: Load, answers: Answers): void {
  // A connection that was reset is no answer, and the neighbour sends its next request.
  const statuses = Object.keys(answers).filter((answer) => /^\d+$/.test(answer));
  const isFine = (status: string) => status.startsWith("2");
  const others = statuses.filter((status) => !isFine(status) && !refusals[load].includes(status));
  if (others.length === 0 && statuses.some(isFine) && statuses.includes("429")) return;
  throw new Error(`the neighbour's ${load} were not at its limits: it got ${listOf(answers) || "no answer"}`);
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
