/** Requests that are sent again, as a tenant's backend does it: a service on a busy machine is away now and then. */
import { newId } from "../../../contracts/ids/ids.ts";
import type { Answer, Call } from "../../../scripts/local/demo/api.ts";
import { until } from "../../stack/until.ts";
import { isAway } from "./away.ts";

/** A world, as this file uses it. */
export interface Sends {
  send<T>(
    key: string,
    method: Call["method"],
    path: string,
    more?: { readonly body?: unknown; readonly headers?: Record<string, string> },
  ): Promise<Answer<T>>;
}

/** Sends until no service is away, and returns that answer. */
export function repeated<A extends { readonly body: unknown }>(send: () => Promise<A>): Promise<A> {
  return until("an answer while no service is away", async () => {
    const answer = await send();
    return isAway(answer.body) ? undefined : answer;
  }) as Promise<A>;
}

/** Like `World.send`, until no service is away. A change that is sent again has the same Idempotency-Key. */
export function sendPatiently<T = Record<string, unknown>>(
  world: Sends,
  key: string,
  method: Call["method"],
  path: string,
  more: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
): Promise<Answer<T>> {
  const own: Record<string, string> = method === "GET" ? {} : { "idempotency-key": newId("req") };
  const headers = { ...own, ...more.headers };
  return repeated(() => world.send<T>(key, method, path, { ...more, headers }));
}
