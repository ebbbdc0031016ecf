import type { InboundPaymentStatus } from "../../../../contracts/http/ledger/inbound-payments.ts";
import {
  type BookId,
  lowestUuidAt,
  type LedgerAccountId,
  uuidOf,
  type VirtualAccountId,
} from "../../../../contracts/ids/ids.ts";
import { aboveAllUuids, belowAllUuids } from "../../../platform/persistence/page.ts";
import type { Sql } from "../../../platform/persistence/sql.ts";
import { bookIndexFilter } from "../../posting/store/tenant-snapshot.ts";
import { inboundPaymentColumns, type InboundPaymentRow } from "./inbound-payments.ts";

export interface InboundPaymentFilter {
  readonly statuses: readonly InboundPaymentStatus[] | undefined;
  readonly virtualAccountId: VirtualAccountId | undefined;
  readonly ledgerAccountId: LedgerAccountId | undefined;
  readonly bankReference: string | undefined;
  readonly createdFrom: string | undefined;
  readonly createdBefore: string | undefined;
}

const allStatuses: readonly InboundPaymentStatus[] = ["Attributed", "Suspended", "Assigned", "Returned"];

/**
 * A book's inbound payments, newest first, `limit + 1` of them. Without a filter it reads the primary key backwards.
 * With a filter it reads one range of the filter's index per status, and merges them. A reference has at most one
 * payment.
 */
export function listInboundPayments(
  sql: Sql,
  book: BookId,
  filter: InboundPaymentFilter,
  page: { readonly after: string | null; readonly limit: number },
): Promise<InboundPaymentRow[]> {
  const below = [page.after ?? aboveAllUuids, ...uuidsAt(filter.createdBefore)].sort()[0];
  const from = uuidsAt(filter.createdFrom)[0] ?? belowAllUuids;
  const params: unknown[] = [uuidOf(book), below, from, page.limit + 1];
  const add = (value: unknown) => `$${params.push(value)}`;
  return sql<InboundPaymentRow>(
    `select ${inboundPaymentColumns}
     from ${source(filter, add)} p
     where p.book_id = $1
       and p.inbound_payment_id < $2
       and p.inbound_payment_id >= $3
     order by p.inbound_payment_id desc
     limit $4`,
    params,
  );
}

function source(filter: InboundPaymentFilter, add: (value: unknown) => string): string {
  const { virtualAccountId, ledgerAccountId, bankReference, statuses } = filter;
  const named = [
    ...(virtualAccountId === undefined ? [] : [`x.virtual_account_id = ${add(uuidOf(virtualAccountId))}`]),
    ...(ledgerAccountId === undefined ? [] : [`x.ledger_account_id = ${add(uuidOf(ledgerAccountId))}`]),
  ];
  const conditions = (list: readonly string[]) => list.map((text) => `and ${text}`).join(" ");
  if (bankReference !== undefined) {
    const also = statuses === undefined ? named : [...named, `x.status = any(${add(statuses)}::text[])`];
    return `(
       select x.*
       from (
         select * from inbound_payment r
         where r.bank_reference = ${add(bankReference)}
           and ${bookIndexFilter("r")}
         offset 0
       ) x
       where true ${conditions(also)}
     )`;
  }
  if (named.length === 0 && statuses === undefined) return "inbound_payment";
  return `(
       select y.*
       from unnest(${add(statuses ?? allStatuses)}::text[]) as w (status)
       cross join lateral (
         select x.inbound_payment_id
         from inbound_payment x
         where x.book_id = $1
           and x.status = w.status
           and x.inbound_payment_id < $2
           and x.inbound_payment_id >= $3
           ${conditions(named)}
         order by x.inbound_payment_id desc
         limit $4
       ) f
       cross join lateral (
         select * from inbound_payment z
         where z.book_id = $1 and z.inbound_payment_id = f.inbound_payment_id
         offset 0
       ) y
     )`;
}

function uuidsAt(time: string | undefined): string[] {
  return time === undefined ? [] : [lowestUuidAt(new Date(time))];
}
