import { Controller, Inject } from "@nestjs/common";
import type { z } from "zod";
import { type ErrorCode, Refusal } from "../../../contracts/errors.ts";
import type { PaymentOrderQuery } from "../../../contracts/http/payments/payment-order-query.ts";
import { isId, type LedgerAccountId, uuidOf } from "../../../contracts/ids/ids.ts";
import { GetOrder, ListOrderChanges, ListOrders } from "../../../contracts/messages/orders.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import { aboveAllNumbers, numberAfter, pageOfRows, uuidAfter } from "../../platform/persistence/page.ts";
import { viewOf } from "../order/order-view.ts";
import { AccountLookup } from "./account-lookup.ts";
import { readAnnotationChanges } from "../store/annotations.ts";
import { listOrders, orderMadeUnder, type Search } from "../store/find-orders.ts";
import { orderExists, readOrder } from "../store/payment-orders.ts";

/** Refusals of an account that no order can use. A list that is filtered by its name is empty. */
const accountRefusals: ReadonlySet<ErrorCode> = new Set([
  "ledger_account_not_found",
  "system_account_not_postable",
  "invalid_field",
]);

/** Reads orders of the caller's book. */
@Controller()
export class QueryOrders {
  readonly #database: Database;
  readonly #accounts: AccountLookup;

  constructor(@Inject(Database) database: Database, @Inject(AccountLookup) accounts: AccountLookup) {
    this.#database = database;
    this.#accounts = accounts;
  }

  /** Refusal: `not_found`. */
  @HandlesRequest(GetOrder)
  async get({ id }: { id: string }, request: RequestContext) {
    const found = isId("po", id) ? await readOrder(this.#database.sql, request.caller.book, id) : undefined;
    if (found === undefined) throw notFound("payment order");
    return viewOf(found.order, found.history);
  }

  /** Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListOrders)
  async list(query: PaymentOrderQuery, request: RequestContext) {
    const search = await this.#searchFor(query, request);
    return pageOfRows(
      search === null ? [] : await listOrders(this.#database.sql, search),
      query.limit,
      ({ order, history }) => viewOf(order, history),
      ({ order }) => uuidOf(order.id),
      query,
    );
  }

  /** Changes of its description and metadata after the submission. Refusals: `not_found` and those of `list`. */
  @HandlesRequest(ListOrderChanges)
  async changes(
    { id, ...query }: z.output<(typeof ListOrderChanges)["data"]>,
    { caller: { book } }: RequestContext,
  ) {
    const { sql } = this.#database;
    const before = numberAfter(query) ?? aboveAllNumbers;
    if (!isId("po", id) || !(await orderExists(sql, book, id))) throw notFound("payment order");
    return pageOfRows(
      await readAnnotationChanges(sql, { book, id }, { before, limit: query.limit + 1 }),
      query.limit,
      ({ principal, at, before: was, after }) => ({ principal, at: at.toISOString(), before: was, after }),
      ({ position }) => String(position),
      query,
    );
  }

  /** Null if nothing can match: the key created no order, or no account has the name. */
  async #searchFor(query: PaymentOrderQuery, request: RequestContext): Promise<Search | null> {
    const { idempotencyKey, ledgerAccountName, ledgerAccountId, cursor: _cursor, ...rest } = query;
    const { book } = request.caller;
    const afterUuid = uuidAfter(query);
    const [orderId, named] = await Promise.all([
      idempotencyKey === undefined ? undefined : orderMadeUnder(this.#database.sql, book, idempotencyKey),
      ledgerAccountName === undefined ? undefined : this.#accountNamed(ledgerAccountName, request),
    ]);
    if (orderId === null || named === null) return null;
    if (named !== undefined && ledgerAccountId !== undefined && named !== ledgerAccountId) return null;
    return { ...rest, book, afterUuid, orderId, ledgerAccountId: ledgerAccountId ?? named };
  }

  async #accountNamed(name: string, request: RequestContext): Promise<LedgerAccountId | null> {
    try {
      return (await this.#accounts.resolve(request, name, "Name", "ledgerAccountName")).ledgerAccountId;
    } catch (error) {
      if (error instanceof Refusal && accountRefusals.has(error.code)) return null;
      throw error;
    }
  }
}
