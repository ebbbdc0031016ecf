import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { asError } from "../../../platform/as-error.ts";
import type { Clock } from "../../clock.ts";
import type { AttemptOutcome } from "../domain/retry-schedule.ts";

/** How much of a response body is stored. A longer one is not read to the end: the connection is closed. */
export const maxResponseBytes = 16 * 1024;
const maxErrorChars = 500;

export interface PostResult extends AttemptOutcome {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** The first 16 KiB as UTF-8, or null if no response came. */
  readonly responseBody: string | null;
}

export interface PostRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Sends one request and resolves with how it ended; never rejects. The time-out covers everything from connecting to
 * the last byte, so a receiver that sends its response slowly can't occupy the connection. Redirects are not followed.
 */
export function post(
  dispatcher: Dispatcher,
  request: PostRequest,
  clock: Clock,
  timeoutMs: number,
): Promise<PostResult> {
  return new Promise((resolve) => {
    const collector = new ResponseCollector(clock, timeoutMs, resolve);
    try {
      dispatcher.dispatch({ ...request, method: "POST", headersTimeout: 0, bodyTimeout: 0 }, collector);
    } catch (error) {
      collector.onResponseError(undefined, asError(error));
    }
  });
}

class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly #clock: Clock;
  readonly #startedAt: Date;
  readonly #resolve: (posted: PostResult) => void;
  readonly #cancelTimeout: () => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #bytes = 0;
  #status: number | null = null;
  #finished = false;

  constructor(clock: Clock, timeoutMs: number, resolve: (posted: PostResult) => void) {
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#resolve = resolve;
    this.#cancelTimeout = clock.after(timeoutMs, () => {
      this.#abort(`no complete answer within ${String(timeoutMs / 1000)} s`);
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The time-out may have passed while connecting.
    if (this.#finished) controller.abort(new Error("timed out before it was sent"));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    _headers: IncomingHttpHeaders,
  ): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#finished) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > maxResponseBytes) this.#abort(null);
  }

  onResponseEnd(): void {
    this.#finish(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#finish(describe(error));
  }

  #abort(reason: string | null): void {
    this.#finish(reason);
    this.#controller?.abort(new Error(reason ?? "the rest of the response is not stored"));
  }

  #finish(error: string | null): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#cancelTimeout();
    this.#resolve({
      startedAt: this.#startedAt,
      durationMs: Math.max(0, this.#clock.now().getTime() - this.#startedAt.getTime()),
      responseStatus: this.#status,
      responseBody: this.#status === null ? null : this.#text(),
      error,
    });
  }

  #text(): string {
    if (this.#bytes === 0) return "";
    return withoutNul(Buffer.concat(this.#chunks).subarray(0, maxResponseBytes).toString("utf8"));
  }
}

function describe(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  // The AggregateError of several failed addresses has no message.
  return withoutNul(error.message === "" ? code : `${code}: ${error.message}`).slice(0, maxErrorChars);
}

/** Postgres can't store NUL in text. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
