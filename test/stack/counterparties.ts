/** Creates and changes counterparties at the orders service under test. */
import type { z } from "zod";
import type { Counterparty } from "../../contracts/http/payments/counterparties.ts";
import type { Caller } from "../../contracts/message.ts";
import {
  CreateCounterparty,
  GetCounterparty,
  ReplaceCounterparty,
  VerifyCounterparty,
} from "../../contracts/messages/orders.ts";
import type { OrdersOnTest } from "./orders.ts";

export type CounterpartyBody = z.input<(typeof CreateCounterparty)["data"]>;
type Account = CounterpartyBody["accounts"][number];
interface By {
  readonly caller?: Caller;
  readonly key?: string;
  readonly body?: string;
}

export class CounterpartiesOnTest {
  readonly #orders: OrdersOnTest;

  constructor(orders: OrdersOnTest) {
    this.#orders = orders;
  }

  /** An Ach account, unless `change` names another rail. */
  account(accountNumber: string, change: Partial<Account> = {}): Account {
    return {
      rail: "Ach",
      accountNumber: this.#orders.encrypt(accountNumber),
      routingNumber: "021000021",
      ...change,
    };
  }

  /** Blue Freight, with one Ach account. */
  body(change: Partial<CounterpartyBody> = {}): CounterpartyBody {
    return {
      name: "Blue Freight",
      type: "Business",
      accounts: [this.account("4111222233334444")],
      ...change,
    };
  }

  async create(change: Partial<CounterpartyBody> = {}, by: By = {}): Promise<Counterparty> {
    return (await this.#orders.request(CreateCounterparty, this.body(change), by)).value;
  }

  async replace(
    id: string,
    change: Partial<CounterpartyBody> & { ifMatch?: number[] } = {},
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

  async verified(change: Partial<CounterpartyBody> = {}): Promise<Counterparty> {
    return this.verify((await this.create(change)).id);
  }

  async read(id: string): Promise<Counterparty> {
    return (await this.#orders.request(GetCounterparty, { id })).value;
  }
}
