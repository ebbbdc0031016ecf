import type { RailEvent, PublishedEvent } from "./instruction.ts";
import type { Step } from "./step.ts";

/** A numbered step with its due time and, once published, its publishing time. */
export interface ScheduledStep {
  readonly number: number;
  readonly event: RailEvent;
  /** Null: published only on an inquiry. */
  readonly dueAt: Date | null;
  readonly publishedAt: Date | null;
}

/** Numbers steps from `firstNumber` and dates them from `at`. A step without delay counts as published. */
export function schedule(steps: readonly Step[], firstNumber: number, at: Date): ScheduledStep[] {
  return steps.map(({ event, afterMs }, index) => ({
    number: firstNumber + index,
    event,
    dueAt: afterMs === null ? null : new Date(at.getTime() + afterMs),
    publishedAt: afterMs === 0 ? at : null,
  }));
}

/** When the next step is due, or null if none is due without an inquiry. */
export function nextDueAt(steps: readonly ScheduledStep[]): Date | null {
  const waiting = steps.flatMap(({ dueAt, publishedAt }) =>
    publishedAt === null && dueAt !== null ? [dueAt.getTime()] : [],
  );
  return waiting.length === 0 ? null : new Date(Math.min(...waiting));
}

/** The published steps as events, in order of number. */
export function publishedEvents(steps: readonly ScheduledStep[]): PublishedEvent[] {
  return steps.flatMap(({ number, event, publishedAt }) =>
    publishedAt === null ? [] : [{ number, event, occurredAt: publishedAt }],
  );
}

/** The unpublished steps that are due at `at`. */
export function dueSteps(steps: readonly ScheduledStep[], at: Date): ScheduledStep[] {
  return steps.filter(({ dueAt, publishedAt }) => publishedAt === null && dueAt !== null && dueAt <= at);
}
