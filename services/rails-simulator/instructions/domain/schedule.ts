import type { RailEvent, PublishedEvent } from "./instruction.ts";
import type { Step } from "./step.ts";

/** A numbered step with its due time and, once published, its publishing time. */
export interface ScheduledStep {
  readonly number: number;
  readonly event: RailEvent;
  /** Null: published only on an inquiry. */
  readonly dueAt: Date | null;
  /** When a step that waits for an inquiry is due after it. Null: at once. */
  readonly dueWhenAsked: Date | null;
  readonly copies: number;
  readonly publishedAt: Date | null;
}

/** Numbers steps from `firstNumber`. A step that is due at `at` counts as published. */
export function schedule(steps: readonly Step[], firstNumber: number, at: Date): ScheduledStep[] {
  return steps.map(({ event, dueAt, onlyOnInquiry, copies = 1 }, index) => ({
    number: firstNumber + index,
    event,
    dueAt: onlyOnInquiry ? null : dueAt,
    dueWhenAsked: onlyOnInquiry ? dueAt : null,
    copies,
    publishedAt: onlyOnInquiry || dueAt > at ? null : at,
  }));
}

/** Whether the rail publishes the step only on an inquiry. */
export function waitsForInquiry({ dueAt, publishedAt }: ScheduledStep): boolean {
  return dueAt === null && publishedAt === null;
}

/**
 * The steps once the rail has been asked: those that waited for it have their due times. In an Instant book they are
 * due at once, also if they were scheduled before its clock was Instant.
 */
export function afterInquiry(
  steps: readonly ScheduledStep[],
  at: Date,
  { isInstant }: { readonly isInstant: boolean },
): ScheduledStep[] {
  const dueAt = (whenAsked: Date | null) => (isInstant ? at : (whenAsked ?? at));
  return steps.map((step) => (waitsForInquiry(step) ? { ...step, dueAt: dueAt(step.dueWhenAsked) } : step));
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
  return steps.flatMap(({ number, event, copies, publishedAt }) =>
    publishedAt === null ? [] : [{ number, event, copies, occurredAt: publishedAt }],
  );
}

/** The unpublished steps that are due at `at`. */
export function dueSteps(steps: readonly ScheduledStep[], at: Date): ScheduledStep[] {
  return steps.filter(({ dueAt, publishedAt }) => publishedAt === null && dueAt !== null && dueAt <= at);
}

/** Publishes some of the steps at `at`: all steps as they then are, and the new events. */
export function publishSteps(
  steps: readonly ScheduledStep[],
  due: readonly ScheduledStep[],
  at: Date,
): { readonly steps: readonly ScheduledStep[]; readonly now: readonly PublishedEvent[] } {
  const now = due.map(({ number, event, copies }) => ({ number, event, copies, occurredAt: at }));
  return { steps: steps.map((step) => (due.includes(step) ? { ...step, publishedAt: at } : step)), now };
}
