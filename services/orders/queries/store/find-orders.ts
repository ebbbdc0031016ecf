import { type OrderStatus, orderStatuses } from "../../../../contracts/http/payments/payment-order-parts.ts";
import { type BookId, isId, type PaymentOrderId, uuidOf } from "../../../../contracts/ids/ids.ts";
import { type OrderDirection, orderDirection, type Rail, rails } from "../../../../contracts/rails/rails.ts";
import { Params, walkEach } from "../../../platform/persistence/params.ts";
import { planEachTime, type Sql } from "../../../platform/persistence/sql.ts";
import type { PaymentOrder, StatusChange } from "../../order/payment-order.ts";
import { orderColumns, type OrderRow, orderOf } from "../../store/order-rows.ts";
import { type HistoryColumn, historyColumn, historyOf } from "../../store/payment-orders.ts";
import {
  type AppliedFilters,
  atOrAfter,
  before,
  hasTime,
  conditionsOf,
  type OrderTime,
  phasesOf,
  type Position,
  rangeOf,
  returnCodeColumn,
  type Search,
  sortedBy,
  statusReachedAt,
  timeColumns,
} from "./order-filters.ts";

export interface FoundOrder {
  readonly order: PaymentOrder;
  readonly history: StatusChange[];
  readonly position: Position;
}

/**
 * A page of the book's orders, newest first, with one row more than `limit` if there are more. The statement contains
 * only the filters that are used, and walks one index (migrations/0001-tables.sql): first the ids, then their rows.
 * With a filter by another time than that of creation, the newest is the one with the latest such time.
 */
