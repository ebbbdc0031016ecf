import { type OrderStatus, orderStatuses } from "../../../contracts/http/payments/payment-order-parts.ts";
import type { PaymentOrderQuery } from "../../../contracts/http/payments/payment-order-query.ts";
import {
  type BookId,
  lowestUuidAt,
  isId,
  type LedgerAccountId,
  type PaymentOrderId,
  uuidOf,
} from "../../../contracts/ids/ids.ts";
import { type OrderDirection, type Rail, rails } from "../../../contracts/rails/rails.ts";
import { aboveAllUuids, belowAllUuids } from "../../platform/persistence/page.ts";
import { Params } from "../../platform/persistence/params.ts";
import { planEachTime, type Sql } from "../../platform/persistence/sql.ts";
import type { PaymentOrder, StatusChange } from "../order/payment-order.ts";
import { orderColumns, type OrderRow, orderOf } from "./order-rows.ts";
import { type HistoryColumn, historyColumn, historyOf } from "./payment-orders.ts";

/** The query of a list, with its names and keys resolved to ids. */
export interface Search
  extends Omit<PaymentOrderQuery, "cursor" | "idempotencyKey" | "ledgerAccountId" | "ledgerAccountName"> {
  readonly book: BookId;
  /** The order that was created under the Idempotency-Key. */
  readonly orderId?: PaymentOrderId | undefined;
  readonly ledgerAccountId?: LedgerAccountId | undefined;
  readonly afterUuid: string | null;
}

/**
 * A page of the book's orders, newest first, with one row more than `limit` if there are more. The statement contains
 * only the filters that are used, and walks one index (migrations/0001-tables.sql): first the ids, then their rows.
 */
export async function listOrders(
  sql: Sql,
  search: Search,
): Promise<{ order: PaymentOrder; history: StatusChange[] }[]> {
  const params = new Params();
  const ids = selectIds(search, params);
  const rows = await sql<OrderRow & HistoryColumn>(
    `${planEachTime}
     select ${orderColumns}, ${historyColumn}
     from (${ids}) k
     cross join lateral (
       select *
       from payment_order p
       where p.book_id = ${params.add(uuidOf(search.book), "uuid")}
         and p.id = k.found_id
       offset 0
     ) o
     order by o.id desc`,
    params.values,
  );
  return rows.map((row) => ({ order: orderOf(row), history: historyOf(row) }));
}

/** The order that was created under an Idempotency-Key, if any. */
export async function orderMadeUnder(sql: Sql, book: BookId, key: string): Promise<PaymentOrderId | null> {
  const [row] = await sql<{ resource_id: string }>(
    `select resource_id
     from idempotency
     where book_id = $1
       and key = $2
       and operation = 'create-order'`,
    [uuidOf(book), key],
  );
  return row !== undefined && isId("po", row.resource_id) ? row.resource_id : null;
}

function selectIds(search: Search, params: Params): string {
  const { status, rail, direction, returnCode } = search;
  if (search.orderId !== undefined) return alongKey(search, params);
  if (search.externalId !== undefined) {
    const values = [search.externalId];
    return along(search, params, ["externalId"], [{ column: "p.external_id", type: "text", values }]);
  }
  if (search.counterpartyId !== undefined) {
    const values = [uuidOf(search.counterpartyId)];
    return along(search, params, ["counterpartyId"], [{ column: "p.counterparty_id", type: "uuid", values }]);
  }
  if (returnCode !== undefined) {
    const values = [returnCode];
    return along(search, params, ["returnCode"], [{ column: returnCodeColumn, type: "text", values }]);
  }
  if (search.metadata !== undefined) return alongPair(search, params);
  if (search.ledgerAccountId !== undefined) return alongAccount(search, search.ledgerAccountId, params);
  if ((status ?? rail ?? direction) !== undefined) return alongKinds(search, params);
  return alongKey(search, params);
}

