import { type Query, QueryCache, QueryClient } from "@tanstack/react-query";
import { mode } from "../../book.ts";
import { signInPath } from "../../shell/person/sign-in-path.ts";
import { ApiProblem } from "./problem.ts";
import { withSettledSession } from "./session-lock.ts";

const maxRetries = 2;
/** How often the page reads again from a service that does not answer. */
const retryOfAbsentMs = 5_000;

/** What was read is shown while it is read again. A write is never repeated by itself. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      if (!(error instanceof ApiProblem)) return;
      if (error.status === 401) void leaveIfSignedOut();
      // The person may no longer read it, so what was read before is not shown either.
      if (error.status === 403) query.setState({ data: undefined });
    },
  }),
  defaultOptions: {
    queries: {
      networkMode: "always",
      staleTime: 5_000,
      refetchInterval: (query) => (isOutOfDate(query) || lacksParts(query) ? retryOfAbsentMs : false),
      retry: (failures, error) =>
        failures < maxRetries && error instanceof ApiProblem && error.retryable && error.status !== 429,
    },
    mutations: { networkMode: "always", retry: false },
  },
});

/** True if it was read before its service stopped answering. */
export function isOutOfDate({ state: { data, error } }: Query<unknown, Error, unknown>): boolean {
  return data !== undefined && error instanceof ApiProblem && error.retryable;
}

/** True if it lacks the part of a service that did not answer in time. */
function lacksParts({ state: { data } }: Query<unknown, Error, unknown>): boolean {
  const { unavailable } = (data ?? {}) as { unavailable?: readonly unknown[] };
  return unavailable !== undefined && unavailable.length > 0;
}

/**
 * The session is over: what was read is forgotten with the page. After a change of the password the browser has a new
 * session, which a request that was on its way did not have yet.
 */
async function leaveIfSignedOut(): Promise<void> {
  const { status } = await withSettledSession(() =>
    fetch("/v1/me", { headers: { "Quittance-Mode": mode } }).catch(() => ({ status: 0 })),
  );
  if (status !== 401) return queryClient.invalidateQueries();
  if (!location.pathname.endsWith("/sign-in")) location.assign(signInPath());
}
