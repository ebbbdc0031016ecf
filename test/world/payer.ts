import type { LedgerAccount, LedgerEntry, PaymentOrder } from "../../clients/typescript/types.gen.ts";
import type { Rail } from "../../contracts/rails/rails.ts";
import { bodyOf, type Client, createPaymentOrder, getLedgerAccount, listLedgerEntries } from "./client.ts";

/** Whoever has a client; asked for at each call, for a test may put another gateway in place. */
interface Maker {
  client(): Client;
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
  readonly #maker: Maker;
  readonly accountId: string;
  readonly accountName: string;

  constructor(maker: Maker, accountId: string, accountName: string) {
    this.#maker = maker;
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

  #order(
    direction: "Credit" | "Debit",
    amountCents: number,
    { rail, to, submit, idempotencyKey, externalId }: PaymentWish & { rail: Rail },
  ): Promise<PaymentOrder> {
    return bodyOf(
      createPaymentOrder({
        client: this.#maker.client(),
        body: {
          direction,
          rail,
          amountCents,
          ledgerAccountId: this.accountId,
          ...counterpartyOn(rail, to),
          ...(externalId === undefined ? {} : { externalId }),
          ...(submit === undefined ? {} : { submit }),
        },
        ...(idempotencyKey === undefined ? {} : { headers: { "Idempotency-Key": idempotencyKey } }),
      }),
    );
  }

  account(): Promise<LedgerAccount> {
    return bodyOf(getLedgerAccount({ client: this.#maker.client(), path: { id: this.accountId } }));
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
  entries(): Promise<LedgerEntry[]> {
    const path = { id: this.accountId };
    return bodyOf(listLedgerEntries({ client: this.#maker.client(), path, query: { limit: 100 } }));
  }
}
