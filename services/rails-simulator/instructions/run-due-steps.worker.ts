import { Inject, Injectable } from "@nestjs/common";
import type { Logger } from "pino";
import { UnitOfWorkRunner, type UnitOfWork } from "../../platform/handlers/unit-of-work.ts";
import { Database } from "../../platform/persistence/database.ts";
import { LOG } from "../../platform/platform.module.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import { dueSteps, nextDueAt, saidOf, type ScheduledStep } from "./domain/schedule.ts";
import { anythingDue, claimDue, setNextDue } from "./store/instructions.ts";
import { markSaid, readSteps } from "./store/steps.ts";
import { sayFirst, type Saying } from "./publish-rail-events.ts";

/** Coarser would show in an order's time; finer makes batches of one. */
const intervalMs = 100;
const mostPerTurn = 500;

/** Says what has come due, on any number of instances: each takes rows that no other has in hand. */
@Injectable()
export class RunDueSteps extends PollingWorker {
  constructor(database: Database, units: UnitOfWorkRunner, @Inject(LOG) log: Logger) {
    const tick = async () => {
      if (!(await anythingDue(database.sql, new Date()))) return 0;
      const said = await units.run((unit) => sayDue(unit, new Date()));
      // A turn that was not full left nothing behind: what comes due meanwhile makes a fatter batch of its own.
      return said < mostPerTurn ? 0 : said;
    };
    super("run-due-steps", intervalMs, tick, log);
  }
}

/** Says the steps that are due at `at`, in the order of their numbers; gives how many instructions had any. */
export async function sayDue(unit: UnitOfWork, at: Date): Promise<number> {
  const due = (await claimDue(unit.sql, at, mostPerTurn)).filter((row) => row.state === "AtRail");
  if (due.length === 0) return 0;
  const stepsByOrder = await readSteps(
    unit.sql,
    due.map(({ instruction }) => instruction.orderId),
  );
  const sayings: Saying[] = [];
  const next: { orderId: Saying["instruction"]["orderId"]; nextDueAt: Date | null }[] = [];
  for (const { instruction, cause } of due) {
    const steps = stepsByOrder.get(instruction.orderId) ?? [];
    const now = new Set(dueSteps(steps, at));
    const after = steps.map((step): ScheduledStep => (now.has(step) ? { ...step, saidAt: at } : step));
    const said = [...now].map(({ number, event }) => ({ number, event, occurredAt: at }));
    sayings.push({ instruction, before: saidOf(steps), now: said, cause });
    next.push({ orderId: instruction.orderId, nextDueAt: nextDueAt(after) });
  }
  const numbers = sayings.flatMap(({ instruction, now }) =>
    now.map(({ number }) => ({ orderId: instruction.orderId, number })),
  );
  await markSaid(unit.sql, numbers, at);
  await setNextDue(unit.sql, next);
  await sayFirst(unit, sayings);
  return due.length;
}
