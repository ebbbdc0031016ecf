/** Creates and changes counterparties at the orders service under test. */
import type { z } from "zod";
import type { Counterparty } from "../../../contracts/http/payments/counterparties.ts";
import type { Caller } from "../../../contracts/message.ts";
import {
  CreateCounterparty,
  GetCounterparty,
  ReplaceCounterparty,
  VerifyCounterparty,
} from "../../../contracts/messages/orders.ts";
import type { OrdersOnTest } from "./orders.ts";

type Body = z.input<(typeof CreateCounterparty)["data"]>;
type Account = Omit<Body["accounts"][number], "accountNumber"> & { readonly accountNumber: string };
/** What a test names of a counterparty; account numbers in clear text. */
export type CounterpartyChange = Partial<Omit<Body, "accounts">> & { readonly accounts?: readonly Account[] };
interface By {
  readonly caller?: Caller;
  readonly key?: string;
  readonly body?: string;
}

/** An Ach account, unless `change` names another rail. */
export function account(accountNumber: string, change: Partial<Account> = {}): Account {
  return { rail: "Ach", accountNumber, routingNumber: "021000021", ...change };
}

export class CounterpartiesOnTest {
  readonly #orders: OrdersOnTest;

  constructor(orders: OrdersOnTest) {
    this.#orders = orders;
  }

  /** Blue Freight, with one Ach account. */
  body({ accounts = [account("4111222233334444")], ...change }: CounterpartyChange = {}): Body {
    const encrypted = accounts.map((plain) => ({
      ...plain,
      accountNumber: this.#orders.encrypt(plain.accountNumber),
    }));
    return { name: "Blue Freight", type: "Business", accounts: encrypted, ...change };
  }

  async create(change: CounterpartyChange = {}, by: By = {}): Promise<Counterparty> {
    return (await this.#orders.request(CreateCounterparty, this.body(change), by)).value;
  }

  async replace(
    id: string,
    change: CounterpartyChange & { ifMatch?: number[] } = {},
    by: By = {},
  ): Promise<Counterparty> {
    return (await this.#orders.request(ReplaceCounterparty, { ...this.body(change), id }, by)).value;
  }

  async verify(
    id: string,
    principal = "checker",
    more: { ifMatch?: number[]; key?: string } = {},
  ): Promise<Counterparty> {
    const { key, ...preconditions } = more;
    const by = { caller: this.#orders.caller(principal), ...(key === undefined ? {} : { key }) };
    return (await this.#orders.request(VerifyCounterparty, { id, ...preconditions }, by)).value;
  }

  async verified(change: CounterpartyChange = {}): Promise<Counterparty> {
    return this.verify((await this.create(change)).id);
  }

  async read(id: string): Promise<Counterparty> {
    return (await this.#orders.request(GetCounterparty, { id })).value;
  }
}
