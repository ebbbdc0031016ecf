/** `make bench`: measures the rows of README.md on its own servers, and stops by itself. */
import { measureAgainst } from "./against.ts";
import { loadNow, readMachine } from "./machine.ts";
import { type Group, type Options, readOptions } from "./options.ts";
import { saveResult, notMeasured, type Row, tableOf } from "./report.ts";
import { measureBusyNeighbour } from "./rows/busy-neighbour.ts";
import { measureScreens } from "./rows/dashboard/screens.ts";
import { measureStreams } from "./rows/dashboard/streams.ts";
import { measureFairness } from "./rows/fairness.ts";
import { measureIdle } from "./rows/idle.ts";
import { measureLatencies } from "./rows/latency.ts";
import { measureLedger } from "./rows/ledger.ts";
import { measureLedgerFsync } from "./rows/ledger-fsync.ts";
import { measureLedgerGrowth } from "./rows/ledger-growth.ts";
import { measureLedgerInstances } from "./rows/ledger-instances.ts";
import { measureMemory } from "./rows/memory.ts";
import { measureOrders } from "./rows/orders.ts";
import { measureOrdersGrowth } from "./rows/orders-growth.ts";
import { measureClock } from "./rows/sandbox/clock.ts";
import { measureRules } from "./rows/sandbox/rules.ts";
import { measureWaitingOrders } from "./rows/sandbox/waiting-orders.ts";
import { measureStart } from "./rows/start.ts";
import { measureWebhooks } from "./rows/webhooks.ts";
import { measureWebhooksNeighbours } from "./rows/webhooks-neighbours.ts";
import { measureWebhooksReplay } from "./rows/webhooks-replay.ts";
import { saveStatements } from "./profiles.ts";
import { introducePayer, openStage, type Stage } from "./stage.ts";

const log = (line: string) => console.log(`  ${line}`);

/** Rows that the bench can't measure yet, listed as not measured. */
const later: readonly Row[] = [
  notMeasured("`make test`, from nothing", { floor: "13 min", goal: "6 min" }, "time it in a fresh clone"),
];

/** Runs one group. If it fails, its row is listed as not measured, and the other groups run. */
async function group(name: Group, options: Options, measure: () => Promise<Row[]>): Promise<Row[]> {
  if (!options.only.has(name))
    return [notMeasured(`rows of ${name}`, { floor: "", goal: "" }, "left out by --only")];
  console.log(`\n${name}`);
  try {
    return await measure();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log(`not measured: ${why}`);
    process.exitCode = 1;
    return [notMeasured(`rows of ${name}`, { floor: "", goal: "" }, why)];
  }
}

/**
 * The load consists of holds for orders that don't exist. Orders would log an error and store a row for each, so it is
 * stopped.
 */
function ledgerGroup(name: Group, stage: Stage, options: Options, measure: typeof measureLedger) {
  return group(name, options, () => stage.without("orders", () => measure(stage, options, log)));
}

async function measureAll(stage: Stage, options: Options): Promise<Row[]> {
  const idle = await group("idle", options, () => measureIdle(stage));
  const payments = await introducePayer(stage, options.eventTypes);
  const orders = await group("orders", options, () => measureOrders(stage, options, log));
  const capacity = orders[0]?.figures?.[0]?.medianRate;
  const latency = await group("latency", options, () => measureLatencies(stage, options, capacity));
  const memory = await group("memory", options, () =>
    measureMemory(stage, options, { idleMiB: idle[0]?.value ?? undefined, capacity }, log),
  );
  const fairness = await group("fairness", options, async () => [
    ...(await measureFairness(stage, options, log)),
    ...(await measureBusyNeighbour(stage, options, log)),
  ]);
  const ledger = await ledgerGroup("ledger", stage, options, measureLedger);
  const fsync = await ledgerGroup("ledger-fsync", stage, options, measureLedgerFsync);
  const webhooks = await group("webhooks", options, () => measureWebhooks(stage, options, log));
  const neighbours = await group("webhooks-neighbours", options, () =>
    measureWebhooksNeighbours(stage, options, log),
  );
  const replay = await group("webhooks-replay", options, () => measureWebhooksReplay(stage, options, log));
  const growth = await ledgerGroup("ledger-growth", stage, options, measureLedgerGrowth);
  const ordersGrowth = await group("orders-growth", options, () => measureOrdersGrowth(stage, options, log));
  const sandbox = await group("sandbox", options, async () => [
    ...(await measureClock(stage, options, log)),
    ...(await measureRules(stage, options, payments, log)),
    ...(await measureWaitingOrders(stage, log)),
  ]);
  const dashboard = await group("dashboard", options, async () => [
    ...(await measureScreens(stage, options, log)),
    ...(await measureStreams(stage, options, log)),
  ]);
  // Last, because the instances that it starts keep running.
  const instances = await ledgerGroup("ledger-instances", stage, options, measureLedgerInstances);
  return [
    ...orders,
    ...ledger,
    ...fsync,
    ...latency,
    ...fairness,
    ...webhooks,
    ...neighbours,
    ...replay,
    ...idle,
    ...memory,
    ...growth,
    ...ordersGrowth,
    ...sandbox,
    ...dashboard,
    ...instances,
  ];
}

async function measureThisTree(options: Options): Promise<void> {
  const loadBefore = loadNow();
  console.log("Starting Postgres, NATS and the five services");
  const stage = await openStage(options);
  const leave = () => void stage.close().then(() => process.exit(1));
  process.once("SIGINT", leave).once("SIGTERM", leave);
  let rows: Row[];
  const machine = await readMachine(stage, loadBefore);
  try {
    rows = await measureAll(stage, options);
    if (options.profileDir !== undefined) await saveStatements(stage, options.profileDir);
  } finally {
    await stage.close();
  }
  rows.push(...(await group("start", options, () => measureStart(log))), ...later);
  const { only, ...rest } = options;
  const file = await saveResult({ machine, options: { ...rest, only: [...only] }, rows });
  console.log(`\n${tableOf(rows)}\n\n${JSON.stringify(machine)}\n${file}`);
}

const options = readOptions(process.argv.slice(2));
if (options.against === undefined) await measureThisTree(options);
else await measureAgainst(options.against, options);
