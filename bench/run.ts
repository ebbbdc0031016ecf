/** `make bench`: measures the rows of README.md on its own servers, and stops by itself. */
import { measureAgainst } from "./comparison/against.ts";
import { Groups, unlessAborted } from "./groups.ts";
import { loadNow, readMachine } from "./machine.ts";
import { type Group, type Options, readOptions } from "./options.ts";
import { saveResult, notMeasured, type Row, tableOf } from "./report.ts";
import { measureBusyNeighbour } from "./rows/busy-neighbour.ts";
import { measureScreens } from "./rows/dashboard/screens.ts";
import { measureStreams } from "./rows/dashboard/streams.ts";
import { measureFairness } from "./rows/fairness.ts";
import { measureIdle } from "./rows/idle.ts";
import { measureLatencies } from "./rows/latency.ts";
import { measureLedger } from "./rows/ledger/ledger.ts";
import { measureLedgerFsync } from "./rows/ledger/ledger-fsync.ts";
import { measureLedgerGrowth } from "./rows/ledger/ledger-growth.ts";
import { measureLedgerInstances } from "./rows/ledger/ledger-instances.ts";
import { measureMemory } from "./rows/memory.ts";
import { measureOrders } from "./rows/orders.ts";
import { measureOrdersGrowth } from "./rows/orders-growth.ts";
import { measureClock } from "./rows/sandbox/clock.ts";
import { measureRules } from "./rows/sandbox/rules.ts";
import { measureWaitingOrders } from "./rows/sandbox/waiting-orders.ts";
import { measureStart } from "./rows/start.ts";
import { measureWebhooks } from "./rows/webhooks/webhooks.ts";
import { measureWebhooksNeighbours } from "./rows/webhooks/webhooks-neighbours.ts";
import { measureWebhooksReplay } from "./rows/webhooks/webhooks-replay.ts";
import { saveStatements } from "./profiles.ts";
import { introducePayer, openStage, type Stage } from "./stage.ts";

const log = (line: string) => console.log(`  ${line}`);

/** Rows that the bench can't measure yet, listed as not measured. */
const later: readonly Row[] = [
  notMeasured("`make test`, from nothing", { floor: "13 min", goal: "6 min" }, "time it in a fresh clone"),
];

async function measureAll(
  stage: Stage,
  options: Options,
  groups: Groups,
  signal: AbortSignal,
): Promise<void> {
  const group = (name: Group, measure: () => Promise<Row[]>) =>
    groups.run(name, () => unlessAborted(signal, measure));
  // The load consists of holds for orders that don't exist. Orders would log an error and store a row for each, so it
  // is stopped.
  const ledgerGroup = (name: Group, measure: typeof measureLedger) =>
    group(name, () => stage.without("orders", () => measure(stage, options, log)));

  const [idle] = await group("idle", () => measureIdle(stage));
  if (signal.aborted) return;
  const payments = await introducePayer(stage, options.eventTypes);
  const [orders] = await group("orders", () => measureOrders(stage, options, log));
  const capacity = orders?.figures?.[0]?.medianRate;
  await group("latency", () => measureLatencies(stage, options, capacity));
  const before = { idleMiB: idle?.value ?? undefined, capacity };
  await group("memory", () => measureMemory(stage, options, before, log));
  await group("fairness", async () => [
    ...(await measureFairness(stage, options, log)),
    ...(await measureBusyNeighbour(stage, options, log)),
  ]);
  await ledgerGroup("ledger", measureLedger);
  await ledgerGroup("ledger-fsync", measureLedgerFsync);
  await group("webhooks", () => measureWebhooks(stage, options, log));
  await group("webhooks-neighbours", () => measureWebhooksNeighbours(stage, options, log));
  await group("webhooks-replay", () => measureWebhooksReplay(stage, options, log));
  await ledgerGroup("ledger-growth", measureLedgerGrowth);
  await group("orders-growth", () => measureOrdersGrowth(stage, options, log));
  await group("sandbox", async () => [
    ...(await measureClock(stage, options, log)),
    ...(await measureRules(stage, options, payments, log)),
    ...(await measureWaitingOrders(stage, log)),
  ]);
  await group("dashboard", async () => [
    ...(await measureScreens(stage, options, log)),
    ...(await measureStreams(stage, options, log)),
  ]);
  // Last, because the instances that it starts keep running.
  await ledgerGroup("ledger-instances", measureLedgerInstances);
}

async function measureThisTree(options: Options, signal: AbortSignal): Promise<void> {
  const { groups, machine, save } = await measureOnStage(options, signal);
  await groups.run("start", () => measureStart(log, signal));
  const file = await save(groups.rows());
  console.log(`\n${tableOf([...groups.rows(), ...later])}\n\n${JSON.stringify(machine)}\n${file}`);
  if (groups.hasFailed) process.exitCode = 1;
}

async function measureOnStage(options: Options, signal: AbortSignal) {
  const loadBefore = loadNow();
  console.log("Starting Postgres, NATS and the five services");
  const stage = await openStage(options);
  try {
    signal.throwIfAborted();
    const machine = await readMachine(stage, loadBefore);
    const { only, ...rest } = options;
    const save = (rows: readonly Row[]) =>
      saveResult({ machine, options: { ...rest, only: [...only] }, rows: [...rows, ...later] });
    const groups = new Groups({ only, signal, log: (line) => console.log(line), save });
    await measureAll(stage, options, groups, signal);
    if (options.profileDir !== undefined && !signal.aborted) await saveStatements(stage, options.profileDir);
    return { groups, machine, save };
  } finally {
    await stage.close();
  }
}

/** Aborted by Ctrl-C and SIGTERM. A second one ends the process at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  const leave = () => {
    console.log("\nstopping");
    // What the interrupted group still does fails when its servers stop.
    for (const failure of ["uncaughtException", "unhandledRejection"]) process.on(failure, () => undefined);
    stop.abort(new Error("the bench was stopped"));
  };
  process.once("SIGINT", leave).once("SIGTERM", leave);
  return stop.signal;
}

const options = readOptions(process.argv.slice(2));
const signal = stopSignal();
try {
  if (options.against === undefined) await measureThisTree(options, signal);
  else await measureAgainst(options.against, options, signal);
} catch (error) {
  console.error(signal.aborted ? String(error) : error);
  process.exitCode = 1;
}
// What was interrupted may still wait for something.
if (signal.aborted) process.exit(1);
