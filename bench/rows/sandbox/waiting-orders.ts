/** What orders that wait for a window or for returns cost the orders service while nothing happens. */
import { setTimeout as delay } from "node:timers/promises";
import { uuidOf } from "../../../contracts/ids/ids.ts";
import { proportionalBytes } from "../../measures/cpu.ts";
import { countOrders, growOrders } from "../../grow-orders.ts";
import { bounded, type Row } from "../../report.ts";
import type { Stage } from "../../stage.ts";
import { SandboxBook } from "./sandbox-book.ts";

const waiting = 200_000;
const originals = 100;
const restMs = 30_000;
const MiB = 1024 ** 2;
/** Tuesday, 12:00 in New York. Ach settles on Wednesday 08:30, and its returns may come until Friday. */
const tuesdayNoon = "2038-03-02T17:00:00.000Z";
const wednesdayMorning = "2038-03-03T14:00:00.000Z";
const wednesdayEvening = "2038-03-03T22:30:00.000Z";

export async function measureWaitingOrders(stage: Stage, log: (line: string) => void): Promise<Row[]> {
  const book = await SandboxBook.open(stage, "Waiting");
  await book.setClock({ mode: "Manual", startAt: tuesdayNoon });
  for (let count = 0; count < originals; count += 1) await book.payByAch();
  await book.advance({ to: wednesdayMorning });
  await book.advance({ to: wednesdayEvening });
  for (let count = 0; count < originals; count += 1) await book.payByAch();
  await book.advance({ to: wednesdayEvening });
  await book.setClock({ mode: "Real" });
  const few = await measureRest(stage);
  const size = (await countOrders(stage.admin)) + waiting;
  const phases = ["AwaitingReturns", "AwaitingWindow"];
  await growOrders(
    stage.admin,
    { book: uuidOf(book.tenant.testBook as `book_${string}`), phases, size },
    log,
  );
  await stage.admin.query("vacuum analyze");
  await stage.admin.query("checkpoint");
  const many = await measureRest(stage);
  const shown = ({ percent, mebibytes }: Rest) =>
    `${percent.toFixed(2)} % of a core, ${mebibytes.toFixed(0)} MiB`;
  const notes = [`at rest for ${String(restMs / 1_000)} s: ${shown(few)} without, ${shown(many)} with them`];
  const what = `Orders service at rest with ${waiting.toLocaleString("en")} waiting orders`;
  return [
    bounded(`${what}: CPU of a core`, many.percent, { floor: 1, goal: 1, unit: "%" }, notes),
    bounded(
      `${what}: more memory`,
      many.mebibytes - few.mebibytes,
      { floor: 20, goal: 20, unit: "MiB" },
      notes,
    ),
  ];
}

interface Rest {
  readonly percent: number;
  readonly mebibytes: number;
}

/** The CPU of the orders process, and its memory at the end. */
async function measureRest({ instances, meter }: Stage): Promise<Rest> {
  await delay(5_000);
  const before = await meter.read();
  await delay(restMs);
  const used = (await meter.read()).byProcess;
  const us = (used["orders"] ?? 0) - (before.byProcess["orders"] ?? 0);
  const pid = instances.find(({ service }) => service === "orders")?.child.pid ?? 0;
  return { percent: us / (restMs * 10), mebibytes: (await proportionalBytes(pid)) / MiB };
}
