/**
 * A book's clock can be set at most two years ahead at once. These times lead to `startAt`, however far away that is,
 * so that a test may name a date many years ahead.
 */
export function stepsTo(startAt: string | undefined, now = new Date()): string[] {
  const steps: string[] = [];
  if (startAt === undefined) return steps;
  const step = new Date(now);
  for (;;) {
    step.setUTCMonth(step.getUTCMonth() + 18);
    if (step >= new Date(startAt)) return steps;
    steps.push(step.toISOString());
  }
}
