import { type OrderStatus, orderStatuses } from "../../../contracts/http/payment-orders.ts";
import type { PaymentOrderQuery } from "../../../contracts/http/payment-order-query.ts";
import {
  type BookId,
  firstUuidAt,
  isId,
  type LedgerAccountId,
  type PaymentOrderId,
  uuidOf,
} from "../../../contracts/ids.ts";
import { type OrderDirection, type Rail, rails } from "../../../contracts/rails.ts";
import { plannedAnew, type Sql } from "../../platform/persistence/sql.ts";
import type { PaymentOrder, StatusChange } from "../domain/payment-order.ts";
import { orderColumns, type OrderRow, orderOf } from "./order-rows.ts";
import { type HistoryColumn, historyColumn, historyOf } from "./payment-orders.ts";

/** What a list looks for: the query, with what its keys and names stand for. */
export interface Search
  extends Omit<PaymentOrderQuery, "cursor" | "idempotencyKey" | "ledgerAccountId" | "ledgerAccountName"> {
  readonly book: BookId;
  /** The order that the Idempotency-Key made. */
  readonly orderId?: PaymentOrderId | undefined;
  readonly ledgerAccountId?: LedgerAccountId | undefined;
  readonly afterUuid: string | null;
}

/**
 * A page of the book's orders, newest first, one row more than `limit` when there are more. The statement says only what
 * is asked for, and reads along one index (migrations/0003): the ids first, then their rows.
 */
