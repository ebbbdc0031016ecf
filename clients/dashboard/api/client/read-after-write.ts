import type { QueryClient } from "@tanstack/react-query";

const maxWaitMs = 2_000;

/**
 * Reads again what is shown, after a write. Waits for it, so that a form closes over what it has changed, but not long:
 * a service that answers slowly must not hide that the write has succeeded.
 */
export async function readAfterWrite(client: QueryClient): Promise<void> {
  await Promise.race([
    client.invalidateQueries(),
    new Promise<void>((resolve) => setTimeout(resolve, maxWaitMs)),
  ]);
}
