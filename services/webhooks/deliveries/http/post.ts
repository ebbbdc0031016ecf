import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import type { WebhookErrorClass } from "../../../../contracts/http/webhooks/webhooks.ts";
import { asError } from "../../../platform/as-error.ts";
import type { ProcessClock } from "../../process-clock.ts";
import { errorClassOf, OwnFault, TimedOutError } from "../domain/error-class.ts";
import { askedPauseMs } from "../domain/retry-after.ts";
import type { AttemptOutcome } from "../domain/retry-schedule.ts";
import type { Connection, ConnectTimings } from "./connection.ts";

/** How much of a response body is stored. A longer one is not read to the end: the connection is closed. */
const maxResponseBytes = 16 * 1024;
const maxErrorChars = 500;

/** In ms; null for a phase that was not needed or did not end. A reused connection has no phases of connecting. */
export interface AttemptTimings extends ConnectTimings {
  /** From the start of the request, on a connection that is ready, to the first byte of the answer. */
  readonly firstByteMs: number | null;
}

export interface PostResult extends AttemptOutcome {
  readonly startedAt: Date;
  readonly durationMs: number;
  /** The first 16 KiB as UTF-8, or null if no response came. */
  readonly responseBody: string | null;
  readonly errorClass: WebhookErrorClass | null;
  /** What failed on our side, if `errorClass` is Ours. */
  readonly ownFault: OwnFault | null;
  readonly timings: AttemptTimings;
  /** How long the receiver asks us to wait by its `Retry-After`; 0 if it does not. */
  readonly askedPauseMs: number;
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
  connection: Connection,
  request: PostRequest,
  clock: ProcessClock,
  timeoutMs: number,
): Promise<PostResult> {
  return new Promise((resolve) => {
    const collector = new ResponseCollector(connection, clock, timeoutMs, resolve);
    try {
      connection.dispatch({ ...request, method: "POST", headersTimeout: 0, bodyTimeout: 0 }, collector);
    } catch (error) {
      collector.onResponseError(undefined, asError(error));
    }
  });
}

class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly #connection: Connection;
  readonly #clock: ProcessClock;
  readonly #startedAtMs: number;
  readonly #resolve: (posted: PostResult) => void;
  readonly #cancelTimeout: () => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #bytes = 0;
  #sentAtMs: number | null = null;
  #firstByteAtMs: number | null = null;
  #status: number | null = null;
  #askedPauseMs = 0;
  #finished = false;

  constructor(
    connection: Connection,
    clock: ProcessClock,
    timeoutMs: number,
    resolve: (posted: PostResult) => void,
  ) {
    this.#connection = connection;
    this.#clock = clock;
    this.#startedAtMs = this.#nowMs();
    this.#resolve = resolve;
    this.#cancelTimeout = clock.after(timeoutMs, () => {
      const error = new TimedOutError(timeoutMs);
      if (this.#controller === undefined) connection.giveUp(error);
      else this.#abort(error);
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#sentAtMs = this.#nowMs();
  }

  onResponseStarted(): void {
    this.#firstByteAtMs ??= this.#nowMs();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    // An interim answer, such as 103, is not the answer.
    if (status < 200) return;
    this.#status = status;
    this.#askedPauseMs = askedPauseMs(headers["retry-after"], this.#clock.now());
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
    this.#finish(error);
  }

  #abort(error: Error | null): void {
    this.#finish(error);
    this.#controller?.abort(error ?? new Error("the rest of the response is not stored"));
  }

  #finish(error: Error | null): void {
    if (this.#finished) return;
    this.#finished = true;
    this.#cancelTimeout();
    this.#resolve({
      startedAt: new Date(this.#startedAtMs),
      durationMs: Math.max(0, this.#nowMs() - this.#startedAtMs),
      responseStatus: this.#status,
      responseBody: this.#status === null ? null : this.#text(),
      error: error === null ? null : describe(error),
      errorClass: errorClassOf(this.#status, error, this.#connection.phase),
      ownFault: error instanceof OwnFault ? error : null,
      timings: { ...this.#connection.timings, firstByteMs: this.#firstByteMs() },
      askedPauseMs: this.#askedPauseMs,
    });
  }

  #firstByteMs(): number | null {
    if (this.#sentAtMs === null || this.#firstByteAtMs === null) return null;
    return Math.max(0, this.#firstByteAtMs - this.#sentAtMs);
  }

  #text(): string {
    if (this.#bytes === 0) return "";
    return withoutNul(Buffer.concat(this.#chunks).subarray(0, maxResponseBytes).toString("utf8"));
  }

  #nowMs(): number {
    return this.#clock.now().getTime();
  }
}

function describe(error: Error): string {
  if (error instanceof TimedOutError || error instanceof OwnFault) return error.message;
  const code = "code" in error && typeof error.code === "string" ? error.code : error.name;
  // The AggregateError of several failed addresses has no message.
  return withoutNul(error.message === "" ? code : `${code}: ${error.message}`).slice(0, maxErrorChars);
}

/** Postgres can't store NUL in text. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", "\uFFFD");
}
