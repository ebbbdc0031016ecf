import { Controller, Inject } from "@nestjs/common";
import { z } from "zod";
import { Refusal } from "../../contracts/errors.ts";
import type { PaymentOrderQuery } from "../../contracts/http/payment-orders.ts";
import { isId, uuidOf } from "../../contracts/ids.ts";
import { GetOrder, ListOrders } from "../../contracts/messages/orders.ts";
import { Answers, type Ask } from "../platform/messaging/decorators.ts";
import { Database } from "../platform/persistence/database.ts";
import { decodeCursor, pageOfRows } from "../platform/persistence/page.ts";
import { noSuchOrder } from "./act-on-order.ts";
import { viewOf } from "./domain/order-view.ts";
import { listOrders, readHistory, readOrder } from "./store/payment-orders.ts";

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
    const after = query.cursor === undefined ? null : uuidAfter(query.cursor, query);
    const orders = await listOrders(this.#database.sql, ask.caller.book, query, after);
    const histories = await readHistory(this.#database.sql, orders.slice(0, query.limit));
    return pageOfRows(
      orders,
      query.limit,
      (order) => viewOf(order, histories.get(order.id) ?? []),
      (order) => uuidOf(order.id),
      query,
    );
  }
}

/** A cursor is opaque, not signed: what it holds is checked before it meets SQL. */
function uuidAfter(cursor: string, query: PaymentOrderQuery): string {
  const after = z.uuid().safeParse(decodeCursor(cursor, query));
  if (after.success) return after.data;
  throw new Refusal("invalid_cursor", "Send the nextCursor of an earlier page, unchanged, or none.");
}
