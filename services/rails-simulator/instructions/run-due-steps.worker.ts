import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { UnitOfWorkRunner, type UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { dueSteps, nextDueAt, publishedEvents, type ScheduledStep } from "./domain/schedule.ts";
import { hasDue, claimDue, updateNextDue } from "./store/instructions.ts";
import { markPublished, readSteps } from "./store/steps.ts";
import { publishNew, type RailReport } from "./publish-rail-events.ts";

/** Longer would be visible in the time that an order takes; shorter makes batches of one. */
const intervalMs = 100;
const maxPerTick = 500;

/** Publishes the steps that are due. Any number of instances may run: each skips rows that another has locked. */
@Injectable()
export class RunDueSteps extends PollingWorker {
  constructor(database: Database, units: UnitOfWorkRunner, @Inject(LOG) log: Logger) {
    const tick = async () => {
      if (!(await hasDue(database.sql, new Date()))) return 0;
      const published = await units.run((unit) => publishDue(unit, new Date()));
      // After a batch that was not full the worker pauses, so that the next batch is larger.
      return published < maxPerTick ? 0 : published;
    };
    super("run-due-steps", intervalMs, tick, log);
  }
}

/** Publishes the steps that are due at `at`, in the order of their numbers. Returns how many instructions had any. */
export async function publishDue(unit: UnitOfWork, at: Date): Promise<number> {
  const due = (await claimDue(unit.sql, at, maxPerTick)).filter((row) => row.state === "AtRail");
  if (due.length === 0) return 0;
  const stepsByOrder = await readSteps(
    unit.sql,
    due.map(({ instruction }) => instruction.orderId),
  );
  const reports: RailReport[] = [];
  const next: { orderId: RailReport["instruction"]["orderId"]; nextDueAt: Date | null }[] = [];
  for (const { instruction, cause } of due) {
    const steps = stepsByOrder.get(instruction.orderId) ?? [];
    const now = new Set(dueSteps(steps, at));
    const after = steps.map((step): ScheduledStep => (now.has(step) ? { ...step, publishedAt: at } : step));
    const events = [...now].map(({ number, event }) => ({ number, event, occurredAt: at }));
    reports.push({ instruction, before: publishedEvents(steps), now: events, cause });
    next.push({ orderId: instruction.orderId, nextDueAt: nextDueAt(after) });
  }
  const numbers = reports.flatMap(({ instruction, now }) =>
    now.map(({ number }) => ({ orderId: instruction.orderId, number })),
  );
  await markPublished(unit.sql, numbers, at);
  await updateNextDue(unit.sql, next);
  await publishNew(unit, reports);
  return due.length;
}
