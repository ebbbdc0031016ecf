/** A replay of 100,000 deliveries while new events go to the same endpoint, against new events alone. */
import { setTimeout as delay } from "node:timers/promises";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { call } from "../../../scripts/local/demo/api.ts";
import { type SeededTenant, seedTenant } from "../../../scripts/local/demo/seed.ts";
import { gatewayOf, insertDeliveries, makeEndpoint, twice } from "../../endpoints.ts";
import { type Flow, measureFlow } from "../../measures/flow.ts";
import { type Contender, interleave, median, percentile, watch } from "../../measures/measure.ts";
import type { Options } from "../../options.ts";
import { bounded, compared, type Row } from "../../report.ts";
import type { Stage } from "../../stage.ts";
import { earlierOrderId } from "../../workers/earlier-order.ts";
import { openPublisherFlow } from "./publisher-flow.ts";

const replayed = 100_000;
/** New events under way at once: alone, as many as give the highest rate; during the replay, a steady few. */
const inFlightAlone = 2_000;
const inFlightBeside = 100;
const withinMs = 120_000;

export async function measureWebhooksReplay(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const tenant = await seedTenant(stage.databaseUrlOf("gateway"), "Replays");
  const endpoint = await makeEndpoint(stage, tenant, stage.receiverUrl.href);
  const fresh: Contender = {
    name: "new events alone",
    run: (seconds) => measureFlow(openFreshFlow(stage, tenant, inFlightAlone), stage.meter, seconds),
  };
  await fresh.run(Math.max(1, options.warmUpSeconds / 2));
  const [freshFigure] = await interleave([fresh], options, log);
  if (freshFigure === undefined) throw new Error("new events alone were not measured");
  const p99Ms: number[] = [];
  const freshRates: number[] = [];
  const replay: Contender = {
    name: `a replay of ${String(replayed)}`,
    run: async () => {
      const since = new Date();
      await insertDeliveries(stage, tenant, { endpoint, count: replayed, status: "Delivered" });
      const until = new Date();
      const { measured, freshMs } = await replayBesideFresh(stage, tenant, { endpoint, since, until });
      p99Ms.push(percentile(freshMs, 0.99));
      freshRates.push(freshMs.length / measured.seconds);
      return measured;
    },
  };
  const [replayFigure] = await interleave([replay], options, log);
  if (replayFigure === undefined) throw new Error("no replay was measured");
  const shown = (values: readonly number[]) => values.map((value) => value.toFixed(0)).join(" ");
  const note = `${String(inFlightBeside)} new events under way at once, at ${shown(freshRates)} a second; ms of each round: ${shown(p99Ms)}`;
  const bounds = { floor: 500, goal: 500, unit: "ms" };
  return [
    compared(replayFigure, freshFigure, {
      what: "Replayed deliveries/s beside new events, against new events alone",
      floor: 0.5,
      goal: 0.5,
    }),
    bounded("First webhook attempt p99 of new events during a replay", median(p99Ms), bounds, [note]),
  ];
}

/** Creates the replay and waits until all of it has arrived, while new events go to the same endpoint. */
async function replayBesideFresh(
  stage: Stage,
  tenant: SeededTenant,
  range: { readonly endpoint: string; readonly since: Date; readonly until: Date },
) {
  const { receiver } = stage;
  let arrived = 0;
  const off = receiver.on((message) => {
    if (message.kind === "acknowledged") arrived += message.earlier;
  });
  const flow = openFreshFlow(stage, tenant, inFlightBeside);
  receiver.send({ kind: "record" });
  try {
    flow.start();
    const measured = await watch(
      stage.meter,
      () => arrived,
      async () => {
        await createReplay(stage, tenant, range);
        await waitUntil("the replay has arrived", () => arrived >= replayed);
      },
    );
    const published = await flow.halt();
    await waitUntil("the new events have arrived", () => flow.done() >= published);
    const taken = receiver.answer("arrivals", (message) =>
      message.kind === "arrivals" ? message.arrivals : undefined,
    );
    receiver.send({ kind: "take" });
    const freshMs = (await taken)
      .filter(({ orderId }) => orderId !== earlierOrderId)
      .map(({ occurredAtMs, arrivedAtMs }) => arrivedAtMs - occurredAtMs);
    return { measured, freshMs };
  } finally {
    off();
    flow.close();
  }
}

function openFreshFlow({ receiver, publisher }: Stage, { tenant }: SeededTenant, inFlight: number): Flow {
  let done = 0;
  receiver.send({ kind: "count", what: "deliveries" });
  const off = receiver.on((message) => {
    if (message.kind !== "acknowledged") return;
    done += message.count;
    publisher.send({ kind: "credit", count: message.count });
  });
  return openPublisherFlow(publisher, {
    what: "status changes",
    inFlight,
    books: [{ book: tenant.testBook as BookId, tenantId: tenant.id, accountIds: [] }],
    done: () => done,
    close: off,
  });
}

async function createReplay(
  stage: Stage,
  { keys }: SeededTenant,
  { endpoint, since, until }: { readonly endpoint: string; readonly since: Date; readonly until: Date },
): Promise<void> {
  const body = { endpointId: endpoint, status: ["Delivered"], since, until };
  const request = { method: "POST", path: "/v1/webhooks/replay", key: keys.maker, body } as const;
  const { status, body: answer } = await twice(() => call(gatewayOf(stage), request));
  if (status !== 202) throw new Error(`a replay: ${JSON.stringify(answer)}`);
}

async function waitUntil(what: string, look: () => boolean): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!look()) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${String(withinMs / 1_000)} s`);
    await delay(5);
  }
}
