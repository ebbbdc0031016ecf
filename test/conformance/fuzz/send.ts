/** Sends requests that `fetch` would refuse, over its own connections, and reads the whole answer. */
import { setTimeout as delay } from "node:timers/promises";
import { errors, Pool } from "undici";
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

/** Longer than any time-out of a service, and a pause of a busy machine. */
const answerWithinMs = 45_000;
/** How long requests may wait, in sum, for services of a busy machine that do not answer. */
const absentMs = 600_000;

/**
 * Parts of 5xx answers that the fuzz causes, and that are no failures of the service: statement errors that it
 * requested, and an advance to the next event of a book that its other requests keep busy.
 */
const answersOfThisFuzz = ["bank_statement_refused", "The book's next event is not known while it waits for"];

/** True for an answer that the fuzz has not caused, and that only a failure of the service explains. */
export const isFailure = ({ status, text }: Exchanged) =>
  status >= 500 && !answersOfThisFuzz.some((part) => text.includes(part));

export class Sender {
  readonly #pool: Pool;
  #absentLeftMs = absentMs;

  constructor(origin: string) {
    this.#pool = new Pool(origin, { connections: 16, pipelining: 1 });
  }

  /**
   * The answer, or the reason why there is none. Repeats the request while a service does not answer, and where the
   * server had closed the idle connection: after a pause of the machine, the client learns of that too late. A server
   * that closes the connection because of the request does so each time.
   */
  async send(sent: Sent): Promise<Exchanged | Error> {
    for (let closed = 0; ; await delay(200)) {
      const sentAt = performance.now();
      const answer = await this.#sendOnce(sent);
      if (answer instanceof Error) {
        closed += 1;
        if (closed < 3 && answer instanceof errors.SocketError) continue;
        return answer;
      }
      const isAbsent = isFailure(answer) && (answer.status === 503 || answer.status === 504);
      if (!isAbsent || this.#absentLeftMs < 0) return answer;
      this.#absentLeftMs -= performance.now() - sentAt;
    }
  }

  async #sendOnce({ method, path, headers, body }: Sent): Promise<Exchanged | Error> {
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
