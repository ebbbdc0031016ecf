/** Deliveries to a hundred endpoints: beside one whose receiver takes ten seconds, and all of them for one event. */
import { setTimeout as delay } from "node:timers/promises";
import type { BookId } from "../../../contracts/ids/ids.ts";
import { call } from "../../../scripts/local/demo/api.ts";
import { type SeededTenant, seedTenant } from "../../../scripts/local/demo/seed.ts";
import { proportionalBytes } from "../../measures/cpu.ts";
import { gatewayOf, insertDeliveries, makeEndpoint, twice } from "../../endpoints.ts";
import { type Flow, measureFlow } from "../../measures/flow.ts";
import {
  type Contender,
  interleave,
  type Measured,
  median,
  percentile,
  watch,
} from "../../measures/measure.ts";
import type { Options } from "../../options.ts";
import { bounded, compared, type Row } from "../../report.ts";
import type { Stage } from "../../stage.ts";
import { startWorker, type Worker } from "../../worker.ts";
import type { Arrival } from "../../workers/receiver.ts";
import type { FromSlowReceiver, ToSlowReceiver } from "../../workers/slow-receiver.ts";
import { openPublisherFlow } from "./publisher-flow.ts";

const others = 100;
const deliveriesOfOthers = 20_000;
const inFlight = 200;
const backlog = 100_000;
const settleWithinMs = 60_000;
const MiB = 1024 ** 2;

export async function measureWebhooksNeighbours(
  stage: Stage,
  options: Options,
  log: (line: string) => void,
): Promise<Row[]> {
  const idleMiB = await memoryOf(stage);
  const slow = startWorker<ToSlowReceiver, FromSlowReceiver>(
    "slow receiver",
    new URL("../../workers/slow-receiver.ts", import.meta.url),
  );
  try {
    // The fan-out opens 3,200 connections, so it comes after the row that measures memory.
    const rows = await measureBesideSlow(stage, options, { slow, idleMiB }, log);
    return [...rows, ...(await measureFanOut(stage, options, log))];
  } finally {
    await slow.stop();
  }
}

async function measureBesideSlow(
  stage: Stage,
  options: Options,
  { slow, idleMiB }: { slow: Worker<ToSlowReceiver, FromSlowReceiver>; idleMiB: number },
  log: (line: string) => void,
): Promise<Row[]> {
  const { books, become, connections } = await prepare(stage, slow);
  await sendToOthers(stage, books); // to warm up
  const seen: Seen = {
    p99Ms: { alone: [], beside: [] },
    maxMiB: { alone: 0, beside: 0 },
    maxConnections: 0,
    idleMiB,
  };
  const turn = async (when: "alone" | "beside") => {
    const { measured, p99Ms } = await sendToOthers(stage, books);
    seen.p99Ms[when].push(p99Ms);
    seen.maxMiB[when] = Math.max(seen.maxMiB[when], await memoryOf(stage));
    return measured;
  };
  const alone: Contender = {
    name: "100 endpoints alone",
    run: async () => {
      await become("Disabled");
      await waitUntil("the slow receiver has nothing to do", async () => (await connections()).open === 0);
      return turn("alone");
    },
  };
  const beside: Contender = {
    name: "100 endpoints beside a slow one",
    run: async () => {
      await become("Enabled");
      await waitUntil("the slow receiver is busy", async () => (await connections()).open >= 32);
      const measured = await turn("beside");
      seen.maxConnections = Math.max(seen.maxConnections, (await connections()).most);
      return measured;
    },
  };
  const [aloneFigure, besideFigure] = await interleave([alone, beside], options, log);
  await become("Disabled");
  if (aloneFigure === undefined || besideFigure === undefined) throw new Error("a contender is missing");
  const what = "Webhook deliveries/s of 100 endpoints beside a slow receiver, against alone";
  return [compared(besideFigure, aloneFigure, { what, floor: 0.9, goal: 0.9 }), ...boundsOf(seen)];
}

