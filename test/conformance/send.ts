/** Sends what `fetch` would refuse to send, over connections of its own, and reads the answer to its end. */
import { Pool } from "undici";
import type { Exchanged } from "./answers.ts";
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
  // A TRACE has no body, says the parser of every server.
  return { method, path, headers: { ...draft.headers }, body: method === "TRACE" ? undefined : body };
}

/** For a person who replays it: short, and bytes as they are. */
export function shown({ method, path, headers, body }: Sent): string {
  const { "x-api-key": _key, ...rest } = headers;
  const text =
    body === undefined ? "" : typeof body === "string" ? body : `bytes ${Buffer.from(body).toString("hex")}`;
  return `${method} ${path.slice(0, 400)} ${JSON.stringify(rest).slice(0, 200)} ${text.slice(0, 800)}`;
}

/** Longer than any wait that a request asks for, and than an owner may take. */
const answerWithinMs = 8_000;

export class Sender {
  readonly #pool: Pool;

  constructor(origin: string) {
    this.#pool = new Pool(origin, { connections: 16, pipelining: 1 });
  }

  /** The answer, or why there was none. */
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
