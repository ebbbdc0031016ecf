/**
 * Runs `act` unless it has succeeded within the last `intervalMs` before `at`: for a gauge of a worker that ticks more
 * often than anyone reads it.
 */
export function atMostEvery(intervalMs: number, act: () => Promise<void>): (at: Date) => Promise<void> {
  let lastMs: number | undefined;
  return async (at) => {
    const now = at.getTime();
    // A clock that was set back must not stop the gauge.
    if (lastMs !== undefined && now >= lastMs && now < lastMs + intervalMs) return;
    await act();
    lastMs = now;
  };
}
