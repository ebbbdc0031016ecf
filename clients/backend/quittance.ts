/**
 * What a backend needs beside the generated client: copy it (docs/guides/versions.md). It imports Node alone. Money
 * moves once, however often a request is sent, if each attempt has the same Idempotency-Key.
 */
import { createHmac, randomUUID, timingSafeEqual } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";

/** What the API says when it refuses (RFC 9457). */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly retryable: boolean;
  readonly requestId: string;
}

/**
 * This request was refused, and changed nothing. An earlier attempt whose answer was lost may have been carried out if
 * the code is `idempotency_key_reused`, or if the key lost its rights in between (401, 403): look before you pay anew.
 */
export class RefusedError extends Error {
  readonly problem: Refusal;

  constructor(problem: Refusal) {
    super(`${problem.code}: ${problem.detail} (request ${problem.requestId})`);
    this.problem = problem;
  }
}

/** A write may have been carried out. Send the same request, with the same Idempotency-Key, until it is answered. */
export class ResultUnknownError extends Error {}

export interface RetryOptions {
  /** The first one included. */
  readonly attempts?: number;
  /** How long one attempt may take until its answer is complete. */
  readonly timeoutMs?: number;
  /**
   * Before the second attempt. Each further pause is twice as long, up to a minute; none is shorter than `Retry-After`
   * says.
   */
  readonly pauseMs?: number;
}

/** If the server asks for a longer pause, its answer is returned. */
const longestPauseMs = 60_000;

/**
 * A `fetch` for the generated client. It sends a request again after a lost connection, a time-out, a proxy's error and
 * whatever the API calls retryable, and gives each write one Idempotency-Key for all attempts. Set a key of your own,
 * which you can find again, for what must not happen twice when your process ends in between.
 */
export function fetchWithRetries(options: RetryOptions = {}): typeof fetch {
  const { attempts = 5, timeoutMs = 30_000, pauseMs = 500 } = options;
  return async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    if (request.method !== "GET" && !request.headers.has("idempotency-key"))
      request.headers.set("idempotency-key", randomUUID());
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= attempts;
      let waitMs = Math.min(pauseMs * 2 ** (attempt - 1), longestPauseMs);
      try {
        const answer = await completeAnswer(request.clone(), timeoutMs);
        waitMs = Math.max(waitMs, retryAfterMs(answer));
        if (isLast || waitMs > longestPauseMs || !(await mayBeRepeated(answer))) return answer;
      } catch (error) {
        if (isLast || request.signal.aborted) throw error;
      }
      await delay(waitMs, undefined, { signal: request.signal });
    }
  };
}

/** Rejects if the connection is lost before the end of the body, which `fetch` alone does not notice. */
async function completeAnswer(request: Request, timeoutMs: number): Promise<Response> {
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]);
  const answer = await fetch(request, { signal });
  const { status, statusText, headers } = answer;
  const body = await answer.arrayBuffer();
  return new Response(body.byteLength === 0 ? null : body, { status, statusText, headers });
}

async function mayBeRepeated(answer: Response): Promise<boolean> {
  if (answer.ok) return false;
  if (answer.status >= 500 || answer.status === 429) return true;
  const problem = refusalOf(
    await answer
      .clone()
      .json()
      .catch(() => undefined),
  ); // a proxy's page
  return problem?.retryable === true;
}

function retryAfterMs({ headers }: Response): number {
  const asked = headers.get("retry-after");
  if (asked === null) return 0;
  const ms = /^\d+$/.test(asked) ? Number(asked) * 1_000 : Date.parse(asked) - Date.now();
  return Number.isNaN(ms) ? 0 : ms;
}

/** What a function of the generated client resolves with. Its type promises a problem as `error`; see `dataOf`. */
interface Result<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response?: Response;
}

/**
 * The data of an answer. Throws `RefusedError` for what the API has refused for good, and `ResultUnknownError` for
 * everything else: without an answer, `error` is what `fetch` threw; behind a proxy it may be a page of HTML.
 */
export async function dataOf<T>(result: Promise<Result<T>>): Promise<T> {
  const { data, error, response } = await result;
  if (data !== undefined && response?.ok === true) return data;
  const problem = refusalOf(error);
  if (problem !== undefined && problem.status < 500 && !problem.retryable) throw new RefusedError(problem);
  const seen =
    problem?.detail ?? (response === undefined ? String(error) : `status ${String(response.status)}`);
  throw new ResultUnknownError(`The result is unknown: ${seen}`, { cause: error });
}

function refusalOf(error: unknown): Refusal | undefined {
  const { code, retryable } = (error ?? {}) as Partial<Refusal>;
  return typeof code === "string" && typeof retryable === "boolean" ? (error as Refusal) : undefined;
}

interface Page<T> {
  readonly data: readonly T[];
  readonly nextCursor: string | null;
}

/**
 * The items of all pages. `read` calls a list with this cursor and, each time, the same filters. The entries of an
 * account are a bare array, whose cursor is in the header `Link`.
 */
export async function* itemsOf<T>(
  read: (cursor: string | undefined) => Promise<Result<Page<T> | readonly T[]>>,
): AsyncGenerator<T, void> {
  let cursor: string | undefined;
  do {
    const result = read(cursor);
    const page = await dataOf(result);
    const isBare = !("data" in page);
    yield* isBare ? page : page.data;
    cursor = isBare ? cursorOf((await result).response) : (page.nextCursor ?? undefined);
  } while (cursor !== undefined);
}

function cursorOf(response: Response | undefined): string | undefined {
  const [, next] = /<([^>]*)>; *rel="next"/.exec(response?.headers.get("link") ?? "") ?? [];
  return next === undefined
    ? undefined
    : (new URL(next, "http://any").searchParams.get("cursor") ?? undefined);
}

/**
 * Whether we sent this webhook, at most five minutes ago. Give it the bytes of the body as they came, and the headers
 * with lowercase names.
 */
export function verifies(
  rawBody: Buffer,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  secret: string,
): boolean {
  const textOf = (name: string) => String(headers[name] ?? "");
  const [id, sentAt] = [textOf("webhook-id"), textOf("webhook-timestamp")];
  if (!(Math.abs(Date.now() / 1_000 - Number(sentAt)) <= 300)) return false;
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const expected = createHmac("sha256", key).update(`${id}.${sentAt}.`).update(rawBody).digest();
  return textOf("webhook-signature")
    .split(" ")
    .some((signature) => {
      const [version, base64 = ""] = signature.split(",");
      const given = Buffer.from(base64, "base64");
      return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
    });
}
