import { Readable } from "node:stream";
import { Inject, Injectable, type OnModuleDestroy } from "@nestjs/common";
import type { FastifyReply } from "fastify";
import { maxHeldMs, type TestSinkAnswer } from "../../../contracts/http/webhooks/test-sinks.ts";
import { ProcessClock } from "../process-clock.ts";
import { statusOf } from "./domain/script.ts";

/** Requests that one instance keeps open at once. One more is cut off, so that sinks can't take all its memory. */
const maxHeld = 500;
const dripIntervalMs = 1_000;
const maxDrippedBytes = maxHeldMs / dripIntervalMs;
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);
const filling = Buffer.alloc(64 * 1024, "x");

/** Answers requests to sinks as scripted. A request whose sender has hung up is forgotten at once. */
@Injectable()
export class ScriptedAnswers implements OnModuleDestroy {
  readonly #clock: ProcessClock;
  readonly #held = new Set<() => void>();

  constructor(@Inject(ProcessClock) clock: ProcessClock) {
    this.#clock = clock;
  }

  /** How many requests are kept open. */
  get held(): number {
    return this.#held.size;
  }

  /** Cuts off all requests that are kept open. */
  onModuleDestroy(): void {
    for (const cutOff of this.#held) cutOff();
  }

  /** Sends the answer to the sink's `received`th request. Resolves when it is sent, or the request is cut off. */
  async send(reply: FastifyReply, answer: TestSinkAnswer, received: number): Promise<void> {
    const { fault, delayMs = 0 } = answer;
    if (delayMs > 0 && !(await this.#hold(reply, delayMs))) return cutOff(reply);
    if (fault === undefined) return sendNow(reply, answer, received);
    if (fault === "Drip") return this.#drip(reply, answer);
    if (fault === "Hang") await this.#hold(reply, maxHeldMs);
    cutOff(reply);
  }

  async #drip(reply: FastifyReply, answer: TestSinkAnswer): Promise<void> {
    const { bodyBytes = maxDrippedBytes } = answer;
    reply.hijack();
    reply.raw.writeHead(statusOf(answer), { ...headersOf(answer), "content-length": bodyBytes });
    reply.raw.flushHeaders();
    for (let sent = 0; sent < Math.min(bodyBytes, maxDrippedBytes); sent += 1) {
      if (!(await this.#hold(reply, dripIntervalMs))) return cutOff(reply);
      reply.raw.write("x");
    }
    if (bodyBytes <= maxDrippedBytes) reply.raw.end();
    else cutOff(reply);
  }

  /** Waits, and resolves with false if the sender hangs up, the service stops, or too many are kept open. */
  #hold({ raw }: FastifyReply, ms: number): Promise<boolean> {
    if (raw.destroyed || this.#held.size >= maxHeld) return Promise.resolve(false);
    return new Promise((resolve) => {
      const end = (waited: boolean) => {
        cancel();
        raw.off("close", hangUp);
        this.#held.delete(hangUp);
        resolve(waited);
      };
      const hangUp = () => end(false);
      const cancel = this.#clock.after(ms, () => end(true));
      raw.once("close", hangUp);
      this.#held.add(hangUp);
    });
  }
}

function headersOf({ headers, redirectTo }: TestSinkAnswer): Record<string, string> {
  return { ...headers, ...(redirectTo === undefined ? {} : { location: redirectTo }) };
}

/** With a reset, which no client can take for the end of an answer. */
function cutOff(reply: FastifyReply): void {
  reply.hijack();
  const { socket } = reply.raw;
  if (socket === null) reply.raw.destroy();
  else socket.resetAndDestroy();
}

function sendNow(reply: FastifyReply, answer: TestSinkAnswer, received: number): void {
  const { bodyBytes } = answer;
  const status = statusOf(answer);
  void reply.status(status);
  if (bodyBytes === undefined) void reply.type("application/json");
  void reply.headers(headersOf(answer));
  if (withoutBody.has(status)) void reply.send();
  else if (bodyBytes === undefined) void reply.send(JSON.stringify({ received }));
  else void reply.header("content-length", bodyBytes).send(Readable.from(bytes(bodyBytes)));
}

function* bytes(count: number): Generator<Buffer> {
  for (let left = count; left > 0; left -= filling.length)
    yield filling.subarray(0, Math.min(left, filling.length));
}
