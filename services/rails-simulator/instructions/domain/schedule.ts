import type { RailEvent, SaidEvent } from "./instruction.ts";
import type { Step } from "./step.ts";

/** A numbered step with the times at which it is due and was said. */
export interface ScheduledStep {
  readonly number: number;
  readonly event: RailEvent;
  /** Null: only when somebody inquires. */
  readonly dueAt: Date | null;
  readonly saidAt: Date | null;
}

/** Numbers steps from `firstNumber` and dates them from `at`; what is due in the same breath counts as said. */
export function schedule(steps: readonly Step[], firstNumber: number, at: Date): ScheduledStep[] {
  return steps.map(({ event, afterMs }, index) => ({
    number: firstNumber + index,
    event,
    dueAt: afterMs === null ? null : new Date(at.getTime() + afterMs),
    saidAt: afterMs === 0 ? at : null,
  }));
}

/** When the next step is due by itself, or null when none is. */
export function nextDueAt(steps: readonly ScheduledStep[]): Date | null {
  const waiting = steps.flatMap(({ dueAt, saidAt }) =>
    saidAt === null && dueAt !== null ? [dueAt.getTime()] : [],
  );
  return waiting.length === 0 ? null : new Date(Math.min(...waiting));
}

/** What has been said, in order of number. */
export function saidOf(steps: readonly ScheduledStep[]): SaidEvent[] {
  return steps.flatMap(({ number, event, saidAt }) =>
    saidAt === null ? [] : [{ number, event, occurredAt: saidAt }],
  );
}

/** The steps that are due at an instant and nobody has heard. */
export function dueSteps(steps: readonly ScheduledStep[], at: Date): ScheduledStep[] {
  return steps.filter(({ dueAt, saidAt }) => saidAt === null && dueAt !== null && dueAt <= at);
}
