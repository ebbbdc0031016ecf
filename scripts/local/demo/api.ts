/** Calls the API as a tenant's backend would, for the tour and the first payment. */
import { setTimeout as delay } from "node:timers/promises";

/** On a busy machine, what usually takes a second takes many. */
const patienceMs = 60_000;

export interface Answer<T = Record<string, unknown>> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;
}

export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  readonly key: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export async function call<T = Record<string, unknown>>(baseUrl: string, request: Call): Promise<Answer<T>> {
  const response = await fetch(`${baseUrl}${request.path}`, {
    method: request.method,
    headers: {
      "x-api-key": request.key,
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      ...request.headers,
    },
    ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text === "" ? {} : JSON.parse(text)) as T,
    headers: response.headers,
  };
}

/** Where the sandbox has a rate limit: waits as long as the answer says, and calls again, for at most a minute. */
export async function callWithinLimits<T = Record<string, unknown>>(
  baseUrl: string,
  request: Call,
): Promise<Answer<T>> {
  for (const deadline = Date.now() + patienceMs; ; ) {
    const answer = await call<T>(baseUrl, request);
    if (answer.status !== 429 || Date.now() > deadline) return answer;
    await delay(Number(answer.headers.get("retry-after") ?? "1") * 1_000);
  }
}

/** Calls until `done` returns true; throws after `withinMs` with the last answer's status. */
export async function callUntil<T = Record<string, unknown>>(
  baseUrl: string,
  request: Call,
  done: (answer: Answer<T>) => boolean,
  withinMs = patienceMs,
): Promise<Answer<T>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await callWithinLimits<T>(baseUrl, request);
    if (done(answer)) return answer;
    if (Date.now() > deadline) {
      throw new Error(
        `${request.method} ${request.path}: still ${JSON.stringify(answer.body).slice(0, 500)}`,
      );
    }
    await delay(50);
  }
}
