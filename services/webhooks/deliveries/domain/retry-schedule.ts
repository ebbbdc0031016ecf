/** The states of a delivery, as its owner reads them. */
export type DeliveryStatus = "Pending" | "Retrying" | "Delivered" | "DeadLettered";

export interface RetrySchedule {
  /** HTTP requests until a delivery is dead-lettered. */
  readonly maxAttempts: number;
  /** The pause after the first failure, the second …; the last one repeats. */
  readonly backoffMs: readonly number[];
}

/**
 * Three requests: at once, a minute after the first failed, five minutes after the second failed. The specification
 * names three attempts twice and three delays once; with a fourth attempt the 30-minute step would be used.
 */
export const specifiedSchedule: RetrySchedule = {
  maxAttempts: 3,
  backoffMs: [60_000, 300_000, 1_800_000],
};

/** What the outcome of an attempt makes of its delivery. `retryAfterMs` counts from the end of the attempt. */
export type Next =
  | { readonly status: "Delivered" | "DeadLettered"; readonly retryAfterMs: null }
  | { readonly status: "Retrying"; readonly retryAfterMs: number };

export interface Progress {
  /** Attempts before this one. */
  readonly attemptCount: number;
  /** `maxAttempts` at first; a person who asks for one more raises it. */
  readonly attemptsAllowed: number;
  /** A receiver that acknowledged once has the event, whatever it answers to a later repeat. */
  readonly acknowledgedBefore: boolean;
}

/** Decides what follows an attempt. A repeat of what was acknowledged once is one attempt and no more. */
export function afterAttempt(acknowledged: boolean, progress: Progress, schedule: RetrySchedule): Next {
  if (acknowledged || progress.acknowledgedBefore) return { status: "Delivered", retryAfterMs: null };
  const attempts = progress.attemptCount + 1;
  if (attempts >= progress.attemptsAllowed) return { status: "DeadLettered", retryAfterMs: null };
  return { status: "Retrying", retryAfterMs: pauseAfter(attempts, schedule) };
}

function pauseAfter(failures: number, { backoffMs }: RetrySchedule): number {
  const pauseMs = backoffMs[Math.min(failures, backoffMs.length) - 1];
  if (pauseMs === undefined) throw new Error("a retry schedule needs at least one pause");
  return pauseMs;
}
