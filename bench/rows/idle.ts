/** Memory of the five services before the first request. */
import { setTimeout as delay } from "node:timers/promises";
import { proportionalBytes } from "../measures/cpu.ts";
import { bounded, type Row } from "../report.ts";
import type { Stage } from "../stage.ts";

/** A service gives memory back within a minute after its load ends (`services/platform/process/release-memory.ts`). */
export const restMs = 65_000;
const MiB = 1024 ** 2;

export async function measureIdle(stage: Stage): Promise<Row[]> {
  await delay(restMs);
  const { sum, detail } = await memoryOf(stage);
  const note = `proportional set size: ${detail}; ${String(restMs / 1_000)} s after start`;
  return [bounded("Idle memory, five services", sum, { floor: 900, goal: 500, unit: "MiB" }, [note])];
}

/** MiB of the five services, together and each. */
export async function memoryOf(stage: Stage): Promise<{ sum: number; detail: string }> {
  const each = await Promise.all(
    stage.instances.map(async ({ service, child }) => ({
      service,
      mebibytes: (await proportionalBytes(child.pid)) / MiB,
    })),
  );
  return {
    sum: each.reduce((total, { mebibytes }) => total + mebibytes, 0),
    detail: each.map(({ service, mebibytes }) => `${service} ${mebibytes.toFixed(0)}`).join(", "),
  };
}
