/** A `fetch` that repeats requests after transient refusals, as a tenant's backend does. */
import { newId } from "../../../contracts/ids/ids.ts";
import { patienceMs, until } from "../../stack/until.ts";
import { isTransient } from "./transient.ts";

type Fetch = typeof globalThis.fetch;

/** Paths whose answers may lack the part of a service that was late; `unavailable` names it. */
const mayLackParts = /^\/v\d+\/(?:search$|payment-orders\/[^/]+\/timeline$)/;

/**
 * Repeats reads, and writes with their Idempotency-Key. A POST that has none gets one, so that its repeat changes
 * nothing a second time. The last answer is returned once the patience of a test has ended.
 */
export function patientFetch(fetch: Fetch, isOurs: (origin: string) => boolean): Fetch {
  return async (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    if (!isOurs(origin) || !/^\/v\d+\//.test(pathname)) return fetch(input, init);
    const request = new Request(input, init);
    const isRead = request.method === "GET";
    if (request.method === "POST" && !request.headers.has("idempotency-key")) {
      request.headers.set("Idempotency-Key", newId("req"));
    }
    if (!isRead && !request.headers.has("idempotency-key")) return fetch(request);
    const deadline = Date.now() + patienceMs;
    return until(async () => {
      const answer = await fetch(request.clone());
      return Date.now() < deadline && (await mayRepeat(answer, isRead && mayLackParts.test(pathname)))
        ? undefined
        : answer;
    });
  };
}

async function mayRepeat(answer: Response, mayLack: boolean): Promise<boolean> {
  const isRefusal = [409, 503, 504].includes(answer.status);
  if (!isRefusal && !(mayLack && answer.ok)) return false;
  const body = (await answer.clone().json()) as { unavailable?: string[] };
  return isRefusal ? isTransient(body) : (body.unavailable ?? []).length > 0;
}