/** Exactly the expression of the index payment_order_by_return. */
const returnCodeColumn = "(p.progress #>> '{rail,return,code}')";

/**
 * Walks down the primary key. For a narrow range of amounts Postgres may walk the index of amounts instead; its
 * statistics tell how many orders the range has.
 */
function alongKey(search: Search, params: Params): string {
  return `
    select p.id as found_id
    from payment_order p
    where ${conditionsOf(search, params, [])}
    order by p.id desc
    limit ${limitOf(search, params)}`;
}

/** Walks down the first pair of metadata; the other filters are checked on the orders that have it. */
function alongPair(search: Search, params: Params): string {
  const [[key, value] = ["", ""]] = Object.entries(search.metadata ?? {});
  const { from, below } = rangeOf(search);
  return `
    select p.id as found_id
    from order_metadata m
    cross join lateral (
      select id
      from payment_order p
      where ${conditionsOf(search, params, [])}
        and p.id = m.order_id
      offset 0
    ) p
    where m.book_id = ${params.add(uuidOf(search.book), "uuid")}
      and m.pair = metadata_pair(${params.add(key, "text")}, ${params.add(value, "text")})
      and m.order_id >= ${params.add(from, "uuid")}
      and m.order_id < ${params.add(below, "uuid")}
    order by m.order_id desc
    limit ${limitOf(search, params)}`;
}

function alongAccount(search: Search, account: LedgerAccountId, params: Params): string {
  const statuses = [...new Set(search.status ?? orderStatuses)];
  return along(
    search,
    params,
    ["ledgerAccountId", "status"],
    [
      { column: "p.ledger_account_id", type: "uuid", values: statuses.map(() => uuidOf(account)) },
      { column: "p.status", type: "text", values: statuses },
    ],
  );
}

function alongKinds(search: Search, params: Params): string {
  const kinds = combinationsOf(search);
  const leading = (["rail", "direction", "status"] as const).map((name) => ({
    column: `p.${name}`,
    type: "text" as const,
    values: kinds.map((kind) => kind[name]),
  }));
  return along(search, params, ["rail", "direction", "status"], leading);
}

/** A column that leads an index after the book, and its value in each walk. */
interface Leading {
  readonly column: string;
  readonly type: "text" | "uuid";
  readonly values: readonly string[];
}

/**
 * Walks down a range of one index for each value (or combination of values), newest first, and merges the ranges. A
 * range is written as a row comparison, not as `column = value`. So no other index has the requested order, and the
 * planner cannot prefer a walk down all orders because it guesses that every value is common.
 */
function along(search: Search, params: Params, applied: AppliedFilters, leading: readonly Leading[]): string {
  const { from, below } = rangeOf(search);
  const columns = leading.map(({ column }) => column);
  const values = leading.map((_each, index) => `w.value_${String(index)}`);
  const arrays = leading.map(({ type, values: all }) => params.add(all, `${type}[]`));
  const limit = limitOf(search, params);
  const key = `(${columns.join(", ")}, p.id)`;
  const edge = (uuid: string) => `(${values.join(", ")}, ${params.add(uuid, "uuid")})`;
  return `
    select p.id as found_id
    from unnest(${arrays.join(", ")}) as w (${values.map((value) => value.slice("w.".length)).join(", ")})
    cross join lateral (
      select p.id
      from payment_order p
      where ${conditionsOf(search, params, applied)}
        and ${columns.map((column) => `${column} is not null`).join(" and ")}
        and ${key} >= ${edge(from)}
        and ${key} < ${edge(below)}
      order by ${columns.map((column) => `${column} desc`).join(", ")}, p.id desc
      limit ${limit}
    ) p
    order by p.id desc
    limit ${limit}`;
}

function limitOf(search: Search, params: Params): string {
  return params.add(search.limit + 1, "int");
}

interface Kind {
  readonly rail: Rail;
  readonly direction: OrderDirection;
  readonly status: OrderStatus;
}

