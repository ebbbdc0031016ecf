/** The filters of the list of orders, as conditions on `payment_order p`. */
import type { PaymentOrderQuery } from "../../../../contracts/http/payments/payment-order-query.ts";
import {
  type BookId,
  type LedgerAccountId,
  lowestUuidAt,
  type PaymentOrderId,
  uuidOf,
} from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids, belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Params } from "../../../platform/persistence/params.ts";

/** Where a page ends: the order's uuid, and its time if the list is in the order of a time. */
export interface Position {
  readonly uuid: string;
  readonly at: string | null;
}

/** The query of a list, with its names and keys resolved to ids. */
export interface Search
  extends Omit<PaymentOrderQuery, "cursor" | "idempotencyKey" | "ledgerAccountId" | "ledgerAccountName"> {
  readonly book: BookId;
  /** The orders that were created under the Idempotency-Keys. */
  readonly orderId?: readonly PaymentOrderId[] | undefined;
  readonly ledgerAccountId?: readonly LedgerAccountId[] | undefined;
  readonly after: Position | null;
}

/** The times by which a list can be sorted. A list filtered by several is sorted by the first in this array. */
const orderTimes = ["submittedAt", "completedAt", "returnedAt", "decidedAt", "updatedAt"] as const;
export type OrderTime = (typeof orderTimes)[number];

export function sortedBy(query: Pick<PaymentOrderQuery, `${OrderTime}[gte]` | `${OrderTime}[lt]`>) {
  return orderTimes.find((time) => (query[`${time}[gte]`] ?? query[`${time}[lt]`]) !== undefined) ?? null;
}

/** The status whose entry in the history has the time. An order reaches each of them once. */
export const statusReachedAt = { submittedAt: "Submitted", completedAt: "Completed" } as const;

/** Times in the order's row: exactly the expressions of the indexes payment_order_by_return_time and _by_decision. */
export const timeColumns = {
  returnedAt: "returned_at(p.progress)",
  decidedAt: "decided_at(p.progress)",
  updatedAt: "p.updated_at",
} as const;

/** Exactly the expression of the index payment_order_by_return. */
export const returnCodeColumn = "(p.progress #>> '{rail,return,code}')";
/** Exactly the predicates of the indexes of these times. */
export const hasTime = {
  returnedAt: `${returnCodeColumn} is not null`,
  decidedAt: "(p.progress #>> '{approvals,decision,decidedAt}') is not null",
} as const;

/**
 * The range of ids for the `createdAt` filters and the cursor. An id (UUIDv7) holds its creation time in milliseconds,
 * so the last millisecond is included, and `conditionsOf` compares the exact time. The next page begins below the last
 * id.
 */
export function rangeOf(search: Search): { from: string; below: string } {
  const { after, "createdAt[gte]": from, "createdAt[lt]": before } = search;
  const ends = [
    ...(after === null || after.at !== null ? [] : [after.uuid.toLowerCase()]),
    ...(before === undefined ? [] : [lowestUuidAt(new Date(Date.parse(before) + 1))]),
  ];
  return {
    from: from === undefined ? belowAllUuids : lowestUuidAt(new Date(from)),
    below: ends.sort()[0] ?? aboveAllUuids,
  };
}

/** Filters that a walk itself applies. Repeating one as `column = value` would let the planner use another index. */
export type AppliedFilters = readonly (keyof Search)[];

/** The conditions of all other filters. */
export function conditionsOf(search: Search, params: Params, applied: AppliedFilters): string {
  const { from, below } = rangeOf(search);
  const conditions = [
    `p.book_id = ${params.add(uuidOf(search.book), "uuid")}`,
    "p.sequence >= 0",
    // A late return is visible only once it is posted.
    ...(showsReturns(search) ? ["p.phase <> 'PostingLateReturn'"] : []),
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

const showsReturns = (search: Search) =>
  (search.returnCode ?? search["returnedAt[gte]"] ?? search["returnedAt[lt]"]) !== undefined;

type Condition = (value: unknown, params: Params) => string;
type Conditions = {
  readonly [Name in keyof Search]?: (value: NonNullable<Search[Name]>, params: Params) => string;
};

const phases = { Approval: "AwaitingApproval", Window: "AwaitingWindow" } as const;
export const phasesOf = (awaiting: NonNullable<Search["awaiting"]>) => awaiting.map((each) => phases[each]);

const conditionsBy: Conditions = {
  status: (these, params) => params.isOneOf("p.status", these, "text"),
  rail: (these, params) => params.isOneOf("p.rail", these, "text"),
  direction: (these, params) => params.isOneOf("p.direction", these, "text"),
  awaiting: (these, params) => params.isOneOf("p.phase", phasesOf(these), "text"),
  orderId: (ids, params) => params.isOneOf("p.id", ids.map(uuidOf), "uuid"),
  externalId: (ids, params) => params.isOneOf("p.external_id", ids, "text"),
  counterpartyId: (ids, params) => params.isOneOf("p.counterparty_id", ids.map(uuidOf), "uuid"),
  ledgerAccountId: (ids, params) => params.isOneOf("p.ledger_account_id", ids.map(uuidOf), "uuid"),
  returnCode: (codes, params) => params.isOneOf(returnCodeColumn, codes, "text"),
  "amountCents[gte]": (cents, params) => `p.amount_cents >= ${params.add(cents, "bigint")}`,
  "amountCents[lte]": (cents, params) => `p.amount_cents <= ${params.add(cents, "bigint")}`,
  "createdAt[gte]": (time, params) => `p.created_at >= ${params.add(time, "timestamptz")}`,
  "createdAt[lt]": (time, params) => `p.created_at < ${params.add(time, "timestamptz")}`,
  ...reached("submittedAt"),
  ...reached("completedAt"),
  ...ofOptionalTime("returnedAt"),
  ...ofOptionalTime("decidedAt"),
  "updatedAt[gte]": (time, params) => atOrAfter(timeColumns.updatedAt, time, params),
  "updatedAt[lt]": (time, params) => before(timeColumns.updatedAt, time, params),
  metadata: (pairs, params) =>
    `coalesce(p.annotations -> 'metadata', p.metadata) @> ${params.add(JSON.stringify(pairs), "jsonb")}`,
};

export const atOrAfter = (column: string, time: string, params: Params) =>
  `${column} >= ${params.add(time, "timestamptz")}`;
export const before = (column: string, time: string, params: Params) =>
  `${column} < ${params.add(time, "timestamptz")}`;

/** The conditions of a time that only some orders' rows have. */
function ofOptionalTime(time: keyof typeof hasTime): Conditions {
  return {
    [`${time}[gte]`]: (at: string, params: Params) =>
      `${hasTime[time]} and ${atOrAfter(timeColumns[time], at, params)}`,
    [`${time}[lt]`]: (at: string, params: Params) =>
      `${hasTime[time]} and ${before(timeColumns[time], at, params)}`,
  };
}

/** The conditions of a time that the history has. */
function reached(time: keyof typeof statusReachedAt): Conditions {
  const inHistory = (condition: string) => `exists (
      select from status_change s
      where s.book_id = p.book_id
        and s.order_id = p.id
        and s.to_status = '${statusReachedAt[time]}'
        and ${condition}
    )`;
  return {
    [`${time}[gte]`]: (at: string, params: Params) => inHistory(atOrAfter("s.at", at, params)),
    [`${time}[lt]`]: (at: string, params: Params) => inHistory(before("s.at", at, params)),
  };
}
