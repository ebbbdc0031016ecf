import type { LedgerAccount, LedgerEntry } from "../../contracts/http/ledger-accounts.ts";
import type { PaymentOrder } from "../../contracts/http/payment-orders.ts";
import type { Rail } from "../../contracts/rails.ts";
import type { Answer, Call } from "../../scripts/local/api.ts";

/** The API, as the tenant's maker calls it. */
interface MakersApi {
  get<T>(path: string): Promise<Answer<T>>;
  post<T>(path: string, body?: unknown, more?: { headers?: Call["headers"] }): Promise<Answer<T>>;
}

export interface PaymentWish {
  readonly rail?: Rail;
  /** A magic number asks the simulator for something; the default settles. */
  readonly to?: string;
  readonly submit?: boolean;
  readonly idempotencyKey?: string;
  readonly externalId?: string;
}

/** What a rail takes for a counterparty. */
export function counterpartyOn(rail: Rail, to?: string): Record<string, string> {
  if (rail === "Book") return { counterpartyAccountNumber: to ?? "" };
  if (rail === "Usdc") {
    return {
      counterpartyName: "Ada Example",
      counterpartyAccountNumber: to ?? "0x52908400098527886E0F7030069857D2E4169EE7",
      counterpartyRoutingNumber: "base",
    };
  }
  return {
    counterpartyName: "Ada Example",
    counterpartyAccountNumber: to ?? "000123456789",
    counterpartyRoutingNumber: "790001005",
  };
}

/** One account of the tenant, and what its owner does with it. */
export class Payer {
  readonly #api: MakersApi;
  readonly accountId: string;
  readonly accountName: string;

  constructor(api: MakersApi, accountId: string, accountName: string) {
    this.#api = api;
    this.accountId = accountId;
    this.accountName = accountName;
  }

  /** Pushes money out; RTP to Ada unless the wish says otherwise. */
  pays(amountCents: number, wish: PaymentWish = {}): Promise<PaymentOrder> {
    return this.#order("Credit", amountCents, { rail: "Rtp", ...wish });
  }

  /** Pulls money in over ACH. */
  collects(amountCents: number, wish: PaymentWish = {}): Promise<PaymentOrder> {
    return this.#order("Debit", amountCents, { rail: "Ach", ...wish });
  }

  async #order(
    direction: "Credit" | "Debit",
    amountCents: number,
    wish: PaymentWish & { rail: Rail },
  ): Promise<PaymentOrder> {
    const { status, body } = await this.#api.post<PaymentOrder>(
      "/v1/payment-orders",
      {
        direction,
        rail: wish.rail,
        amountCents,
        ledgerAccountId: this.accountId,
        ...counterpartyOn(wish.rail, wish.to),
        ...(wish.externalId === undefined ? {} : { externalId: wish.externalId }),
        ...(wish.submit === undefined ? {} : { submit: wish.submit }),
      },
      wish.idempotencyKey === undefined ? {} : { headers: { "idempotency-key": wish.idempotencyKey } },
    );
    if (status !== 201) throw new Error(`refused: ${JSON.stringify(body)}`);
    return body;
  }

  async account(): Promise<LedgerAccount> {
    return (await this.#api.get<LedgerAccount>(`/v1/ledger-accounts/${this.accountId}`)).body;
  }

  /** In cents, as the API tells it. */
  async balance(): Promise<{ posted: number; held: number; available: number }> {
    const account = await this.account();
    return {
      posted: account.postedBalanceCents,
      held: account.pendingBalanceCents,
      available: account.availableBalanceCents,
    };
  }

  /** Newest first. */
  async entries(): Promise<LedgerEntry[]> {
    return (await this.#api.get<LedgerEntry[]>(`/v1/ledger-accounts/${this.accountId}/entries?limit=100`))
      .body;
  }
}
