import { Controller, Inject } from "@nestjs/common";
import type { PaymentOrderQuery } from "../../contracts/http/payment-orders.ts";
import { isId, uuidOf } from "../../contracts/ids.ts";
import { GetOrder, ListOrders } from "../../contracts/messages/orders.ts";
import { Answers, type Ask } from "../platform/messaging/decorators.ts";
import { Database } from "../platform/persistence/database.ts";
import { pageOfRows, uuidAfter } from "../platform/persistence/page.ts";
import { noSuchOrder } from "./act-on-order.ts";
import { viewOf } from "./domain/order-view.ts";
import { listOrders, readOrder } from "./store/payment-orders.ts";

/** Reads of orders, always within the caller's book. */
@Controller()
export class FindOrders {
  readonly #database: Database;

  constructor(@Inject(Database) database: Database) {
    this.#database = database;
  }

  /** Refusal: `not_found`. */
  @Answers(GetOrder)
  async get({ id }: { id: string }, ask: Ask) {
    const found = isId("po", id) ? await readOrder(this.#database.sql, ask.caller.book, id) : undefined;
    if (found === undefined) throw noSuchOrder();
    return viewOf(found.order, found.history);
  }

  /** Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @Answers(ListOrders)
  async list(query: PaymentOrderQuery, ask: Ask) {
    const found = await listOrders(this.#database.sql, ask.caller.book, query, uuidAfter(query));
    return pageOfRows(
      found,
      query.limit,
      ({ order, history }) => viewOf(order, history),
      ({ order }) => uuidOf(order.id),
      query,
    );
  }
}
