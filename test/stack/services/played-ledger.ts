/** The ledger as a test of orders plays it: it knows some accounts and takes policies. */
import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import { Refusal } from "../../../contracts/errors.ts";
import { newId } from "../../../contracts/ids/ids.ts";
import { ApplyTransactionPolicy } from "../../../contracts/messages/ledger-transactions.ts";
import { ResolveLedgerAccount } from "../../../contracts/messages/ledger.ts";

/** Accounts that the ledger knows; a test may name any of them, or its id. */
export const accounts = {
  Operating: newId("la"),
  Reserve: newId("la"),
  SettlementCash: newId("la"),
  Expenses: newId("la"),
} as const;

export class PlayedLedger {
  /** How often orders looked an account up. */
  accountLookups = 0;
  /** The policies that it received, in order. */
  readonly policies: unknown[] = [];
  readonly #nats: NatsConnection;
  #takesPolicies: Subscription;

  private constructor(nats: NatsConnection) {
    this.#nats = nats;
    this.#takesPolicies = this.#takePolicies();
    nats.subscribe(ResolveLedgerAccount.subject, {
      callback: (_error, message) => {
        this.accountLookups += 1;
        const { data } = message.json<{ data: { nameOrId: string } }>();
        message.respond(JSON.stringify(resolve(data.nameOrId)));
      },
    });
  }

  static async on(nats: NatsConnection): Promise<PlayedLedger> {
    const ledger = new PlayedLedger(nats);
    await nats.flush();
    return ledger;
  }

  /** It takes no policies while `work` runs. */
  async whileAway(work: () => Promise<void>): Promise<void> {
    this.#takesPolicies.unsubscribe();
    await this.#nats.flush();
    await work();
    this.#takesPolicies = this.#takePolicies();
    await this.#nats.flush();
  }

  #takePolicies(): Subscription {
    return this.#nats.subscribe(ApplyTransactionPolicy.subject, {
      callback: (_error, message) => {
        const { data } = message.json<{ data: { version: number } }>();
        this.policies.push(data);
        message.respond(JSON.stringify({ ok: true, value: { version: data.version } }));
      },
    });
  }
}

function resolve(nameOrId: string): object {
  const found = Object.entries(accounts).find(([name, id]) => name === nameOrId || id === nameOrId);
  if (found === undefined) {
    const { code, message: detail } = new Refusal("ledger_account_not_found", "There is no such account.");
    return { ok: false, refusal: { code, detail } };
  }
  const [name, ledgerAccountId] = found;
  const normalBalance = name === "Expenses" ? "Debit" : "Credit";
  const system = name === "SettlementCash";
  return { ok: true, value: { ledgerAccountId, name, currency: "USD", normalBalance, system } };
}