/** What the rounds showed beside the rates. */
interface Seen {
  readonly p99Ms: Record<"alone" | "beside", number[]>;
  readonly maxMiB: Record<"alone" | "beside", number>;
  maxConnections: number;
  readonly idleMiB: number;
}

function boundsOf({ p99Ms, maxMiB, maxConnections, idleMiB }: Seen): Row[] {
  const shown = (values: readonly number[]) => values.map((value) => value.toFixed(0)).join(" ");
  const load = `${String(deliveriesOfOthers)} deliveries to ${String(others)} endpoints, ${String(inFlight)} in flight, beside ${String(backlog)} due ones of a receiver that takes 10 s`;
  const memory = `proportional set size: idle ${idleMiB.toFixed(0)} MiB, at most ${maxMiB.beside.toFixed(0)}; with the 100 endpoints alone at most ${maxMiB.alone.toFixed(0)}`;
  return [
    bounded(
      "Webhook p99 of 100 endpoints beside a slow receiver",
      median(p99Ms.beside),
      { floor: 500, goal: 500, unit: "ms" },
      [`${load}; ms of each round: ${shown(p99Ms.beside)}; alone ${shown(p99Ms.alone)}`],
    ),
    bounded("Connections to the slow receiver", maxConnections, { floor: 32, goal: 32, unit: "" }, [load]),
    bounded(
      "Memory of webhooks beside a slow receiver, more than idle",
      maxMiB.beside - idleMiB,
      { floor: 60, goal: 60, unit: "MiB" },
      [memory],
    ),
  ];
}

/** A hundred books with an endpoint each, and one with the backlog, whose endpoint is disabled at first. */
async function prepare(stage: Stage, slow: Worker<ToSlowReceiver, FromSlowReceiver>) {
  const port = await slow.answer("listening", (message) =>
    message.kind === "listening" ? message.port : undefined,
  );
  const books: BookId[] = [];
  for (let count = 0; count < others; count++) {
    const tenant = await seedTenant(stage.databaseUrlOf("gateway"), `Receiver ${String(count)}`);
    await makeEndpoint(stage, tenant, stage.receiverUrl.href);
    books.push(tenant.tenant.testBook as BookId);
  }
  const tenant = await seedTenant(stage.databaseUrlOf("gateway"), "Slow");
  const endpoint = await makeEndpoint(stage, tenant, `http://127.0.0.1:${String(port)}/webhooks`);
  const become = (status: string) => patchEndpoint(stage, tenant, endpoint, { status });
  await become("Disabled");
  await insertDeliveries(stage, tenant, { endpoint, count: backlog, status: "Pending" });
  const connections = async () => {
    const counted = slow.answer("counting", (message) => (message.kind === "counted" ? message : undefined));
    slow.send({ kind: "count" });
    return counted;
  };
  return { books, become, connections };
}

/** Sends 20,000 status changes to the books in turn, and waits until all are acknowledged. */
async function sendToOthers(
  stage: Stage,
  books: readonly BookId[],
): Promise<{ measured: Measured; p99Ms: number }> {
  const { receiver, tenant } = stage;
  let acknowledged = 0;
  receiver.send({ kind: "count", what: "deliveries" });
  receiver.send({ kind: "record" });
  const off = receiver.on((message) => {
    if (message.kind !== "acknowledged") return;
    acknowledged += message.count;
    stage.publisher.send({ kind: "credit", count: message.count });
  });
  const flow = openPublisherFlow(stage.publisher, {
    what: "status changes",
    inFlight,
    books: books.map((book) => ({ book, tenantId: tenant.tenant.id, accountIds: [] })),
    done: () => acknowledged,
    close: off,
  });
  try {
    const measured = await watch(
      stage.meter,
      () => acknowledged,
      async () => {
        flow.start();
        await waitUntil("20,000 deliveries are acknowledged", () => acknowledged >= deliveriesOfOthers);
      },
    );
    const published = await flow.halt();
    await waitUntil("the rest is acknowledged", () => acknowledged >= published);
    const taken = receiver.answer("arrivals", (message) =>
      message.kind === "arrivals" ? message.arrivals : undefined,
    );
    receiver.send({ kind: "take" });
    const took = (await taken).map(({ occurredAtMs, arrivedAtMs }: Arrival) => arrivedAtMs - occurredAtMs);
    return { measured, p99Ms: percentile(took, 0.99) };
  } finally {
    flow.close();
  }
}

