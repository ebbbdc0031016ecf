/** Resident memory of the five services before the first request. */
import { setTimeout as delay } from "node:timers/promises";
import { residentBytes } from "../cpu.ts";
import { bounded, type Row } from "../report.ts";
import type { Stage } from "../stage.ts";

const restMs = 5_000;
const MiB = 1024 ** 2;

export async function measureIdle(stage: Stage): Promise<Row[]> {
  await delay(restMs);
  const each = await Promise.all(
    stage.instances.map(async ({ service, child }) => ({
      service,
      mebibytes: (await residentBytes(child.pid)) / MiB,
    })),
  );
  const sum = each.reduce((total, { mebibytes }) => total + mebibytes, 0);
  const detail = each.map(({ service, mebibytes }) => `${service} ${mebibytes.toFixed(0)}`).join(", ");
  const note = `resident, pages that they share counted in each: ${detail}; ${String(restMs / 1_000)} s after start`;
  return [bounded("Idle memory, five services", sum, { floor: 1024, goal: 500, unit: "MiB" }, [note])];
}
