import { asError } from "../../../platform/as-error.ts";
import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { Clock } from "../../clock.ts";
import type { AttemptOutcome } from "../domain/acknowledgement.ts";

/** How much of an answer is kept; what follows is not read, the connection is dropped instead. */
export const keptAnswerBytes = 16 * 1024;
const keptErrorChars = 500;

export interface Posted extends AttemptOutcome {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** The first 16 KiB as UTF-8; null when no answer came. */
  readonly responseBody: string | null;
}

export interface PostRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/**
 * Sends one request and tells how it ended; never rejects. The time-out spans everything from connecting to the last
 * byte, so a receiver that drips can't hold its place. Redirects are not followed.
 */
export function post(
  dispatcher: Dispatcher,
  request: PostRequest,
  clock: Clock,
  timeoutMs: number,
): Promise<Posted> {
  return new Promise((resolve) => {
    const answer = new Answer(clock, timeoutMs, resolve);
    try {
      dispatcher.dispatch({ ...request, method: "POST", headersTimeout: 0, bodyTimeout: 0 }, answer);
    } catch (error) {
      answer.onResponseError(undefined, asError(error));
    }
  });
}

class Answer implements Dispatcher.DispatchHandler {
  readonly #clock: Clock;
  readonly #startedAt: Date;
  readonly #resolve: (posted: Posted) => void;
  readonly #callOffTimeout: () => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #bytes = 0;
  #status: number | null = null;
  #settled = false;

  constructor(clock: Clock, timeoutMs: number, resolve: (posted: Posted) => void) {
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#resolve = resolve;
    this.#callOffTimeout = clock.after(timeoutMs, () => {
      this.#breakOff(`no complete answer within ${String(timeoutMs / 1000)} s`);
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The time-out may have passed while the connection was being made.
    if (this.#settled) controller.abort(new Error("timed out before it was sent"));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    _headers: IncomingHttpHeaders,
  ): void {
    this.#status = status;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#settled) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > keptAnswerBytes) this.#breakOff(null);
  }

  onResponseEnd(): void {
    this.#settle(null);
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#settle(describe(error));
  }

  #breakOff(reason: string | null): void {
    this.#settle(reason);
    this.#controller?.abort(new Error(reason ?? "the rest of the answer is not kept"));
  }

  #settle(error: string | null): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#callOffTimeout();
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
    return storable(Buffer.concat(this.#chunks).subarray(0, keptAnswerBytes).toString("utf8"));
  }
}

function describe(error: Error): string {
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  // An AggregateError of several addresses has no message of its own.
  return storable(error.message === "" ? code : `${code}: ${error.message}`).slice(0, keptErrorChars);
}

/** Postgres keeps no NUL in text. */
function storable(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
