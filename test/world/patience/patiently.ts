/** Repeats requests that get a transient refusal, as a tenant's backend does. */
import { newId } from "../../../contracts/ids/ids.ts";
import type { Answer, Call } from "../../../scripts/local/demo/api.ts";
import { until } from "../../stack/until.ts";
import { isTransient } from "./transient.ts";

/** A world, as this file uses it. */
export interface Sends {
  send<T>(
    key: string,
    method: Call["method"],
    path: string,
    more?: { readonly body?: unknown; readonly headers?: Record<string, string> },
  ): Promise<Answer<T>>;
}

/** Repeats while the answer is a transient refusal, and returns the first other one. */
export function repeated<A extends { readonly body: unknown }>(send: () => Promise<A>): Promise<A> {
  return until("an answer other than a transient refusal", async () => {
    const answer = await send();
    return isTransient(answer.body) ? undefined : answer;
  }) as Promise<A>;
}

/** Like `World.send`, repeated while the answer is a transient refusal. Each change has one Idempotency-Key. */
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
