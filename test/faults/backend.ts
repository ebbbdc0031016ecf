/** A tenant's backend as it should be written: a key per order, sent again until there is an answer. */
import { setTimeout as delay } from "node:timers/promises";
import type { PaymentOrder } from "../../contracts/http/payments/payment-orders.ts";
import { type Answer, call, type Call } from "../../scripts/local/api.ts";
import type { PartName } from "../../scripts/local/seed.ts";
import { counterpartyOn } from "../world/payer.ts";
import type { World } from "../world/world.ts";
import type { Dice } from "./dice.ts";
import type { PlannedOrder } from "./plan.ts";

const soonestRetryMs = 100;
const latestRetryMs = 1_500;
/** Above the gateway's own deadline: it is the gateway that has to answer. */
const patienceMs = 20_000;
/** Some callers hang up at once and ask again, here on every third order: the first request is done all the same. */
const impatientShare = 1 / 3;
const impatientMs = 30;
/** The only answers that a fault may cause: each says that the same request may be sent again. */
const passing = {
  idempotency_in_progress: 409,
  service_unavailable: 503,
  upstream_timeout: 504,
} as const;
type Passing = keyof typeof passing;

export class Backend {
  readonly #world: World;
  readonly #giveUpAfterMs: number;
  readonly #dice: Dice;
  /** What each key's order was called, in every answer that named it. */
  readonly orderIds = new Map<string, Set<string>>();
  /** How often a request had to be sent again: by what the last try ended with. */
  readonly retries: Record<Passing | "unanswered", number> = {
    idempotency_in_progress: 0,
    service_unavailable: 0,
    upstream_timeout: 0,
    unanswered: 0,
  };
  /** Answers that had been given before, to a request whose answer never came. */
  replayed = 0;
  #sent = 0;
  #accepted = 0;

  constructor(world: World, dice: Dice, giveUpAfterMs = 120_000) {
    this.#world = world;
    this.#dice = dice;
    this.#giveUpAfterMs = giveUpAfterMs;
  }

  get accepted(): number {
    return this.#accepted;
  }

  /** Sends all of them, so many a second, none waiting for another; resolves when each was accepted and signed. */
  async sendAll(orders: readonly PlannedOrder[], perSecond: number): Promise<void> {
    const startedAt = performance.now();
    const accepted = orders.map(async (order, index) => {
      const impatient = this.#dice.next() < impatientShare;
      const firstPatienceMs = impatient ? this.#dice.between(1, impatientMs) : patienceMs;
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
    const made = await this.#insist<PaymentOrder>(201, "maker", request, firstPatienceMs);
    if (made.headers.get("idempotent-replayed") === "true") this.replayed += 1;
    this.#remember(order.key, made.body.id);
    this.#accepted += 1;
    if (order.rail === "Wire") await this.#sign(order, made.body.id);
  }

  /** Two signatures, once the money is reserved. */
  async #sign(order: PlannedOrder, id: string): Promise<void> {
    const deadline = Date.now() + this.#giveUpAfterMs;
    for (;;) {
      const { body } = await this.#insist<PaymentOrder>(200, "maker", {
        method: "GET",
        path: `/v1/payment-orders/${id}`,
      });
      if (body.status !== "Submitted") break;
      if (Date.now() > deadline) throw new Error(`${order.key} waits for its hold: ${JSON.stringify(body)}`);
      await delay(soonestRetryMs);
    }
    for (const approver of ["approver1", "approver2"] as const) {
      await this.#insist(200, approver, {
        method: "POST",
        path: `/v1/payment-orders/${id}/approve`,
        headers: { "idempotency-key": `${order.key}-${approver}` },
      });
    }
  }

  /** The same request until it has the answer that it should have; each try goes to the next gateway. */
  async #insist<T>(
    wanted: number,
    as: PartName,
    request: Omit<Call, "key">,
    firstPatienceMs = patienceMs,
  ): Promise<Answer<T>> {
    const deadline = Date.now() + this.#giveUpAfterMs;
    let last = "";
    let patience = firstPatienceMs;
    for (let wait = soonestRetryMs; Date.now() < deadline; wait = Math.min(wait * 2, latestRetryMs)) {
      const answer = await this.#try<T>({ ...request, key: this.#world.tenant.keys[as] }, patience);
      patience = patienceMs;
      if (answer?.status === wanted) return answer;
      last = answer === undefined ? "no answer" : JSON.stringify(answer.body);
      if (answer === undefined) this.retries.unanswered += 1;
      else this.#excuse(request, answer);
      await delay(wait);
    }
    throw new Error(
      `${request.method} ${request.path}: no ${String(wanted)} within ${String(this.#giveUpAfterMs)} ms, last ${last}`,
    );
  }

  /** The answer, or nothing when there was none or nobody waited for it. */
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
      // fetch says TypeError for a connection that could not be had or broke.
      if (error instanceof TypeError) return undefined;
      throw error;
    } finally {
      hungUp.abort();
    }
  }

  /** Counts an answer that a fault may cause; throws at any other. */
  #excuse(request: Omit<Call, "key">, answer: Answer<unknown>): void {
    const { status, headers } = answer;
    const { code, retryable } = answer.body as { code?: string; retryable?: boolean };
    const isProblem = headers.get("content-type")?.startsWith("application/problem+json") === true;
    if (isProblem && retryable === true && isPassing(code) && passing[code] === status)
      this.retries[code] += 1;
    else
      throw new Error(`${request.method} ${request.path}: ${String(status)} ${JSON.stringify(answer.body)}`);
  }

  #remember(key: string, id: string): void {
    this.orderIds.set(key, (this.orderIds.get(key) ?? new Set()).add(id));
  }
}

function isPassing(code: string | undefined): code is Passing {
  return code !== undefined && code in passing;
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
