/** Sends requests that `fetch` would refuse, over its own connections, and reads the whole answer. */
import { Pool } from "undici";
import type { Exchanged } from "../answers.ts";
import type { Draft } from "./mutations.ts";

export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string | Uint8Array | undefined;
}

export function sentOf(draft: Draft): Sent {
  const { method, segments, query } = draft;
  const body = draft.raw ?? (draft.body === undefined ? undefined : JSON.stringify(draft.body));
  const path = `/${segments.join("/")}${query.length === 0 ? "" : `?${query.join("&")}`}`;
  // HTTP parsers refuse a TRACE with a body.
  return { method, path, headers: { ...draft.headers }, body: method === "TRACE" ? undefined : body };
}

/** A short form of the request, to repeat it by hand. */
export function shown({ method, path, headers, body }: Sent): string {
  const { "x-api-key": _key, ...rest } = headers;
  const text =
    body === undefined ? "" : typeof body === "string" ? body : `bytes ${Buffer.from(body).toString("hex")}`;
  return `${method} ${path.slice(0, 400)} ${JSON.stringify(rest).slice(0, 200)} ${text.slice(0, 800)}`;
}

/** Longer than any `Prefer: wait` and `wait`, and longer than any service's time-out. */
const answerWithinMs = 15_000;

export class Sender {
  readonly #pool: Pool;

  constructor(origin: string) {
    this.#pool = new Pool(origin, { connections: 16, pipelining: 1 });
  }

  /** The answer, or the reason why there is none. */
  async send({ method, path, headers, body }: Sent): Promise<Exchanged | Error> {
    try {
      const answer = await this.#pool.request({
        method: method as "GET",
        path,
        headers,
        signal: AbortSignal.timeout(answerWithinMs),
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : Buffer.from(body) }),
      });
      const got = new Map(Object.entries(answer.headers).map(([name, value]) => [name, String(value)]));
      const text = await answer.body.text();
      return {
        method,
        path,
        status: answer.statusCode,
        headers: { get: (name) => got.get(name) ?? null },
        text,
      };
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}
