import { isInfrastructureFault } from "./persistence/infrastructure-fault.ts";

/**
 * Runs all items together. If that fails, runs each half, down to the item that fails alone, so that one bad item never
 * fails the others. Returns one result per item, in order.
 *
 * `run` returns one result per item, or throws and has no effect. `onFailure` returns the results of the failed items:
 * one item, or several after an error that `maySplit` refuses. By default it refuses infrastructure faults, because an
 * unavailable database would fail every half too. If `onFailure` throws, the items after it are not run.
 */
export async function bisect<In, Out>(
  items: readonly In[],
  run: (items: readonly In[]) => Promise<readonly Out[]>,
  onFailure: (items: readonly In[], error: unknown) => readonly Out[] | Promise<readonly Out[]>,
  maySplit: (error: unknown) => boolean = (error) => !isInfrastructureFault(error),
): Promise<readonly Out[]> {
  if (items.length === 0) return [];
  try {
    return await run(items);
  } catch (error) {
    if (items.length === 1 || !maySplit(error)) return onFailure(items, error);
    const half = Math.ceil(items.length / 2);
    const first = await bisect(items.slice(0, half), run, onFailure, maySplit);
    return [...first, ...(await bisect(items.slice(half), run, onFailure, maySplit))];
  }
}
