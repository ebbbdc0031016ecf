import type { LedgerAccount, LedgerEntry, PaymentOrder } from "../../clients/typescript/types.gen.ts";
import type { Rail } from "../../contracts/rails/rails.ts";
import { bodyOf, type Client, createPaymentOrder, getLedgerAccount, listLedgerEntries } from "./client.ts";

/** Gives the client at each call, because a test may replace the gateway. */
interface Maker {
  client(): Client;
}

export interface PaymentOptions {
  readonly rail?: Rail;
  /** The counterparty's account number. A magic number selects an outcome; the default settles. */
  readonly to?: string;
  readonly submit?: boolean;
  readonly idempotencyKey?: string;
  readonly externalId?: string;
}

/** The counterparty fields of an order on this rail. */
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

/** One account of the tenant: its payments, collections, balance and entries. */
export class Payer {
  readonly #maker: Maker;
  readonly accountId: string;
  readonly accountName: string;

  constructor(maker: Maker, accountId: string, accountName: string) {
    this.#maker = maker;
    this.accountId = accountId;
    this.accountName = accountName;
  }

  /** Sends money, over RTP by default. */
  pays(amountCents: number, options: PaymentOptions = {}): Promise<PaymentOrder> {
    return this.#order("Credit", amountCents, { rail: "Rtp", ...options });
  }

  /** Collects money, over ACH by default. */
  collects(amountCents: number, options: PaymentOptions = {}): Promise<PaymentOrder> {
    return this.#order("Debit", amountCents, { rail: "Ach", ...options });
  }

  /** The body of a Credit, for requests that are sent in another way; `change` adds or replaces members. */
  body<Change extends object>(amountCents: number, rail: Rail = "Rtp", change?: Change) {
    const terms = { direction: "Credit" as const, rail, amountCents, ledgerAccountId: this.accountId };
    return { ...terms, ...counterpartyOn(rail), ...change };
  }

  #order(
    direction: "Credit" | "Debit",
    amountCents: number,
    { rail, to, submit, idempotencyKey, externalId }: PaymentOptions & { rail: Rail },
  ): Promise<PaymentOrder> {
    return bodyOf(
      createPaymentOrder({
        client: this.#maker.client(),
        body: this.body(amountCents, rail, {
          direction,
          ...counterpartyOn(rail, to),
          ...(externalId === undefined ? {} : { externalId }),
          ...(submit === undefined ? {} : { submit }),
        }),
        ...(idempotencyKey === undefined ? {} : { headers: { "Idempotency-Key": idempotencyKey } }),
      }),
    );
  }

  account(): Promise<LedgerAccount> {
    return bodyOf(getLedgerAccount({ client: this.#maker.client(), path: { id: this.accountId } }));
  }

  /** In cents, from the API. */
  async balance(): Promise<{ posted: number; held: number; available: number }> {
    const account = await this.account();
    return {
      posted: account.postedBalanceCents,
      held: account.pendingBalanceCents,
      available: account.availableBalanceCents,
    };
  }

  /** Newest first. */
  entries(): Promise<LedgerEntry[]> {
    const path = { id: this.accountId };
    return bodyOf(listLedgerEntries({ client: this.#maker.client(), path, query: { limit: 100 } }));
  }
}
