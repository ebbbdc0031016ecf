import { Controller, Inject } from "@nestjs/common";
import { z } from "zod";
import { type ErrorCode, Refusal } from "../../../contracts/errors.ts";
import type { PaymentOrderQuery } from "../../../contracts/http/payments/payment-order-query.ts";
import { isId, type LedgerAccountId } from "../../../contracts/ids/ids.ts";
import { anyTime } from "../../../contracts/http/shapes.ts";
import { GetOrder, ListOrderChanges, ListOrders } from "../../../contracts/messages/orders.ts";
import { notFound } from "../../../contracts/not-found.ts";
import { HandlesRequest, type RequestContext } from "../../platform/handlers/decorators.ts";
import { Database } from "../../platform/persistence/database.ts";
import {
  aboveAllNumbers,
  keyAfter,
  numberAfter,
  pageOfRows,
  uuidAfter,
} from "../../platform/persistence/page.ts";
import { BookContexts } from "../lifecycle/book-context.ts";
import { awaitingOf, viewFor, viewOf } from "../order/order-view.ts";
import { AccountLookup } from "../creation/account-lookup.ts";
import { readAnnotationChanges } from "../store/annotations.ts";
import { orderExists, readOrder } from "../store/payment-orders.ts";
import { listOrders, ordersMadeUnder } from "./store/find-orders.ts";
import { type Position, type Search, sortedBy } from "./store/order-filters.ts";

/** Refusals of an account that no order can use. A list that is filtered by its name is empty. */
const accountRefusals: ReadonlySet<ErrorCode> = new Set([
  "ledger_account_not_found",
  "system_account_not_postable",
  "invalid_field",
]);

/** The time and the uuid of an order, after which a page in the order of a time continues. */
const positionInCursor = z.string().refine((text) => {
  const [at, uuid, ...rest] = text.split(" ");
  return anyTime.safeParse(at).success && z.uuid().safeParse(uuid).success && rest.length === 0;
});

const askedOf = (query: PaymentOrderQuery) => ({ ...query, list: "payment-orders" });

/** Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
function positionAfter(query: PaymentOrderQuery): Position | null {
  const asked = askedOf(query);
  const text = sortedBy(query) === null ? uuidAfter(asked) : keyAfter(asked, positionInCursor);
  if (text === null) return null;
  const [at = "", uuid] = text.split(" ");
  return uuid === undefined ? { uuid: at, at: null } : { uuid, at };
}

/** Reads orders of the caller's book. */
@Controller()
export class QueryOrders {
  readonly #database: Database;
  readonly #accounts: AccountLookup;
  readonly #contexts: BookContexts;

  constructor(
    @Inject(Database) database: Database,
    @Inject(AccountLookup) accounts: AccountLookup,
    @Inject(BookContexts) contexts: BookContexts,
  ) {
    this.#database = database;
    this.#accounts = accounts;
    this.#contexts = contexts;
  }

  /** Refusals: `not_found`. */
  @HandlesRequest(GetOrder)
  async get({ id, mayApprove }: z.output<(typeof GetOrder)["data"]>, { caller }: RequestContext) {
    const { sql } = this.#database;
    const found = isId("po", id) ? await readOrder(sql, caller.book, id) : undefined;
    if (found === undefined) throw notFound("payment order");
    const { order, history } = found;
    if (mayApprove === undefined || awaitingOf(order) !== "Approval") return viewOf(order, history);
    const context = (await this.#contexts.of(sql, [caller.book]))(order);
    return viewFor({ principal: caller.principal, mayApprove }, order, history, context);
  }

  /** Refusals: `invalid_cursor`, `cursor_filter_mismatch`. */
  @HandlesRequest(ListOrders)
  async list(query: PaymentOrderQuery, request: RequestContext) {
    const search = await this.#searchFor(query, request);
    return pageOfRows(
      search === null ? [] : await listOrders(this.#database.sql, search),
      query.limit,
      ({ order, history }) => viewOf(order, history),
      ({ position: { at, uuid } }) => (at === null ? uuid : `${at} ${uuid}`),
      askedOf(query),
    );
  }

  /** Changes of its description and metadata after the submission. Refusals: `not_found` and those of `list`. */
  @HandlesRequest(ListOrderChanges)
  async changes(
    { id, ...query }: z.output<(typeof ListOrderChanges)["data"]>,
    { caller: { book } }: RequestContext,
  ) {
    const { sql } = this.#database;
    const asked = { ...query, list: `payment-order-changes of ${id}` };
    const before = numberAfter(asked) ?? aboveAllNumbers;
    if (!isId("po", id) || !(await orderExists(sql, book, id))) throw notFound("payment order");
    return pageOfRows(
      await readAnnotationChanges(sql, { book, id }, { before, limit: query.limit + 1 }),
      query.limit,
      ({ principal, at, before: was, after }) => ({ principal, at: at.toISOString(), before: was, after }),
      ({ position }) => String(position),
      asked,
    );
  }

  /** Null if nothing can match: the keys created no order, or no account has one of the names. */
  async #searchFor(query: PaymentOrderQuery, request: RequestContext): Promise<Search | null> {
    const { idempotencyKey, ledgerAccountName, ledgerAccountId: ids, cursor: _cursor, ...rest } = query;
    const { book } = request.caller;
    const after = positionAfter(query);
    const [orderId, named] = await Promise.all([
      idempotencyKey === undefined ? undefined : ordersMadeUnder(this.#database.sql, book, idempotencyKey),
      ledgerAccountName === undefined ? undefined : this.#accountsNamed(ledgerAccountName, request),
    ]);
    const ledgerAccountId = named === undefined ? ids : named.filter((id) => ids?.includes(id) ?? true);
    return orderId?.length === 0 || ledgerAccountId?.length === 0
      ? null
      : { ...rest, book, after, orderId, ledgerAccountId };
  }

  /** Different accounts: two spellings can be names of one. */
  async #accountsNamed(names: readonly string[], request: RequestContext): Promise<LedgerAccountId[]> {
    const ids = await Promise.all(names.map((name) => this.#accountNamed(name, request)));
    return [...new Set(ids.filter((id) => id !== null))];
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
