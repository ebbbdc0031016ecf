import type { LedgerAccount } from "../../contracts/http/ledger/ledger-accounts.ts";
import type { ReconciliationReport } from "../../contracts/http/ledger/reconciliations.ts";
import type { ClockAdvance } from "../../contracts/http/sandbox/clock.ts";
import type { SimulationDigest } from "../../contracts/http/sandbox/digest.ts";
import type { PaymentOrder } from "../../contracts/http/payments/payment-orders.ts";
import type { Page } from "../../contracts/http/shapes.ts";
import type { PartName, SeededTenant } from "../../scripts/local/seed.ts";
import { until } from "../stack/until.ts";
import { seedOtherTenant } from "../world/operator.ts";
import type { OwnWorld } from "../world/own-world.ts";
import { counterpartyOn } from "../world/payer.ts";

const dayMs = 86_400_000;
/** Monday, 4 January 2027, nine o'clock in New York. */
const begin = new Date("2027-01-04T14:00:00.000Z");
/** So long after the last payment, every return has come and every order has ended. */
const afterwardsDays = 75;

const rails = ["Ach", "SameDayAch", "Rtp", "Wire", "Usdc", "Ach"] as const;

/** The faults, each on a share of a rail's payments. */
const rules = [
  { match: { rail: "Ach" }, fault: "Return", code: "R03", share: 0.05 },
  { match: { rail: "Ach" }, fault: "LateReturn", share: 0.05 },
  { match: { rail: "Ach" }, fault: "DuplicateFacts", share: 0.1 },
  { match: { rail: "Ach" }, fault: "OutOfOrder", share: 0.05 },
  { match: { rail: "SameDayAch" }, fault: "DuplicateReturn", share: 0.05 },
  { match: { rail: "SameDayAch" }, fault: "Delay", delaySeconds: 90_000, share: 0.1 },
  { match: { rail: "SameDayAch" }, fault: "LostAcknowledgement", share: 0.1 },
  { match: { rail: "Rtp" }, fault: "Reject", code: "AC04", share: 0.1 },
  { match: { rail: "Rtp" }, fault: "Timeout", then: "Settle", share: 0.1 },
  { match: { rail: "Wire" }, fault: "Timeout", then: "NeverArrived", share: 0.2 },
  { match: { rail: "Wire" }, fault: "Timeout", then: "Fail", share: 0.1 },
  { match: { rail: "Usdc" }, fault: "Reject", share: 0.1 },
] as const;

/** One book that plays payments day by day. */
export class Quarter {
  readonly #world: OwnWorld;
  readonly #tenant: SeededTenant;
  readonly #account: LedgerAccount;

  private constructor(world: OwnWorld, tenant: SeededTenant, account: LedgerAccount) {
    this.#world = world;
    this.#tenant = tenant;
    this.#account = account;
  }

  static async open(world: OwnWorld, { name, seed }: { name: string; seed: string }): Promise<Quarter> {
    const tenant = await seedOtherTenant(world, name);
    const { maker, approver1 } = tenant.keys;
    const account = await world.send<LedgerAccount>(maker, "POST", "/v1/ledger-accounts", {
      body: { name: "Operating" },
    });
    const quarter = new Quarter(world, tenant, account.body);
    await quarter.#liftApprovals(approver1);
    await quarter.#send("PUT", "/v1/simulations/clock", {
      mode: "Manual",
      startAt: begin.toISOString(),
      seed,
    });
    for (const rule of rules) await quarter.#send("POST", "/v1/simulations/injections", rule);
    return quarter;
  }

  async play({ days, ordersPerDay }: { days: number; ordersPerDay: number }): Promise<void> {
    for (let day = 0; day < days; day += 1) {
      await this.#createOrders(day, ordersPerDay);
      await this.#advanceTo(new Date(begin.getTime() + (day + 1) * dayMs));
    }
    await this.#advanceTo(new Date(begin.getTime() + (days + afterwardsDays) * dayMs));
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

  digest(): Promise<SimulationDigest> {
    return this.#read<SimulationDigest>("/v1/simulations/digest");
  }

  async #createOrders(day: number, count: number): Promise<void> {
    const bodies = Array.from({ length: count }, (_, index) => {
      const rail = rails[index % rails.length] ?? "Ach";
      return {
        direction: rail === "Ach" && index % 12 === 0 ? "Debit" : "Credit",
        rail,
        amountCents: 100 + index,
        ledgerAccountId: this.#account.id,
        externalId: `day ${String(day)}, payment ${String(index)}`,
        ...counterpartyOn(rail),
      };
    });
    await Promise.all(bodies.map((body) => this.#send("POST", "/v1/payment-orders", body)));
  }

  async #advanceTo(time: Date): Promise<void> {
    const to = time.toISOString();
    const { id } = await this.#send<ClockAdvance>("POST", "/v1/simulations/clock/advance", { to });
    const path = `/v1/simulations/clock/advances/${id}`;
    const read = async () => {
      const advance = await this.#read<ClockAdvance>(path);
      if (advance.status === "Stuck") throw new Error(`stuck: ${JSON.stringify(advance)}`);
      return advance.status === "Done" ? true : undefined;
    };
    await until(`the clock is at ${to}`, read, 60_000);
  }

  /** Wires need two approvals by default; here nobody approves. */
  async #liftApprovals(approver: string): Promise<void> {
    const policy = await this.#read<object>("/v1/approval-policy");
    const { id } = await this.#send<{ id: string }>("PUT", "/v1/approval-policy", {
      ...policy,
      dualApprovalRails: [],
    });
    await this.#world.send(approver, "POST", `/v1/approval-policy/proposals/${id}/approve`);
  }

  async #read<T>(path: string): Promise<T> {
    return (await this.#world.send<T>(this.#key(), "GET", path)).body;
  }

  async #send<T>(method: "POST" | "PUT", path: string, body: object): Promise<T> {
    const answer = await this.#world.send<T>(this.#key(), method, path, { body });
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  #key(as: PartName = "maker"): string {
    return this.#tenant.keys[as];
  }
}