export async function listOrders(
  sql: Sql,
  search: Search,
): Promise<{ order: PaymentOrder; history: StatusChange[] }[]> {
  const params = new Params();
  const ids = idsOf(search, params);
  const rows = await sql<OrderRow & HistoryColumn>(
    `${plannedAnew}
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

/** Values of a statement, named as they come. */
class Params {
  readonly values: unknown[] = [];

  add(value: unknown, type: string): string {
    this.values.push(value);
    return `$${String(this.values.length)}::${type}`;
  }
}

const newestFirst = "order by p.id desc limit";

function idsOf(search: Search, params: Params): string {
  const limit = params.add(search.limit + 1, "int");
  const point = search.orderId ?? search.externalId ?? search.counterpartyId ?? search.returnCode;
  if (point === undefined && search.metadata !== undefined) return alongPair(search, params, limit);
  if (point === undefined && search.ledgerAccountId !== undefined) return alongAccount(search, params, limit);
  const kind = search.status ?? search.rail ?? search.direction;
  if (point === undefined && kind !== undefined) return alongKinds(search, params, limit);
  return `
    select p.id as found_id
    from payment_order p
    where ${fitting(search, params, {})}
    ${newestFirst} ${limit}`;
}

/** The first pair leads; the others are looked for in the orders that have it. */
function alongPair(search: Search, params: Params, limit: string): string {
  const [[key, value] = ["", ""]] = Object.entries(search.metadata ?? {});
  return `
    select p.id as found_id
    from order_metadata m
    cross join lateral (
      select id
      from payment_order p
      where ${fitting(search, params, {})}
        and p.id = m.order_id
      offset 0
    ) p
    where m.book_id = ${params.add(uuidOf(search.book), "uuid")}
      and m.pair = metadata_pair(${params.add(key, "text")}, ${params.add(value, "text")})
      ${stretch(search, params, "m.order_id")}
    order by m.order_id desc limit ${limit}`;
}

function alongAccount(search: Search, params: Params, limit: string): string {
  const statuses = [...new Set(search.status ?? orderStatuses)];
  return `
    select p.id as found_id
    from unnest(${params.add(statuses, "text[]")}) as w (status)
    cross join lateral (
      select p.id
      from payment_order p
      where ${fitting(search, params, { status: true })}
        and p.status = w.status
      ${newestFirst} ${limit}
    ) p
    ${newestFirst} ${limit}`;
}

function alongKinds(search: Search, params: Params, limit: string): string {
  const kinds = kindsOf(search);
  const column = (name: keyof Kind) =>
    params.add(
      kinds.map((kind) => kind[name]),
      "text[]",
    );
  return `
    select p.id as found_id
    from unnest(${column("rail")}, ${column("direction")}, ${column("status")}) as w (rail, direction, status)
    cross join lateral (
      select p.id
      from payment_order p
      where ${fitting(search, params, { status: true, rail: true, direction: true })}
        and p.rail = w.rail
        and p.direction = w.direction
        and p.status = w.status
      ${newestFirst} ${limit}
    ) p
    ${newestFirst} ${limit}`;
}

interface Kind {
  readonly rail: Rail;
  readonly direction: OrderDirection;
  readonly status: OrderStatus;
}

/** Every combination that fits: each is a stretch of the index of its own. */
function kindsOf({ rail, direction, status }: Search): Kind[] {
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

/** Ids are UUIDv7, so a time of creation is a stretch of them, and a page goes on below the last one's. */
function stretch(search: Search, params: Params, id: string): string {
  const { afterUuid, "createdAt[gte]": from, "createdAt[lt]": before } = search;
  const conditions = [
    ...(afterUuid === null ? [] : [`${id} < ${params.add(afterUuid, "uuid")}`]),
    ...(from === undefined ? [] : [`${id} >= ${params.add(uuidNear(from, -sameMomentMs), "uuid")}`]),
    ...(before === undefined ? [] : [`${id} < ${params.add(uuidNear(before, sameMomentMs), "uuid")}`]),
  ];
  return conditions.map((condition) => `and ${condition}`).join("\n");
}

/** Orders of earlier versions took the two from two readings of the clock. */
const sameMomentMs = 1_000;

function uuidNear(time: string, byMs: number): string {
  return firstUuidAt(new Date(Date.parse(time) + byMs));
}

type Walked = Partial<Record<"status" | "rail" | "direction", true>>;

/** All that an order must fit, but for what the walk itself says. */
function fitting(search: Search, params: Params, walked: Walked): string {
  const { "createdAt[gte]": from, "createdAt[lt]": before } = search;
  const conditions = [
    `p.book_id = ${params.add(uuidOf(search.book), "uuid")}`,
    "p.sequence >= 0",
    ...equalities(search, params, walked),
    ...(from === undefined ? [] : [`p.created_at >= ${params.add(from, "timestamptz")}`]),
    ...(before === undefined ? [] : [`p.created_at < ${params.add(before, "timestamptz")}`]),
  ];
  return `${conditions.join("\n and ")}\n ${stretch(search, params, "p.id")}`;
}

function equalities(search: Search, params: Params, walked: Walked): string[] {
  const say = <T>(value: T | undefined, write: (value: T) => string) =>
    value === undefined ? [] : [write(value)];
  const { status, rail, direction, returnCode } = search;
  return [
    ...say(walked.status ? undefined : status, (these) => `p.status = any (${params.add(these, "text[]")})`),
    ...say(walked.rail ? undefined : rail, (these) => `p.rail = any (${params.add(these, "text[]")})`),
    ...say(walked.direction ? undefined : direction, (one) => `p.direction = ${params.add(one, "text")}`),
    ...say(search.orderId, (id) => `p.id = ${params.add(uuidOf(id), "uuid")}`),
    ...say(search.externalId, (id) => `p.external_id = ${params.add(id, "text")}`),
    ...say(search.counterpartyId, (id) => `p.counterparty_id = ${params.add(uuidOf(id), "uuid")}`),
    ...say(search.ledgerAccountId, (id) => `p.ledger_account_id = ${params.add(uuidOf(id), "uuid")}`),
    // A late return shows once it is posted.
    ...say(
      returnCode,
      (code) =>
        `(p.progress #>> '{return,code}') = ${params.add(code, "text")} and p.phase <> 'PostingLateReturn'`,
    ),
    ...say(search["amountCents[gte]"], (cents) => `p.amount_cents >= ${params.add(cents, "bigint")}`),
    ...say(search["amountCents[lte]"], (cents) => `p.amount_cents <= ${params.add(cents, "bigint")}`),
    ...say(search.metadata, (pairs) => `p.metadata @> ${params.add(JSON.stringify(pairs), "jsonb")}`),
  ];
}
