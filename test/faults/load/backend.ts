/** A correct backend of a tenant: one Idempotency-Key per order, and retries until there is a final response. */
import { setTimeout as delay } from "node:timers/promises";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import { type Answer, call, type Call } from "../../../scripts/local/demo/api.ts";
import type { PartName } from "../../../scripts/local/demo/seed.ts";
import { counterpartyOn } from "../../world/payer.ts";
import type { OwnWorld } from "../../world/system/own-world.ts";
import type { RandomFaults } from "../inject/random-faults.ts";
import type { PlannedOrder } from "./plan.ts";

const minRetryMs = 100;
/** As a careful caller waits in a long outage. */
const maxRetryMs = 5_000;
/** Longer than the gateway's own deadline, so that the gateway responds first. */
const patienceMs = 20_000;
/** A third of the callers hang up at once and retry; the first request is carried out all the same. */
const impatientShare = 1 / 3;
const impatientMs = 30;
/** The only errors that a fault may cause. Each is retryable. */
const retryableStatuses = {
  idempotency_in_progress: 409,
  service_unavailable: 503,
  upstream_timeout: 504,
} as const;
type RetryableCode = keyof typeof retryableStatuses;

export class Backend {
  readonly #world: OwnWorld;
  readonly #giveUpAfterMs: number;
  readonly #random: RandomFaults;
  /** The order ids in all responses, by key. */
  readonly orderIds = new Map<string, Set<string>>();
  /** How often a request was sent again, by the outcome of the try before. */
  readonly retries: Record<RetryableCode | "unanswered", number> = {
    idempotency_in_progress: 0,
    service_unavailable: 0,
    upstream_timeout: 0,
    unanswered: 0,
  };
  /** Responses that were replays: the first response was lost. */
  replayed = 0;
  #sent = 0;
  #accepted = 0;

  constructor(world: OwnWorld, random: RandomFaults, giveUpAfterMs = 120_000) {
    this.#world = world;
    this.#random = random;
    this.#giveUpAfterMs = giveUpAfterMs;
  }

  get accepted(): number {
    return this.#accepted;
  }

  /** Sends the orders at this rate, independently of each other. Resolves when all are accepted and approved. */
  async sendAll(orders: readonly PlannedOrder[], perSecond: number): Promise<void> {
    const startedAt = performance.now();
    const accepted = orders.map(async (order, index) => {
      const impatient = this.#random.next() < impatientShare;
      const firstPatienceMs = impatient ? this.#random.between(1, impatientMs) : patienceMs;
      await delay(Math.max(0, startedAt + (index * 1_000) / perSecond - performance.now()));
      await this.#send(order, firstPatienceMs);
    });
    await Promise.all(accepted);
  }

  async #send(order: PlannedOrder, firstPatienceMs: number): Promise<void> {
    const request = {
      method: "POST",
      path: "/v1/payment-orders",
      headers: { "idempotency-key": order.key },
      body: bodyOf(order),
    } as const;
    const created = await this.#sendUntil<PaymentOrder>(201, "maker", request, firstPatienceMs);
    if (created.headers.get("idempotent-replayed") === "true") this.replayed += 1;
    this.#recordOrderId(order.key, created.body.id);
    this.#accepted += 1;
    if (order.rail === "Wire") await this.#approve(order, created.body.id);
  }

  /** Two approvals, after the hold is placed. */
  async #approve(order: PlannedOrder, id: string): Promise<void> {
    const deadline = Date.now() + this.#giveUpAfterMs;
    for (;;) {
      const { body } = await this.#sendUntil<PaymentOrder>(200, "maker", {
        method: "GET",
        path: `/v1/payment-orders/${id}`,
      });
      if (body.status !== "Submitted") break;
      if (Date.now() > deadline) throw new Error(`${order.key} waits for its hold: ${JSON.stringify(body)}`);
      await delay(minRetryMs);
    }
    for (const approver of ["approver1", "approver2"] as const) {
      await this.#sendUntil(200, approver, {
        method: "POST",
        path: `/v1/payment-orders/${id}/approve`,
        headers: { "idempotency-key": `${order.key}-${approver}` },
      });
    }
  }

  /** Repeats a request until it has the expected status. Each try goes to the next gateway. */
  async #sendUntil<T>(
    wanted: number,
    as: PartName,
    request: Omit<Call, "key">,
    firstPatienceMs = patienceMs,
  ): Promise<Answer<T>> {
    const deadline = Date.now() + this.#giveUpAfterMs;
    let last = "";
    let patience = firstPatienceMs;
    for (let wait = minRetryMs; Date.now() < deadline; wait = Math.min(wait * 2, maxRetryMs)) {
      const answer = await this.#try<T>({ ...request, key: this.#world.tenant.keys[as] }, patience);
      patience = patienceMs;
      if (answer?.status === wanted) return answer;
      last = answer === undefined ? "no answer" : JSON.stringify(answer.body);
      if (answer === undefined) this.retries.unanswered += 1;
      else this.#countRetry(request, answer);
      await delay(wait);
    }
    throw new Error(
      `${request.method} ${request.path}: no ${String(wanted)} within ${String(this.#giveUpAfterMs)} ms, last ${last}`,
    );
  }

  /** The response, or undefined if none came in time. */
  async #try<T>(request: Call, patience: number): Promise<Answer<T> | undefined> {
    const gateways = this.#world.instancesOf("gateway");
    this.#sent += 1;
    const gateway = gateways[this.#sent % gateways.length];
    const hungUp = new AbortController();
    try {
      return await Promise.race([
        call<T>(gateway?.url ?? "", request),
        delay(patience, undefined, { signal: hungUp.signal }),
      ]);
    } catch (error) {
      // fetch throws a TypeError if it can't connect or the connection breaks.
      if (error instanceof TypeError) return undefined;
      throw error;
    } finally {
      hungUp.abort();
    }
  }

  /** Counts an error that a fault may cause; throws on any other response. */
  #countRetry(request: Omit<Call, "key">, answer: Answer<unknown>): void {
    const { status, headers } = answer;
    const { code, retryable } = answer.body as { code?: string; retryable?: boolean };
    const isProblem = headers.get("content-type")?.startsWith("application/problem+json") === true;
    if (isProblem && retryable === true && isPassing(code) && retryableStatuses[code] === status)
      this.retries[code] += 1;
    else
      throw new Error(`${request.method} ${request.path}: ${String(status)} ${JSON.stringify(answer.body)}`);
  }

  #recordOrderId(key: string, id: string): void {
    this.orderIds.set(key, (this.orderIds.get(key) ?? new Set()).add(id));
  }
}

function isPassing(code: string | undefined): code is RetryableCode {
  return code !== undefined && code in retryableStatuses;
}

function bodyOf(order: PlannedOrder): Record<string, unknown> {
  return {
    direction: order.direction,
    rail: order.rail,
    amountCents: order.amountCents,
    ledgerAccountId: order.accountId,
    externalId: order.key,
    ...counterpartyOn(order.rail, order.to),
  };
}
