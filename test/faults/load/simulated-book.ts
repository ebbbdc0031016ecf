import type { LedgerAccount } from "../../../contracts/http/ledger/ledger-accounts.ts";
import type { ReconciliationReport } from "../../../contracts/http/ledger/reconciliations.ts";
import type { PaymentOrder } from "../../../contracts/http/payments/payment-orders.ts";
import type { ClockAdvance } from "../../../contracts/http/sandbox/clock.ts";
import type { SimulationDigest } from "../../../contracts/http/sandbox/digest.ts";
import type { Page } from "../../../contracts/http/shapes.ts";
import type { WebhookDelivery } from "../../../contracts/http/webhooks/webhooks.ts";
import type { OrderDirection, Rail } from "../../../contracts/rails/rails.ts";
import type { SeededTenant } from "../../../scripts/local/demo/seed.ts";
import { until } from "../../stack/until.ts";
import { sendPatiently } from "../../world/patience/patiently.ts";
import { setClock } from "../../world/patience/set-clock.ts";
import { seedOtherTenant } from "../../world/system/operator.ts";
import type { OwnWorld } from "../../world/system/own-world.ts";
import { counterpartyOn } from "../../world/payer.ts";
import { openReceiver, type Receiver } from "../../world/receiver.ts";

export const dayMs = 86_400_000;
/** Monday, 4 January 2038, nine o'clock in New York. */
export const begin = new Date("2038-01-04T14:00:00.000Z");
/** An advance over 75 days has many steps, and each waits for every service. */
const maxAdvanceMs = 250_000;
/** For a test that advances a clock several times. */
export const advancesMs = 900_000;

export interface SimulatedPayment {
  readonly externalId: string;
  readonly rail: Rail;
  readonly direction: OrderDirection;
  readonly amountCents: number;
}

/** A tenant whose Test book has a Manual clock, which begins at `begin`. Its payments need no approval. */
export class SimulatedBook {
  readonly #world: OwnWorld;
  readonly #tenant: SeededTenant;
  readonly #account: LedgerAccount;
  readonly #receiver: Receiver;

  private constructor(world: OwnWorld, tenant: SeededTenant, account: LedgerAccount, receiver: Receiver) {
    this.#world = world;
    this.#tenant = tenant;
    this.#account = account;
    this.#receiver = receiver;
  }

  /** `rules` are the bodies of the injections that act from the beginning. */
  static async open(
    world: OwnWorld,
    { name, seed, rules }: { name: string; seed: string; rules: readonly object[] },
  ): Promise<SimulatedBook> {
    const tenant = await seedOtherTenant(world, name);
    const accounts = "/v1/ledger-accounts";
    const operating = { body: { name: "Operating" } };
    const { maker } = tenant.keys;
    const { body: account } = await sendPatiently<LedgerAccount>(world, maker, "POST", accounts, operating);
    const book = new SimulatedBook(world, tenant, account, await openReceiver());
    await book.#liftApprovals();
    await book.#receiveAllEvents();
    const startAt = begin.toISOString();
    await setClock(world, maker, { mode: "Manual", startAt, seed });
    for (const rule of rules) await book.#send("POST", "/v1/simulations/injections", rule);
    return book;
  }

  async pays(payments: readonly SimulatedPayment[]): Promise<void> {
    const pay = (payment: SimulatedPayment) =>
      this.#send("POST", "/v1/payment-orders", {
        ...payment,
        ledgerAccountId: this.#account.id,
        ...counterpartyOn(payment.rail),
      });
    await Promise.all(payments.map(pay));
  }

  /** Advances the clock. `onTheWay` runs while the book is on its way; it may kill services. */
  async advanceTo(time: Date, onTheWay: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const to = time.toISOString();
    const { id } = await this.#send<ClockAdvance>("POST", "/v1/simulations/clock/advance", { to });
    await onTheWay();
    const isDone = async () => {
      const path = `/v1/simulations/clock/advances/${id}`;
      const { body } = await this.#world.send<ClockAdvance>(this.#key, "GET", path);
      return body.status === "Done" ? true : undefined;
    };
    await until(`the clock is at ${to}`, isDone, maxAdvanceMs);
  }

  async ordersUnderWay(): Promise<PaymentOrder[]> {
    const statuses = ["Submitted", "Pending", "Processing"].map((status) => `status=${status}`).join("&");
    return (await this.#read<Page<PaymentOrder>>(`/v1/payment-orders?${statuses}&limit=5`)).data;
  }

  async reconciliations(): Promise<ReconciliationReport[]> {
    const all: ReconciliationReport[] = [];
    let cursor = "";
    for (;;) {
      const page = await this.#read<Page<ReconciliationReport>>(`/v1/reconciliations?limit=100${cursor}`);
      all.push(...page.data);
      if (page.nextCursor === null) return all;
      cursor = `&cursor=${encodeURIComponent(page.nextCursor)}`;
    }
  }

  /** Webhooks that are neither delivered nor dead. */
  async openDeliveries(): Promise<WebhookDelivery[]> {
    const path = "/v1/webhooks?status=Pending&status=Retrying&limit=5";
    return (await this.#read<Page<WebhookDelivery>>(path)).data;
  }

  digest(): Promise<SimulationDigest> {
    return this.#read<SimulationDigest>("/v1/simulations/digest");
  }

  /** Closes its receiver. */
  close(): Promise<void> {
    return this.#receiver.close();
  }

  async #receiveAllEvents(): Promise<void> {
    const endpoint = { url: this.#receiver.url, eventTypes: ["*"] };
    const path = "/v1/webhook-endpoints";
    this.#receiver.secret = (
      await this.#send<{ signingSecret: string }>("POST", path, endpoint)
    ).signingSecret;
  }

  /** Wires need two approvals by default. */
  async #liftApprovals(): Promise<void> {
    const policy = await this.#read<object>("/v1/approval-policy");
    const { id } = await this.#send<{ id: string }>("PUT", "/v1/approval-policy", {
      ...policy,
      dualApprovalRails: [],
    });
    const approver = this.#tenant.keys.approver1;
    await sendPatiently(this.#world, approver, "POST", `/v1/approval-policy/proposals/${id}/approve`);
  }

  async #read<T>(path: string): Promise<T> {
    const answer = await sendPatiently<T>(this.#world, this.#key, "GET", path);
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async #send<T>(method: "POST" | "PUT", path: string, body: object): Promise<T> {
    const answer = await sendPatiently<T>(this.#world, this.#key, method, path, { body });
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  get #key(): string {
    return this.#tenant.keys.maker;
  }
}
