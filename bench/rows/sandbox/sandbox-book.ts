/** A Test book whose clock a row moves. */
import { call } from "../../../scripts/local/demo/api.ts";
import { stepsTo } from "../../../scripts/local/demo/clock-steps.ts";
import { type SeededTenant, seedTenant } from "../../../scripts/local/demo/seed.ts";
import type { ClockAdvance, ClockPut } from "../../../contracts/http/sandbox/clock.ts";
import type { Stage } from "../../stage.ts";

/** So long an answer may wait for the end of an advance. */
const waitSeconds = 30;
const maxAdvanceMs = 120_000;

export class SandboxBook {
  readonly tenant: SeededTenant["tenant"];
  readonly key: string;
  readonly ledgerAccountId: string;
  readonly baseUrl: string;

  private constructor(baseUrl: string, { tenant, keys }: SeededTenant, ledgerAccountId: string) {
    this.baseUrl = baseUrl;
    this.tenant = tenant;
    this.key = keys.maker;
    this.ledgerAccountId = ledgerAccountId;
  }

  /** A new tenant's Test book, with one ledger account. */
  static async open(stage: Stage, name: string): Promise<SandboxBook> {
    const baseUrl = stage.instances.find(({ service }) => service === "gateway")?.url ?? "";
    const seeded = await seedTenant(stage.databaseUrlOf("gateway"), name);
    const path = "/v1/ledger-accounts";
    const made = await call<{ id: string }>(baseUrl, {
      method: "POST",
      path,
      key: seeded.keys.maker,
      body: { name: "Operating" },
    });
    return new SandboxBook(baseUrl, seeded, made.body.id);
  }

  /** However far ahead `startAt` is. */
  async setClock(clock: ClockPut): Promise<object> {
    const put = (body: ClockPut) => this.#send<object>("PUT", "/v1/simulations/clock", body);
    for (const startAt of stepsTo(clock.startAt)) await put({ mode: "Instant", startAt });
    return put(clock);
  }

  /** An Ach credit. Its row in the tables differs from the others' by its ids alone. */
  payByAch(): Promise<{ readonly id: string; readonly status: string }> {
    return this.#send("POST", "/v1/payment-orders", {
      direction: "Credit",
      rail: "Ach",
      amountCents: 1_000,
      ledgerAccountId: this.ledgerAccountId,
      counterpartyName: "Ada Example",
      counterpartyAccountNumber: "000123456789",
      counterpartyRoutingNumber: "790001005",
    });
  }

  /** Advances the clock and waits until the book is quiet there. */
  async advance(target: object): Promise<ClockAdvance> {
    const path = "/v1/simulations/clock/advance";
    let advance = await this.#send<ClockAdvance>("POST", path, target, {
      prefer: `wait=${String(waitSeconds)}`,
    });
    const deadline = Date.now() + maxAdvanceMs;
    while (advance.status === "Running" && Date.now() < deadline) {
      advance = await this.#send<ClockAdvance>("GET", `/v1/simulations/clock/advances/${advance.id}`);
    }
    if (advance.status !== "Done") throw new Error(`the advance did not end: ${JSON.stringify(advance)}`);
    return advance;
  }

  async #send<T>(
    method: "GET" | "POST" | "PUT",
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<T> {
    const answer = await call<T>(this.baseUrl, { method, path, key: this.key, body, headers });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

/** Adds a rule for the simulated rails. */
export async function addRule(baseUrl: string, key: string, rule: object): Promise<void> {
  const path = "/v1/simulations/injections";
  const { status, body } = await call(baseUrl, { method: "POST", path, key, body: rule });
  if (status !== 201) throw new Error(`${path}: ${JSON.stringify(body)}`);
}