export async function listOrders(sql: Sql, search: Search): Promise<FoundOrder[]> {
  const params = new Params();
  const time = sortedBy(search);
  const ids = time === null ? selectIds(search, params) : alongTime(search, time, params);
  const rows = await sql<OrderRow & HistoryColumn & { position_at: string | null }>(
    `${planEachTime}
     select ${orderColumns}, ${historyColumn},
       ${time === null ? "null" : `to_char(k.found_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`} as position_at
     from (${ids}) k
     cross join lateral (
       select *
       from payment_order p
       where p.book_id = ${params.add(uuidOf(search.book), "uuid")}
         and p.id = k.found_id
       offset 0
     ) o
     order by ${time === null ? "" : "k.found_at desc, "}o.id desc`,
    params.values,
  );
  return rows.map((row) => {
    const order = orderOf(row);
    return { order, history: historyOf(row), position: { uuid: uuidOf(order.id), at: row.position_at } };
  });
}

/** The orders that were created under one of these Idempotency-Keys. */
export async function ordersMadeUnder(
  sql: Sql,
  book: BookId,
  keys: readonly string[],
): Promise<PaymentOrderId[]> {
  const rows = await sql<{ resource_id: string }>(
    `select resource_id
     from idempotency
     where book_id = $1
       and key = any ($2::text[])
       and operation = 'create-order'`,
    [uuidOf(book), keys],
  );
  return rows.flatMap(({ resource_id: id }) => (isId("po", id) ? [id] : []));
}

function selectIds(search: Search, params: Params): string {
  const { awaiting, counterpartyId, direction, externalId, ledgerAccountId, rail, returnCode, status } =
    search;
  if (search.orderId !== undefined) return alongKey(search, params);
  if (externalId !== undefined) {
    return along(
      search,
      params,
      ["externalId"],
      [{ column: "p.external_id", type: "text", values: externalId }],
    );
  }
  if (counterpartyId !== undefined) {
    const values = counterpartyId.map(uuidOf);
    return along(search, params, ["counterpartyId"], [{ column: "p.counterparty_id", type: "uuid", values }]);
  }
  if (returnCode !== undefined) {
    return along(
      search,
      params,
      ["returnCode"],
      [{ column: returnCodeColumn, type: "text", values: returnCode }],
    );
  }
  if (search.metadata !== undefined) return alongPair(search, params);
  if (ledgerAccountId !== undefined) return alongAccounts(search, ledgerAccountId.map(uuidOf), params);
  if (awaiting !== undefined) {
    const values = phasesOf(awaiting);
    return along(
      search,
      params,
      ["awaiting"],
      [{ column: "p.phase", type: "text", values, among: waitingPhases }],
    );
  }
  if ((status ?? rail ?? direction) !== undefined) return alongKinds(search, params);
  return alongKey(search, params);
}

/** Exactly the predicate of the index payment_order_waiting. */
const waitingPhases = "p.phase in ('AwaitingApproval', 'AwaitingWindow')";

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

/**
 * Walks down the times. With a filter that few orders match, such as a counterparty, Postgres may read those and sort
 * them instead; its statistics tell. A list in the order of ids could not be bounded: orders that were created long
 * ago can have a time of today, and only a walk past all orders in between would show that there are no more of them.
 */
function alongTime(search: Search, time: OrderTime, params: Params): string {
  const { after, [`${time}[gte]` as const]: from, [`${time}[lt]` as const]: end } = search;
  const { at, id, join } = timeSource(time, search.book, params);
  const bounds = [
    ...(from === undefined ? [] : [atOrAfter(at, from, params)]),
    ...(end === undefined ? [] : [before(at, end, params)]),
    ...(after === null
      ? []
      : [`(${at}, ${id}) < (${params.add(after.at, "timestamptz")}, ${params.add(after.uuid, "uuid")})`]),
    ...(time === "returnedAt" || time === "decidedAt" ? [hasTime[time]] : []),
  ];
  return `
    select ${id} as found_id, ${at} as found_at
    from payment_order p
    ${join}
    where ${conditionsOf(search, params, [`${time}[gte]`, `${time}[lt]`])}
      and ${bounds.join("\n and ")}
    order by ${at} desc, ${id} desc
    limit ${limitOf(search, params)}`;
}

/** Where the index of a time has the time and the order's id. */
function timeSource(time: OrderTime, book: BookId, params: Params): { at: string; id: string; join: string } {
  if (time !== "submittedAt" && time !== "completedAt")
    return { at: timeColumns[time], id: "p.id", join: "" };
  const join = `join status_change t on t.book_id = ${params.add(uuidOf(book), "uuid")}
      and t.order_id = p.id
      and t.to_status = '${statusReachedAt[time]}'`;
  return { at: "t.at", id: "t.order_id", join };
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

function alongAccounts(search: Search, accounts: readonly string[], params: Params): string {
  const pairs = accounts.flatMap((account) => statusesOf(search).map((status) => ({ account, status })));
  return along(
    search,
    params,
    ["ledgerAccountId", "status"],
    [
      { column: "p.ledger_account_id", type: "uuid", values: pairs.map(({ account }) => account) },
      { column: "p.status", type: "text", values: pairs.map(({ status }) => status) },
    ],
  );
}

/** Only a Pending order waits. */
function statusesOf({ status = orderStatuses, awaiting }: Search): OrderStatus[] {
  return [...new Set(status)].filter((each) => awaiting === undefined || each === "Pending");
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
  /** The index's predicate, if it is not that the column has a value. */
  readonly among?: string;
}

/**
 * Walks down a range of one index for each value (or combination of values), newest first, and merges the ranges. A
 * range is written as a row comparison, not as `column = value`. So no other index has the requested order, and the
 * planner cannot prefer a walk down all orders because it guesses that every value is common.
 */
function along(search: Search, params: Params, applied: AppliedFilters, leading: readonly Leading[]): string {
  const { from, below } = rangeOf(search);
  const columns = leading.map(({ column }) => column);
  const values = Object.fromEntries(
    leading.map(({ type, values: all }, index) => [`value_${String(index)}`, params.add(all, `${type}[]`)]),
  );
  const limit = limitOf(search, params);
  const key = `(${columns.join(", ")}, p.id)`;
  const edge = (uuid: string) =>
    `(${Object.keys(values)
      .map((name) => `w.${name}`)
      .join(", ")}, ${params.add(uuid, "uuid")})`;
  const walk = `
      select p.id
      from payment_order p
      where ${conditionsOf(search, params, applied)}
        and ${leading.map(({ column, among }) => among ?? `${column} is not null`).join(" and ")}
        and ${key} >= ${edge(from)}
        and ${key} < ${edge(below)}
      order by ${columns.map((column) => `${column} desc`).join(", ")}, p.id desc
      limit ${limit}`;
  return `
    select p.id as found_id
    from ${walkEach(values, walk, "p")}
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
  return [...new Set(rail ?? rails)].flatMap((oneRail) =>
    [...new Set(direction ?? orderDirection.options)].flatMap((oneDirection) =>
      [...new Set(status ?? orderStatuses)].map((oneStatus) => ({
        rail: oneRail,
        direction: oneDirection,
        status: oneStatus,
      })),
    ),
  );
}