/** Every matching combination; each is a range of the index. */
function combinationsOf({ rail, direction, status }: Search): Kind[] {
  const directions: readonly OrderDirection[] = direction === undefined ? ["Credit", "Debit"] : [direction];
  return [...new Set(rail ?? rails)].flatMap((oneRail) =>
    directions.flatMap((one) =>
      [...new Set(status ?? orderStatuses)].map((oneStatus) => ({
        rail: oneRail,
        direction: one,
        status: oneStatus,
      })),
    ),
  );
}

/** Ids are UUIDv7, so a range of creation times is a range of ids. The next page continues below the last id. */
function rangeOf(search: Search): { from: string; below: string } {
  const { afterUuid, "createdAt[gte]": from, "createdAt[lt]": before } = search;
  const ends = [
    ...(afterUuid === null ? [] : [afterUuid.toLowerCase()]),
    ...(before === undefined ? [] : [lowestUuidAt(new Date(before))]),
  ];
  return {
    from: from === undefined ? belowAllUuids : lowestUuidAt(new Date(from)),
    below: ends.sort()[0] ?? aboveAllUuids,
  };
}

/** Filters that the walk itself applies. Repeating one as `column = value` would let the planner use another index. */
type AppliedFilters = readonly (keyof Search)[];

/** The conditions of all other filters. */
function conditionsOf(search: Search, params: Params, applied: AppliedFilters): string {
  const { from, below } = rangeOf(search);
  const conditions = [
    `p.book_id = ${params.add(uuidOf(search.book), "uuid")}`,
    "p.sequence >= 0",
    // A late return is visible only once it is posted.
    ...(search.returnCode === undefined ? [] : ["p.phase <> 'PostingLateReturn'"]),
    // A walk with leading columns has the bounds of its range there.
    ...(applied.length > 0
      ? []
      : [`p.id >= ${params.add(from, "uuid")}`, `p.id < ${params.add(below, "uuid")}`]),
    ...Object.entries(conditionsBy).flatMap(([name, write]) => {
      const value = search[name as keyof Search];
      return value === undefined || applied.includes(name as keyof Search)
        ? []
        : [(write as Condition)(value, params)];
    }),
  ];
  return conditions.join("\n and ");
}

type Condition = (value: unknown, params: Params) => string;
type Conditions = {
  readonly [Name in keyof Search]?: (value: NonNullable<Search[Name]>, params: Params) => string;
};

const conditionsBy: Conditions = {
  status: (these, params) => params.isOneOf("p.status", these, "text"),
  rail: (these, params) => params.isOneOf("p.rail", these, "text"),
  direction: (one, params) => `p.direction = ${params.add(one, "text")}`,
  orderId: (id, params) => `p.id = ${params.add(uuidOf(id), "uuid")}`,
  externalId: (id, params) => `p.external_id = ${params.add(id, "text")}`,
  counterpartyId: (id, params) => `p.counterparty_id = ${params.add(uuidOf(id), "uuid")}`,
  ledgerAccountId: (id, params) => `p.ledger_account_id = ${params.add(uuidOf(id), "uuid")}`,
  returnCode: (code, params) => `${returnCodeColumn} = ${params.add(code, "text")}`,
  "amountCents[gte]": (cents, params) => `p.amount_cents >= ${params.add(cents, "bigint")}`,
  "amountCents[lte]": (cents, params) => `p.amount_cents <= ${params.add(cents, "bigint")}`,
  "createdAt[gte]": (time, params) => `p.created_at >= ${params.add(time, "timestamptz")}`,
  "createdAt[lt]": (time, params) => `p.created_at < ${params.add(time, "timestamptz")}`,
  metadata: (pairs, params) =>
    `coalesce(p.annotations -> 'metadata', p.metadata) @> ${params.add(JSON.stringify(pairs), "jsonb")}`,
};
