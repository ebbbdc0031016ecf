/** A running service with the accounts and tenants that the refusal cases need. */
import {
  type BookId,
  type CounterpartyId,
  type LedgerAccountId,
  newId,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import type { Problem } from "../../../contracts/http/problem.ts";
import { claimPort } from "../../../scripts/local/processes/ports.ts";
import type { SeededTenant } from "../../../scripts/local/demo/seed.ts";
import { type Instance, startInstance, waitUntilReady } from "../../../scripts/local/system.ts";
import { suspendTenant } from "../../../services/api-gateway/tenants/suspend-tenant.ts";
import { openUnits } from "../../stack/database/units.ts";
import { until } from "../../stack/until.ts";
import { repeated, sendPatiently } from "../../world/patience/patiently.ts";
import { databaseUrlOf, seedOtherTenant } from "../../world/system/operator.ts";
import { OwnWorld } from "../../world/system/own-world.ts";

export interface Sent {
  readonly method?: string;
  /** Default: the maker's key. Null sends none. */
  readonly key?: string | null;
  readonly body?: unknown;
  /** Sent unchanged, instead of `body`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer with its body as untyped members. */
export type Answered = Problem & Readonly<Record<string, unknown>>;

/** Provokes a refusal. */
export type RefusalCase = (scenario: Scenario) => Promise<Answered>;

/** A valid order on the account Operating. Undefined members are left out. */
export const anOrder = (change: Record<string, unknown> = {}) => ({
  direction: "Credit",
  rail: "Ach",
  amountCents: 1_250,
  ledgerAccountName: "Operating",
  counterpartyName: "Ada Example",
  counterpartyAccountNumber: "000123456789",
  counterpartyRoutingNumber: "790001005",
  ...change,
});

export const aCounterparty = (change: Record<string, unknown> = {}) => ({
  name: "Ada Example",
  type: "Individual",
  accounts: [{ rail: "Ach", accountNumber: "000123456789", routingNumber: "790001005" }],
  ...change,
});

/** A tax return of $125.00 without a payee. */
export const anObligation = (change: Record<string, unknown> = {}) => ({
  type: "FuelTaxReturn",
  reference: "IFTA 2026-Q1",
  jurisdiction: "US-OR",
  period: "2026-Q1",
  lines: [
    {
      description: "Diesel, Oregon",
      amountCents: 12_500,
      basis: { kind: "Actual", source: "Trip sheets of 2026-Q1" },
    },
  ],
  ...change,
});

/** A manual transaction of $12.50 between two accounts. */
export const aTransaction = (change: Record<string, unknown> = {}) => ({
  description: "Fee of March",
  entries: [
    { ledgerAccountName: "Operating", direction: "Debit", amountCents: 1_250 },
    { ledgerAccountName: "Fees", direction: "Credit", amountCents: 1_250 },
  ],
  ...change,
});

export class Scenario {
  readonly world: OwnWorld;
  readonly accounts: { readonly operating: string; readonly noOverdraft: string };
  /** A second tenant for changes that would disturb the first: a daily limit, a suspension. */
  readonly neighbour: SeededTenant;
  /** A second gateway that takes one request per second, and waits two seconds for a request to arrive. */
  readonly limited: Instance;

  private constructor(parts: Pick<Scenario, "world" | "accounts" | "neighbour" | "limited">) {
    this.world = parts.world;
    this.accounts = parts.accounts;
    this.neighbour = parts.neighbour;
    this.limited = parts.limited;
  }

  static async open(): Promise<Scenario> {
    const world = await OwnWorld.start();
    const { maker } = world.tenant.keys;
    const open = (body: object) =>
      sendPatiently<{ id: string }>(world, maker, "POST", "/v1/ledger-accounts", { body });
    const [operating, noOverdraft] = [
      await open({ name: "Operating" }),
      await open({ name: "Petty cash", overdraft: "Refused" }),
      await open({ name: "Fees" }),
    ];
    return new Scenario({
      world,
      accounts: { operating: operating.body.id, noOverdraft: noOverdraft.body.id },
      neighbour: await seedOtherTenant(world, "Neighbour"),
      limited: await limitedGateway(world),
    });
  }

  /** Like `sendOnce`, repeated while the answer is a transient refusal. Each change has one Idempotency-Key. */
  readonly send = async (path: string, sent: Sent = {}, at?: string): Promise<Answered> => {
    const headers = { "idempotency-key": newId("req"), ...sent.headers };
    const { body } = await repeated(async () => ({
      body: await this.sendOnce(path, { ...sent, headers }, at),
    }));
    return body;
  };

  /** Sends a request and reads the JSON answer. The world compares every answer with the OpenAPI document. */
  readonly sendOnce = async (path: string, sent: Sent = {}, at = this.world.baseUrl()): Promise<Answered> => {
    const { key = this.world.tenant.keys.maker, body, headers } = sent;
    const text = sent.raw ?? (body === undefined ? undefined : JSON.stringify(body));
    const response = await fetch(`${at}${path}`, {
      method: sent.method ?? (text === undefined ? "GET" : "POST"),
      headers: {
        ...(key === null ? {} : { "x-api-key": key }),
        ...(text === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(text === undefined ? {} : { body: text }),
    });
    return (await response.json()) as Answered;
  };

  /** Creates an order. Returns its id. */
  async order(change: Record<string, unknown> = {}, key?: string): Promise<string> {
    const made = await this.send("/v1/payment-orders", {
      body: anOrder(change),
      ...(key === undefined ? {} : { key }),
    });
    const id = made["id"];
    if (typeof id !== "string") throw new Error(`no order: ${JSON.stringify(made)}`);
    return id;
  }

  /** Creates a wire that waits for two approvals. Returns its id. */
  async waiting(key?: string): Promise<string> {
    const id = await this.order({ rail: "Wire" }, key);
    await this.world.reaches(id, ({ status }) => status === "Pending");
    return id;
  }

  /** Creates a manual transaction. Returns its id. */
  async transaction(change: Record<string, unknown> = {}): Promise<string> {
    const { id } = await this.send("/v1/ledger-transactions", { body: aTransaction(change) });
    return String(id);
  }

  /**
   * An account of a new tenant at the smallest balance that there can be: ten thousand of the largest payments, written
   * by hand. No journals are behind it, so the auditor freezes this tenant's book within seconds. Returns the maker's
   * key and the account's name.
   */
  async bottomless(): Promise<{ key: string; name: string }> {
    const name = "Bottomless";
    const { keys } = await seedOtherTenant(this.world, newId("ten"));
    const { id } = await this.send("/v1/ledger-accounts", { body: { name }, key: keys.maker });
    // The trigger would ask for the journals behind it.
    await this.world.rows(`
      alter table ledger.account_balance disable trigger derived_by_trigger_only;
      update ledger.account_balance set posted_debit = ${String(Number.MAX_SAFE_INTEGER)}
        where account_id = '${uuidOf(id as LedgerAccountId)}';
      alter table ledger.account_balance enable always trigger derived_by_trigger_only`);
    return { key: keys.maker, name };
  }

  /** Creates and fixes an obligation that can be paid. Returns its id. */
  async fixed(): Promise<string> {
    const accounts = ["Ach", "Rtp"].map((rail) => ({
      rail,
      accountNumber: "000123456789",
      routingNumber: "790001005",
    }));
    const payee = await this.send("/v1/counterparties", { body: aCounterparty({ accounts }) });
    const { admin: key } = this.world.tenant.keys;
    await this.send(`/v1/counterparties/${String(payee["id"])}/verify`, { method: "POST", key });
    const made = await this.send("/v1/obligations", {
      body: anObligation({ payeeCounterpartyId: payee["id"] }),
    });
    const fixed = await this.send(`/v1/obligations/${String(made["id"])}/fix`, { method: "POST" });
    if (String(fixed["status"]) !== "Fixed") throw new Error(`it is not fixed: ${JSON.stringify(fixed)}`);
    return String(fixed["id"]);
  }

  /**
   * A counterparty whose bank has corrected its routing number, with the row that a notice of change leaves: real ones
   * wait for six banking days before an order is refused. Returns both ids.
   */
  async proposedChange(): Promise<{ counterparty: string; change: string }> {
    const { id } = await this.send("/v1/counterparties", { body: aCounterparty() });
    const change = newId("chg");
    await this.world.rows(
      `insert into orders.proposed_change
         (book_id, id, counterparty_id, order_id, status, rails, code, corrected_data, received_at, correct_by)
       values ($1, $2, $3, $4, 'Open', '{Ach}', 'C02', '{"routingNumber": "790001102"}', '2026-02-20T13:30:00Z',
         '2026-03-03T05:00:00Z')`,
      [
        uuidOf(this.world.tenant.tenant.testBook as BookId),
        uuidOf(change),
        uuidOf(id as CounterpartyId),
        uuidOf(newId("po")),
      ],
    );
    return { counterparty: String(id), change };
  }

  /** Sends an inbound payment to an unknown number. Returns its id. */
  async suspended(): Promise<string> {
    const body = { virtualAccountNumber: "12345678", rail: "Rtp", amountCents: 1_250, originatorName: "Ada" };
    const sent = await this.send("/v1/simulations/inbound-payments", { body });
    return until("the ledger has taken it in", async () => {
      const { data } = await this.send(`/v1/inbound-payments?bankReference=${String(sent["bankReference"])}`);
      return (data as { id: string }[])[0]?.id;
    });
  }

  async completed(): Promise<string> {
    const id = await this.order({ rail: "Rtp" });
    await this.world.comesToRest(id);
    return id;
  }

  /** Creates a key that works only from those addresses. */
  async keyFor(ipAllowlist: readonly string[]): Promise<string> {
    const body = { name: "elsewhere", scopes: ["orders:read"], ipAllowlist };
    const { key } = await this.send("/v1/api-keys", { body });
    return String(key);
  }

  async suspend(tenant: SeededTenant): Promise<void> {
    const gateway = await openUnits(databaseUrlOf(this.world, "gateway"));
    await gateway.units.run((unit) => suspendTenant(unit, tenant.tenant.id));
    await gateway.close();
  }

  close(): Promise<void> {
    return this.world.stop();
  }
}

async function limitedGateway(world: OwnWorld): Promise<Instance> {
  const port = await claimPort();
  const limits = { RATE_LIMIT_PER_SECOND: "1", RATE_LIMIT_BURST: "1", REQUEST_TIMEOUT_MS: "2000" };
  const env = { ...world.system.env, ...limits };
  const limited = await startInstance({ ...world.system, env }, "gateway", port);
  await waitUntilReady(limited);
  // One of the world's instances, so that its answers are compared too.
  world.instances = [...world.instances, limited];
  return limited;
}