/** Postgres' CPU for each delivery of events that 100 endpoints of one book get. */
async function measureFanOut(stage: Stage, options: Options, log: (line: string) => void): Promise<Row[]> {
  const tenant = await seedTenant(stage.databaseUrlOf("gateway"), "Hundred endpoints");
  for (let number = 0; number < others; number++)
    await makeEndpoint(stage, tenant, `${stage.receiverUrl.href}?endpoint=${String(number)}`);
  await measureFlow(openFanOutFlow(stage, tenant), stage.meter, Math.max(1, options.warmUpSeconds / 3));
  const each: number[] = [];
  const rates: number[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    const { operations, seconds, cpu } = await measureFlow(
      openFanOutFlow(stage, tenant),
      stage.meter,
      options.seconds,
    );
    const us = Object.entries(cpu).reduce(
      (sum, [name, used]) => sum + (name.startsWith("postgres ") ? used : 0),
      0,
    );
    each.push(us / operations);
    rates.push(operations / seconds);
    log(
      `round ${String(round)}  100 endpoints: ${(us / operations).toFixed(1)} µs of Postgres, ${(operations / seconds).toFixed(0)}/s`,
    );
  }
  const note = `one book, 100 endpoints, each event to all of them; attempts included; ${median(rates).toFixed(0)} deliveries/s; µs of each round: ${each.map((us) => us.toFixed(1)).join(" ")}`;
  const bounds = { floor: 30, goal: 30, unit: "µs" };
  return [
    bounded("Postgres' CPU for each delivery of an event to 100 endpoints", median(each), bounds, [note]),
  ];
}

/** Each message is a hundred deliveries; its room is given back when all have been acknowledged. */
function openFanOutFlow(stage: Stage, { tenant }: SeededTenant): Flow {
  let acknowledged = 0;
  let credited = 0;
  stage.receiver.send({ kind: "count", what: "deliveries" });
  const off = stage.receiver.on((message) => {
    if (message.kind !== "acknowledged") return;
    acknowledged += message.count;
    const count = Math.floor(acknowledged / others) - credited;
    credited += count;
    stage.publisher.send({ kind: "credit", count });
  });
  const flow = openPublisherFlow(stage.publisher, {
    what: "status changes",
    inFlight: inFlight,
    books: [{ book: tenant.testBook as BookId, tenantId: tenant.id, accountIds: [] }],
    done: () => acknowledged,
    close: off,
  });
  return { ...flow, halt: async () => (await flow.halt()) * others };
}

async function patchEndpoint(stage: Stage, { keys }: SeededTenant, id: string, body: object): Promise<void> {
  const path = `/v1/webhook-endpoints/${id}`;
  const request = { method: "PATCH", path, key: keys.maker, body } as const;
  const { status } = await twice(() => call(gatewayOf(stage), request));
  if (status !== 200) throw new Error(`PATCH ${path}: ${String(status)}`);
}

/** MiB of the webhooks service. */
async function memoryOf({ instances }: Stage): Promise<number> {
  const webhooks = instances.find(({ service }) => service === "webhooks");
  return (await proportionalBytes(webhooks?.child.pid ?? 0)) / MiB;
}

async function waitUntil(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + settleWithinMs;
  while (!(await look())) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${String(settleWithinMs / 1_000)} s`);
    await delay(5);
  }
}
