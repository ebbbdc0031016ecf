/** One lock for all tabs of the browser, because they share the session's cookie. */
const session = "session";

/** Runs a request that ends the browser's session, and whose answer brings a new one. */
export async function replacingSession<T>(request: () => Promise<T>): Promise<T> {
  return navigator.locks.request(session, request);
}

/** Runs a request that asks whether the session is over, once no tab waits for a new one. */
export async function withSettledSession<T>(request: () => Promise<T>): Promise<T> {
  return navigator.locks.request(session, { mode: "shared" }, request);
}
