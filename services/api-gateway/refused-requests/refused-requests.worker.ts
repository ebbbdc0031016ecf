import type { FastifyReply, FastifyRequest } from "fastify";
import type { Logger } from "pino";
import type { ErrorCode } from "../../../contracts/errors.ts";
import { bookIdOf, creationTimeOf, type RequestId } from "../../../contracts/ids/ids.ts";
import { PollingWorker } from "../../platform/runtime/polling-worker.ts";
import type { RefusedOf } from "./store/refused-requests.ts";

const intervalMs = 2_000;
/** In memory, of all books and of one. */
export const maxWaiting = 5_000;
export const maxWaitingOfBook = 100;
/** Of one caller with one code: a client that repeats a refused request leaves room for its book's others. */
export const maxWaitingAlike = 10;

/**
 * Remembers refused requests in memory, so that no request waits for it, and stores them every two seconds. It helps
 * developers and is no audit: what exceeds the bounds is dropped, and so is what waits when the process is killed.
 */
export class RefusedRequests extends PollingWorker {
  readonly #save: (refused: readonly RefusedOf[]) => Promise<void>;
  #waiting: RefusedOf[] = [];
  /** How many wait, by book and by what is alike. */
  readonly #counts = new Map<string, number>();

  constructor(
    save: (refused: readonly RefusedOf[]) => Promise<void>,
    log: Logger,
    countFailedTick: (worker: string) => void,
  ) {
    super("refused-requests", intervalMs, () => this.saveWaiting(), log, countFailedTick);
    this.#save = save;
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    await this.saveBeforeEnd(
      () => this.saveWaiting(),
      () => this.#waiting.length,
    );
  }

  record(refused: RefusedOf): void {
    const { tenant, mode, principal, apiKeyId, code } = refused;
    const book = bookIdOf(tenant, mode);
    const alike = JSON.stringify([book, principal, apiKeyId, code]);
    const ofBook = this.#counts.get(book) ?? 0;
    const ofAlike = this.#counts.get(alike) ?? 0;
    const isFull = this.#waiting.length >= maxWaiting || ofBook >= maxWaitingOfBook;
    if (isFull || ofAlike >= maxWaitingAlike) return;
    this.#waiting.push(refused);
    this.#counts.set(book, ofBook + 1).set(alike, ofAlike + 1);
  }

  /** Stores what waits; what can't be stored waits on. Returns 0, so that the next tick comes after the interval. */
  async saveWaiting(): Promise<number> {
    const taken = [...this.#waiting];
    if (taken.length === 0) return 0;
    await this.#save(taken);
    const since = this.#waiting.slice(taken.length);
    this.#waiting = [];
    this.#counts.clear();
    for (const refused of since) this.record(refused);
    return 0;
  }
}

/**
 * After the answer: records a refusal of a caller who is known. The path is the route's template, because ids and
 * queries can hold anything.
 */
export function recordRefused(requests: RefusedRequests) {
  return (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    done();
    const { identified, routeOptions, logFields } = request;
    const code = logFields?.code;
    if (reply.statusCode < 400 || identified === null || code === undefined) return;
    // Ids of requests are made by `genReqId`, when a request arrives.
    const id = request.id as RequestId;
    requests.record({
      id,
      tenant: identified.tenant,
      mode: identified.mode,
      createdAt: creationTimeOf(id).toISOString(),
      method: request.method,
      path: (routeOptions.url ?? "").replace(/:(\w+)/g, "{$1}"),
      status: reply.statusCode,
      // Every code that the problem filter notes is one of the catalogue.
      code: code as ErrorCode,
      principal: identified.principal,
      apiKeyId: identified.apiKeyId,
      durationMs: Math.round(reply.elapsedTime),
    });
  };
}
